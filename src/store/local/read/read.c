/*
 * read.c - the profiles of a query as one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/catalogue/catalogue.h"
#include "base/mem.h"
#include "store/instance.h"
#include "store/local/read/local.h"
#include "store/local/read/read_tier.h"
#include "store/local/read/reduce.h"
#include "store/local/read/select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Chapters that are decoded at the same time; and those of which trees are made, whose stacks are not. */
enum { GROUP_CHAPTERS = 16, GROUP_BYTES = 32 << 20, GROUP_TREES = 64 };
enum { BASE_CHAPTERS_MIN = 16, BASE_CHAPTERS_MAX = 1 << 16 };

struct read_reading {
	struct store *s;
	const struct store_query *q;
	struct stop *stop;
	struct reducer *r;
	struct store_sum *sum;
	struct buf name;              /* of an instance */
	struct tier_history *history; /* with q->tier */
};

/* With partial, a damaged chapter is noted; without, it is an error. */
static int store_read_check_inputs(struct read_reading *rd, const struct reduce_input *in, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (in[i].rc >= 0)
			continue;
		if (!rd->q->partial) {
			*err = in[i].err;
			return in[i].rc;
		}
		rd->sum->is_damaged = true;
		buf_addf(&rd->sum->notes, "%s; it is left out\n", in[i].err.msg);
	}
	return 0;
}

/* Add the chapters [lo, end) of a selection, as many as one group holds. Returns their number. */
static int store_read_add_group(struct read_reading *rd, const struct selection *sel, size_t lo, enum reduce_pass pass,
				size_t *n, struct err *err)
{
	struct reduce_input in[GROUP_TREES] = { 0 };
	size_t max = reduce_wants_forest(rd->r) ? GROUP_TREES : GROUP_CHAPTERS;
	uint64_t bytes = 0, max_bytes = reduce_wants_forest(rd->r) ? UINT64_MAX : GROUP_BYTES;
	int rc = 0;

	for (*n = 0; lo + *n < sel->n && *n < max && (*n == 0 || bytes < max_bytes); ++*n) {
		in[*n].from = &sel->chapter[lo + *n];
		bytes += in[*n].from->bytes;
	}
	for (size_t i = 0; rc == 0 && i < *n && rd->history; i++)
		rc = slots_read_chapter(rd->q, rd->history, &in[i], rd->stop, err);
	if (rc == 0)
		rc = reduce_add(rd->r, in, *n, pass, err);
	return rc == 0 ? store_read_check_inputs(rd, in, *n, err) : rc;
}

static int store_read_add_all(struct read_reading *rd, const struct selection *sel, enum reduce_pass pass,
			      struct err *err)
{
	size_t n;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sel->n; i += n) {
		rc = store_read_add_group(rd, sel, i, pass, &n, err);
		stop_set_done(rd->stop, i + n);
	}
	return rc;
}

static int mark_older(void *arg, const struct catalogue_series *series, struct err *err)
{
	struct read_reading *rd = arg;

	(void)err;
	instance_begin(&rd->name, series->service);
	for (size_t i = 0; i < series->n_labels; i++)
		instance_add(&rd->name, series->label[i].name, series->label[i].value);
	reduce_mark_older(rd->r, series->hash, &rd->name);
	return 0;
}

/* Which series have profiles before the window? */
static int find_older(struct read_reading *rd, struct err *err)
{
	const struct store_query *q = rd->q;
	struct catalogue_query cq = { q->service, q->is_pattern, INT64_MIN, q->t0 };

	return local_find_series(rd->s, &cq, q->kind ? q->kind : "", mark_older, rd, err);
}

typedef bool needs_fn(struct reducer *r, int64_t t1);

static bool has_past(const struct store_query *q)
{
	return q->t0 != INT64_MIN && !(q->pin && *q->pin);
}

/* Read chapters before the window, newest first, as long as they may have a snapshot that is needed. */
static int add_past(struct read_reading *rd, needs_fn *needs, enum reduce_pass pass, struct err *err)
{
	int rc = 0;

	for (size_t max = BASE_CHAPTERS_MIN, done = 0; rc == 0 && max <= BASE_CHAPTERS_MAX; max *= 4) {
		struct selection sel;
		size_t n = 1;

		if (!needs(rd->r, rd->q->t0))
			return 0;
		rc = select_beside(rd->s, rd->q, false, max, &sel, err);
		if (rc < 0)
			return rc;
		for (size_t i = done; rc == 0 && i < sel.n && needs(rd->r, sel.chapter[i].t1); i += n) {
			struct selection one = { .chapter = sel.chapter, .n = i + 1 };

			rc = store_read_add_group(rd, &one, i, pass, &n, err);
		}
		done = sel.n;
		select_close(&sel);
		if (done < max)
			break;
	}
	return rc;
}

