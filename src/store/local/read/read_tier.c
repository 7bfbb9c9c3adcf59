/*
 * read_tier.c - windows and the slots of tiers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A slot belongs to the window that contains its start, as a profile does. So windows that follow each other have each slot once.
 */
#include "config.h"

#include "store/local/read/read_tier.h"

#include "base/time.h"

#include <string.h>

enum { HISTORY_CHAPTERS = 64, HISTORY_LEVEL = 1 };

/* The slot of a tier around a time that is inside of it: [*lo, *hi). Returns false if the time is an end of slots. */
static bool slot_around(enum store_tier tier, int64_t t, int64_t *lo, int64_t *hi)
{
	*lo = tier_slot_start(tier, t);
	return *lo != t && *lo != INT64_MIN && !__builtin_add_overflow(*lo, tier_slot_ns(tier), hi);
}

void slots_note_edges(const struct store_query *q, const struct selection *sel, struct buf *notes)
{
	bool is_noted[2][N_TIERS] = { { false } };

	for (size_t i = 0; i < sel->n; i++) {
		const struct select_chapter *c = &sel->chapter[i];
		const int64_t edge[2] = { q->t0, q->t1 };

		for (int end = 0; end < 2 && c->tier != TIER_RAW; end++) {
			int64_t lo, hi;

			if (is_noted[end][c->tier] || edge[end] == INT64_MIN || edge[end] == INT64_MAX ||
			    !slot_around(c->tier, edge[end], &lo, &hi) || c->t1 < lo || c->t0 >= hi)
				continue;
			is_noted[end][c->tier] = true;
			buf_addf(notes, "store: the resolution of %s is %s there: ", c->service,
				 store_tier_name(c->tier));
			select_print_span(end ? lo : edge[0], hi, notes);
			buf_addz(notes, end ? " is counted as a whole\n" : " is left out\n");
		}
	}
}

void slots_align(struct store_query *q, struct buf *notes)
{
	int64_t lo, hi, *edge[2] = { &q->t0, &q->t1 };
	bool is_moved = false;

	for (int i = 0; i < 2; i++)
		if (*edge[i] != INT64_MIN && *edge[i] != INT64_MAX && slot_around(q->tier, *edge[i], &lo, &hi)) {
			*edge[i] = hi;
			is_moved = true;
		}
	if (!is_moved)
		return;
	buf_addf(notes, "store: +tier=%s: ", store_tier_name(q->tier));
	select_print_span(q->t0, q->t1, notes);
	buf_addz(notes, " is counted\n");
}

int slots_read_history(struct store *s, const struct store_query *q, struct tier_history *h, struct err *err)
{
	struct selection sel;
	int rc;

	if (q->t0 == INT64_MIN || (q->pin && *q->pin))
		return 0;
	rc = select_beside(s, q, false, HISTORY_CHAPTERS, &sel, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < sel.n; i++) {
		struct chapter *c = NULL;

		rc = select_read(&sel.chapter[i], &c, err);
		if (rc == 0)
			rc = tier_history_add(h, c, q->t0, err);
		select_release(&sel.chapter[i], c);
		if (rc == ERR_FORMAT && q->partial)
			rc = 0;
	}
	select_close(&sel);
	return rc;
}

/* Is a series selected whose profiles are finer? */
static int is_selected(void *arg, const struct chapter *c, uint32_t series, struct err *err)
{
	const struct store_query *q = arg;

	return select_series(q, c, &c->dict.series[series], err);
}

int slots_read_chapter(const struct store_query *q, struct tier_history *h, struct reduce_input *in, struct stop *stop,
		       struct err *err)
{
	struct chapter *from = NULL;
	struct chapter_builder *b;
	int rc = 0;

	in->rc = select_read(in->from, &from, &in->err);
	if (in->rc < 0 || in->from->tier >= q->tier) {
		in->chapter = from;
		return 0;
	}
	b = chapter_builder_new(in->from->service);
	chapter_builder_expect_sorted(b, HISTORY_LEVEL);
	in->rc = tier_make(from, q->tier, h, is_selected, (void *)(uintptr_t)q, b, stop, &in->err);
	if (in->rc == 0)
		in->rc = chapter_builder_finish(b, HISTORY_LEVEL, &in->chapter, &in->err);
	in->is_given = in->rc == 0;
	if (in->is_given)
		dict_drop_index(&in->chapter->dict); /* it belongs to the builder */
	if (in->rc < 0 && in->rc != ERR_FORMAT) {
		*err = in->err;
		rc = in->rc;
	}
	chapter_builder_free(b);
	select_release(in->from, from);
	return rc;
}
