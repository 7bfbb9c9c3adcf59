/*
 * text_threads.c - threads one by one, as Go prints goroutines
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Under the name goroutine they look as goroutines, for programs that read those; under threads with all
 * that is known.
 */
#include "config.h"

#include "libcpaprof/collector/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { CREATORS_SHOWN = 1 };

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MINUTE (60 * NS_PER_S)

static void put_head(struct text *t, const struct snap_thread *thread, uint32_t label)
{
	size_t n_name = strnlen(thread->name, sizeof(thread->name)),
	       n_wait = strnlen(thread->wait, sizeof(thread->wait));
	bool go = strcmp(t->s->name, "goroutine") == 0;

	snap_text_add(t, "%s %" PRIu32 " ", go ? "goroutine" : "thread", thread->tid);
	if (!go) {
		snap_text_put(t, "\"", 1);
		snap_text_safe(t, thread->name, n_name);
		snap_text_put(t, "\" ", 2);
	}
	snap_text_put(t, "[", 1);
	snap_text_safe(t, thread->wait, n_wait);
	if (thread->wait_ns >= NS_PER_MINUTE)
		snap_text_add(t, ", %" PRIu64 " minutes", thread->wait_ns / NS_PER_MINUTE);
	if (!go) {
		snap_text_add(t, ", cpu %" PRIu64 ".%" PRIu64 "s", thread->cpu_ns / NS_PER_S,
			      thread->cpu_ns % NS_PER_S / (NS_PER_S / 10));
		if (label) {
			snap_text_add(t, ", labels: ");
			snap_text_labels(t, label);
		}
	}
	snap_text_add(t, "]:\n");
}

void snap_text_threads(struct text *t)
{
	const struct snap_thread *thread = t->s->thread.data;
	const struct snap_row *row = t->s->row.data;
	size_t n = t->s->thread.n, n_row_of = (n + 1) * sizeof(uint32_t);
	uint32_t *row_of = memory_map(n_row_of); /* [n + 1] of a thread + 1: its row + 1 */

	if (!row_of)
		t->error = -ENOMEM;
	for (size_t i = 0; row_of && i < t->s->row.n; i++)
		if (row[i].thread <= n)
			row_of[row[i].thread] = (uint32_t)i + 1;
	for (uint32_t i = 0; i < n && !t->error; i++) {
		const struct snap_row *mine = row_of[i + 1] ? &row[row_of[i + 1] - 1] : NULL;

		if (i)
			snap_text_put(t, "\n", 1);
		put_head(t, &thread[i], mine ? mine->label : 0);
		if (mine)
			snap_text_calls(t, "", mine->at, mine->n, UINT32_MAX);
		snap_text_calls(t, "created by ", thread[i].creator_at, thread[i].creator_n, CREATORS_SHOWN);
	}
	memory_unmap(row_of, n_row_of);
}