/* Find the snapshots before the first ones: of the same series before the window, else of others of the instance. */
static int add_earlier(struct read_reading *rd, const struct selection *sel, struct err *err)
{
	int rc = 0;

	if (reduce_needs_earlier(rd->r, INT64_MAX))
		rc = store_read_add_all(rd, sel, PASS_EARLIER, err);
	if (rc == 0 && has_past(rd->q))
		rc = add_past(rd, reduce_needs_earlier, PASS_EARLIER, err);
	return rc;
}

static int read_selection(struct read_reading *rd, const struct selection *sel, struct err *err)
{
	struct select_cut cut;
	int rc = 0;

	if (rd->q->limit) {
		rc = select_find_cut(rd->q, sel, &cut, err);
		reduce_set_cut(rd->r, &cut);
	}
	stop_begin(rd->stop, "adding up profiles", sel->n);
	if (rc == 0 && rd->history)
		rc = slots_read_history(rd->s, rd->q, rd->history, err);
	if (rc == 0)
		rc = store_read_add_all(rd, sel, PASS_WINDOW, err);
	if (reduce_needs_rows(rd->r) || rd->history) /* slots have their increases */
		return rc;
	if (rc == 0 && has_past(rd->q) && reduce_has_increase(rd->r))
		rc = find_older(rd, err);
	if (rc == 0 && has_past(rd->q))
		rc = add_past(rd, reduce_needs_base, PASS_BASES, err);
	if (rc == 0 && reduce_is_unordered(rd->r))
		rc = store_read_add_all(rd, sel, PASS_PROFILES, err);
	if (rc == 0)
		rc = add_earlier(rd, sel, err);
	return rc;
}

/* Open a selection, and divide the conditions of the query. */
static int open_split(struct store *s, const struct store_query *q, struct selection *sel, struct store_query *own,
		      struct err *err)
{
	int rc = select_open(s, q, sel, err);

	if (rc < 0)
		return rc;
	rc = select_split(s, sel, q, own, err);
	if (rc < 0)
		select_close(sel);
	return rc;
}

int local_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err)
{
	struct store_query own;
	struct selection sel;
	bool *has_label;
	int rc = open_split(s, q, &sel, &own, err);

	if (rc < 0)
		return rc;
	select_close(&sel);
	has_label = mem_zalloc(own.n_sample_match + 1, sizeof(*has_label));
	rc = nearest_check_samples(s, &own, has_label, NULL, err);
	if (rc == 0)
		select_describe_samples(&own, has_label, out);
	for (size_t i = 0; rc >= 0 && i < own.n_sample_match; i++)
		rc |= has_label[i];
	free(has_label);
	select_split_release(&own, q);
	return rc;
}

/* Read the profile of a selection; out may be NULL if there is none. */
static int read_profile(struct read_reading *rd, const struct selection *sel, bool wants_forest, struct profile **out,
			struct err *err)
{
	size_t n_notes = rd->sum->notes.len;
	bool needs_rows;
	int rc;

	rd->r = reduce_new(rd->q, rd->stop);
	if (wants_forest)
		reduce_want_forest(rd->r);
	rc = read_selection(rd, sel, err);
	needs_rows = rc == 0 && reduce_needs_rows(rd->r);
	if (rc == 0 && !needs_rows)
		rc = reduce_finish(rd->r, out, rd->sum, err);
	reduce_free(rd->r);
	if (!needs_rows)
		return rc;
	rd->sum->is_damaged = sel->is_partial;
	rd->sum->notes.len = n_notes;
	return read_profile(rd, sel, false, out, err);
}

static int slots_find_first(void *arg, const struct catalogue_series *s, struct err *err)
{
	int64_t *first = arg;

	(void)err;
	*first = s->first < *first ? s->first : *first;
	return 0;
}

/* The first start of segments that are not reduced; INT64_MAX without any. */
static int slots_find_raw(struct store *s, int64_t *first, struct err *err)
{
	const struct catalogue_query past = { NULL, false, INT64_MIN, INT64_MAX - 1 };
	struct catalogue_segments raw;
	int rc;

	*first = INT64_MAX;
	if (local_of(s)->source)
		return local_find_series(s, &past, "", slots_find_first, first, err);
	rc = catalogue_read_begin(local_of(s)->catalogue, err);
	if (rc < 0)
		return rc;
	rc = catalogue_get_segments(local_of(s)->catalogue, TIER_RAW, &raw, err);
	catalogue_read_end(local_of(s)->catalogue);
	for (size_t i = 0; rc == 0 && i < raw.n; i++)
		*first = raw.row[i].t0 < *first ? raw.row[i].t0 : *first;
	if (rc == 0)
		catalogue_segments_release(&raw);
	return rc;
}

