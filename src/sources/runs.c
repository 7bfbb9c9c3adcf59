/*
 * runs.c - load several profiles in parallel without merging them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/runs.h"

#include "sources/sides_read.h"
#include "sources/save.h"
#include "base/pool.h"
#include "base/str.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

enum { RUNS_MAX = 8 }; /* max profiles in memory at once */

struct queue {
	struct source_run *item;
	size_t n;
	atomic_size_t next;
};

static void source_runs_read_part(void *arg, unsigned part)
{
	struct queue *q = arg;
	size_t i;

	(void)part;
	while ((i = atomic_fetch_add(&q->next, 1)) < q->n) {
		struct source_run *item = &q->item[i];
		struct source_set none = { .q = item->set.q };

		assert(item->set.n > 0 && !item->profile);
		if (sides_read(&item->set, &none, &item->profile, &item->err) < 0)
			item->profile = NULL;
	}
}

void source_runs_read(struct source_run *item, size_t n, const struct load_events *events)
{
	struct queue q = { .item = item, .n = n };

	pool_run(source_runs_read_part, &q, pool_size() < n ? pool_size() : (unsigned)n);
	for (size_t i = 0; i < n; i++) {
		struct buf notes = { 0 };

		if (!item[i].profile || !item[i].set.remote)
			continue;
		sources_save_fetched(item[i].profile, &item[i].set, NULL, &notes);
		load_events_notes(events, &notes);
		buf_release(&notes);
	}
}

/* Append the info of a load with the name of its source before each line. */
static void source_runs_add_named(const struct source_set *l, struct buf *out)
{
	const char *line = buf_text(&l->info), *several = strcmp(l->kind, "base") == 0 ? "the base" : "the new side";

	while (*line) {
		size_t n = strcspn(line, "\n");

		if (!starts_with(line, "store: ")) /* such a line says itself what was read */
			buf_addf(out, "%s: ", l->n == 1 ? l->source[0] : several);
		buf_addf(out, "%.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

int source_run_report(const struct source_run *item, const struct load_events *events, struct err *err)
{
	struct source_set named = item->set;

	named.info = (struct buf){ 0 };
	source_runs_add_named(&item->set, &named.info);
	load_events_report(events, &named);
	buf_release(&named.info);
	return item->profile ? 0 : err_set(err, item->err.code, "%s", item->err.msg);
}

void source_run_release(struct source_run *item)
{
	profile_free(item->profile);
	item->profile = NULL;
	buf_release(&item->set.notes);
	buf_release(&item->set.info);
}

/* Pass a profile on. */
static int source_run_pass(const struct source_run *run, const struct load_events *events, source_run_fn *fn, void *arg,
			   size_t *n_failed, struct err *err)
{
	struct err unread;

	if (source_run_report(run, events, &unread) < 0) {
		load_events_error(events, unread.msg);
		++*n_failed;
		return 0;
	}
	*n_failed += run->set.n_failed > 0;
	return fn(arg, run, err);
}

int source_runs_each(const struct sources *s, struct remote *remote, const struct query *q,
		     const struct load_events *events, source_run_fn *fn, void *arg, size_t *n_failed, struct err *err)
{
	size_t step = pool_size() < RUNS_MAX ? pool_size() : RUNS_MAX;
	int rc = 0;

	*n_failed = 0;
	load_events_step(events, "reading");
	for (size_t lo = 0; rc == 0 && lo < s->n; lo += step) {
		struct source_run run[RUNS_MAX] = { { .profile = NULL } };
		size_t n = s->n - lo < step ? s->n - lo : step;

		for (size_t i = 0; i < n; i++)
			run[i].set = source_set_of(s, lo + i, 1, "source", q, remote);
		source_runs_read(run, n, events);
		for (size_t i = 0; i < n; i++) {
			if (rc == 0)
				rc = source_run_pass(&run[i], events, fn, arg, n_failed, err);
			source_run_release(&run[i]);
		}
	}
	load_events_step(events, NULL);
	return rc;
}
