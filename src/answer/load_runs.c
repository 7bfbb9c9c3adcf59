/*
 * load_runs.c - load several profiles in parallel without merging them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/load_runs.h"

#include "answer/compare.h"
#include "answer/save.h"
#include "base/pool.h"
#include "base/str.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

struct queue {
	struct load_item *item;
	size_t n;
	atomic_size_t next;
};

static void load_runs_load_part(void *arg, unsigned part)
{
	struct queue *q = arg;
	size_t i;

	(void)part;
	while ((i = atomic_fetch_add(&q->next, 1)) < q->n) {
		struct load_item *item = &q->item[i];
		struct load none = { .q = item->load.q };

		assert(item->load.n > 0 && !item->profile);
		if (compare_load(&item->load, &none, &item->profile, &item->err) < 0)
			item->profile = NULL;
	}
}

void load_runs(struct load_item *item, size_t n, const struct load_events *events)
{
	struct queue q = { .item = item, .n = n };

	pool_run(load_runs_load_part, &q, pool_size() < n ? pool_size() : (unsigned)n);
	for (size_t i = 0; i < n; i++) {
		struct buf notes = { 0 };

		if (!item[i].profile || !item[i].load.remote)
			continue;
		answer_save_fetched(item[i].profile, &item[i].load, NULL, &notes);
		load_events_notes(events, &notes);
		buf_release(&notes);
	}
}

/* Append the info of a load with the name of its source before each line. */
static void load_runs_add_named(const struct load *l, struct buf *out)
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

int load_item_report(const struct load_item *item, const struct load_events *events, struct err *err)
{
	struct load named = item->load;

	named.info = (struct buf){ 0 };
	load_runs_add_named(&item->load, &named.info);
	load_events_report(events, &named);
	buf_release(&named.info);
	return item->profile ? 0 : err_set(err, item->err.code, "%s", item->err.msg);
}

void load_item_release(struct load_item *item)
{
	profile_free(item->profile);
	item->profile = NULL;
	buf_release(&item->load.notes);
	buf_release(&item->load.info);
}