/* Say since when addresses are stored. */
static int slots_note_addresses(struct store *s, struct buf *notes, struct err *err)
{
	int64_t first;
	int rc = slots_find_raw(s, &first, err);

	if (rc < 0)
		return rc;
	buf_addz(notes, "store: named frames of a reduced resolution have no addresses");
	if (first != INT64_MAX) {
		buf_addz(notes, "; they exist since ");
		select_print_time(first, notes);
	}
	buf_addz(notes, "\n");
	return 0;
}

/* The error of a window that is inside a slot; 0 if it is not. */
static int slots_nothing_error(const struct store_query *q, const struct selection *sel, struct err *err)
{
	for (size_t i = 0; i < sel->n; i++) {
		const struct select_chapter *c = &sel->chapter[i];
		int64_t start = tier_slot_start(c->tier, q->t0);
		struct buf span = { 0 };

		if (c->tier == TIER_RAW || q->t0 == INT64_MIN || start == q->t0 || c->t1 < start || c->t0 > start)
			continue;
		select_print_span(start, start + tier_slot_ns(c->tier), &span);
		err_set(err, ERR_IO, "the resolution of %s is %s there, and no slot begins in the window; select %s",
			c->service, store_tier_name(c->tier), span.data);
		buf_release(&span);
		return ERR_IO;
	}
	return 0;
}

/* Describe the conditions on samples of a store that is not in a directory: its result has the labels of its samples only. */
static int store_read_describe_samples(struct store *s, const struct store_query *own, struct buf *out, struct err *err)
{
	bool *has_label = mem_zalloc(own->n_sample_match + 1, sizeof(*has_label));
	int rc = nearest_check_samples(s, own, has_label, NULL, err);

	out->len = 0;
	if (rc == 0)
		select_describe_samples(own, has_label, out);
	free(has_label);
	return rc;
}

int local_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
	       struct store_sum *sum, struct err *err)
{
	struct store_sum result = { 0 };
	struct store_query own, aligned = *q;
	struct read_reading rd = { .s = s, .q = &own, .stop = stop, .sum = &result };
	struct selection sel;
	struct profile *p = NULL;
	bool can_have_forest;
	int rc;

	if (q->tier != TIER_RAW && (q->id || q->limit))
		return err_set(err, ERR_USAGE, "tier= cannot be used with %s", q->id ? "id=" : "limit=");
	slots_align(&aligned, &result.notes);
	q = &aligned;
	rc = open_split(s, q, &sel, &own, err);
	if (rc < 0) {
		buf_release(&result.notes);
		return rc;
	}
	slots_note_edges(q, &sel, &result.notes);
	rd.history = q->tier != TIER_RAW ? tier_history_new() : NULL;
	if (sel.is_partial) {
		result.is_damaged = true;
		buf_addz(&result.notes, store_get_damage(s));
	}
	can_have_forest = own.adds_up && own.tier == TIER_RAW && !own.n_keep && !own.n_sample_match;
	rc = read_profile(&rd, &sel, can_have_forest, &p, err);
	tier_history_free(rd.history);
	buf_release(&rd.name);
	if (rc == 0 && result.tiers > 1)
		rc = slots_note_addresses(s, &result.notes, err);
	if (rc == 0 && !p && !result.is_damaged)
		rc = slots_nothing_error(q, &sel, err);
	select_close(&sel);
	if (rc == 0 && p && own.n_sample_match && !p->n_rows)
		rc = nearest_check_samples(s, &own, NULL, &result.notes, err);
	if (rc == 0 && p && own.n_sample_match && local_of(s)->source)
		rc = store_read_describe_samples(s, &own, &result.samples, err);
	if (rc == 0 && !p && result.is_damaged)
		rc = err_set(err, ERR_FORMAT, "nothing is left without the damaged parts: %.*s",
			     (int)strcspn(result.notes.data, ";"), result.notes.data);
	else if (rc == 0 && !p)
		rc = nearest_error(s, &own, err);
	select_split_release(&own, q);
	if (rc < 0) {
		profile_free(p);
		store_sum_release(&result);
		return rc;
	}
	*out = p;
	*sum = result;
	return 0;
}

int local_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			void *arg, struct err *err)
{
	struct store_sum result = { 0 };
	struct store_query own;
	struct read_reading rd = { .s = s, .q = &own, .stop = stop, .sum = &result };
	struct selection sel;
	int rc = open_split(s, q, &sel, &own, err);

	if (rc < 0)
		return rc;
	rd.r = reduce_new(&own, stop);
	reduce_want_increases(rd.r);
	rc = read_selection(&rd, &sel, err);
	if (rc == 0)
		rc = reduce_finish_increases(rd.r, fn, arg, err);
	reduce_free(rd.r);
	buf_release(&rd.name);
	select_close(&sel);
	select_split_release(&own, q);
	store_sum_release(&result);
	return rc;
}
