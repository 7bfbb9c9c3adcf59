/*
 * diff.c - compare two profiles: flat and cum of every function in each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/diff.h"

#include "base/unit.h"
#include "engine/query_filter.h"
#include "engine/sums.h"
#include "profile/scale.h"
#include "profile/sums.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const side_word[N_SIDES] = { [SIDE_BASE] = "before", [SIDE_NEW] = "after" };

/* Find the type with the same name and a compatible unit. */
static bool find_same_type(const struct profile *p, uint32_t type, const struct profile *other, uint32_t *out)
{
	const char *name = profile_text(p, p->type[type].name), *unit = profile_text(p, p->type[type].unit);

	for (uint32_t t = 0; t < other->n_types; t++)
		if (strcmp(profile_text(other, other->type[t].name), name) == 0 &&
		    unit_is_compatible(profile_text(other, other->type[t].unit), unit)) {
			*out = t;
			return true;
		}
	return false;
}

static void engine_diff_add_types(const struct profile *p, struct buf *out)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		buf_addf(out, "%s%s/%s", t ? " " : "", profile_text(p, p->type[t].name),
			 profile_text(p, p->type[t].unit));
}

static int engine_diff_no_common_type(const struct profile *p, const struct profile *other, const char *name,
				      struct err *err)
{
	struct buf own = { 0 }, others = { 0 };
	int rc;

	engine_diff_add_types(p, &own);
	engine_diff_add_types(other, &others);
	rc = err_set(err, ERR_USAGE, "no sample type%s%.100s in common: after has [%.1000s], before [%.1000s]",
		     *name ? " " : "", name, buf_text(&own), buf_text(&others));
	buf_release(&own);
	buf_release(&others);
	return rc;
}

/* Choose a sample type that both sides have, with compatible units: by name as view_find_type does, else the default
   type of the new side, else its last compatible type. */
static int engine_diff_find_types(const struct profile *const p[N_SIDES], const char *name, uint32_t type[N_SIDES],
				  struct err *err)
{
	const struct profile *new = p[SIDE_NEW], *base = p[SIDE_BASE];

	if (view_find_type(new, name, &type[SIDE_NEW], err) < 0)
		return ERR_USAGE;
	if (find_same_type(new, type[SIDE_NEW], base, &type[SIDE_BASE]))
		return 0;
	for (uint32_t t = new->n_types; !*name &&t-- > 0;) {
		type[SIDE_NEW] = t;
		if (find_same_type(new, t, base, &type[SIDE_BASE]))
			return 0;
	}
	return engine_diff_no_common_type(new, base, name, err);
}

static bool same_types(const struct profile *a, const struct profile *b)
{
	uint32_t at;

	if (a->n_types != b->n_types)
		return false;
	for (uint32_t t = 0; t < a->n_types; t++)
		if (!find_same_type(a, t, b, &at))
			return false;
	return true;
}

static void note_types(const struct profile *const p[N_SIDES], uint32_t type, struct buf *notes)
{
	if (same_types(p[SIDE_NEW], p[SIDE_BASE]))
		return;
	buf_addz(notes, "sample types differ: before has ");
	engine_diff_add_types(p[SIDE_BASE], notes);
	buf_addz(notes, "; after has ");
	engine_diff_add_types(p[SIDE_NEW], notes);
	buf_addf(notes, "; comparing %s\n", profile_text(p[SIDE_NEW], p[SIDE_NEW]->type[type].name));
}

/* Append the notes of filters about a side, each prefixed with the name of the side. */
static void engine_diff_note_side(const struct buf *lines, enum side side, struct buf *notes)
{
	const char *line = buf_text(lines);

	while (*line) {
		size_t n = strcspn(line, "\n");

		buf_addf(notes, "%s: %.*s\n", side_word[side], (int)n, line);
		line += n + (line[n] == '\n');
	}
}

static int make_views(const struct profile *const p[N_SIDES], const struct query_filter *q, struct arena *mem,
		      struct diff *d, struct buf *notes, struct err *err)
{
	uint32_t type[N_SIDES];

	if (engine_diff_find_types(p, q->sample_index, type, err) < 0)
		return ERR_USAGE;
	note_types(p, type[SIDE_NEW], notes);
	assert(type[SIDE_NEW] < p[SIDE_NEW]->n_types && type[SIDE_BASE] < p[SIDE_BASE]->n_types);
	for (int side = N_SIDES; side-- > 0;) {
		struct query_filter own = *q;
		struct buf lines = { 0 };
		char number[16];
		int rc;

		snprintf(number, sizeof(number), "%" PRIu32, type[side]);
		own.sample_index = number;
		rc = view_make(p[side], &own, mem, &d->side[side].view, &lines, err);
		engine_diff_note_side(&lines, (enum side)side, notes);
		buf_release(&lines);
		if (rc < 0)
			return err_wrap(err, "%s", side_word[side]);
		if (p[side]->sums && p[side]->sums->type != type[side])
			return err_set(err, ERR_UNKNOWN, "%s: sums of another sample type", side_word[side]);
	}
	return 0;
}

/* Find the ratio of the units, then the factor of the normalization, and scale the totals. */
static int find_ratios(struct diff *d, const char *normalize, struct err *err)
{
	struct diff_side *base = &d->side[SIDE_BASE], *new = &d->side[SIDE_NEW];
	struct normal_size size[N_SIDES];
	double ratio[N_SIDES];

	d->unit = scale_is_finer(new->view.unit, base->view.unit) ? base->view.unit : new->view.unit;
	if (normalize_parse(normalize, &d->normal, err) < 0)
		return ERR_USAGE;
	for (int side = N_SIDES; side-- > 0;) {
		ratio[side] = scale_ratio(d->side[side].view.unit, d->unit);
		if (normal_size(&d->normal, &d->side[side].view, ratio[side], &size[side], err) < 0)
			return err_wrap(err, "%s", side_word[side]);
	}
	if (normal_factor(&d->normal, &size[SIDE_BASE], &size[SIDE_NEW], &d->factor, &d->by_period, err) < 0)
		return ERR_USAGE;
	ratio[SIDE_NEW] *= d->factor;
	for (int side = N_SIDES; side-- > 0;) {
		d->side[side].ratio = ratio[side];
		if (scale_value(d->side[side].view.total, ratio[side], &d->side[side].total))
			return err_set(err, ERR_RANGE, "%s: its total, multiplied by %g, overflows 64 bits",
				       side_word[side], ratio[side]);
	}
	return 0;
}

static int make_graphs(const struct query_filter *q, struct arena *mem, struct diff *d, struct err *err)
{
	struct query_filter by_file;

	if (match_query(q, &by_file, err) < 0)
		return ERR_USAGE;
	for (int i = 0; i < N_SIDES; i++) {
		struct diff_side *s = &d->side[i];
		int rc = places_make(s->view.p, &by_file, mem, &s->places, err);

		if (rc < 0)
			return rc;
		rc = match_places(d->match, &s->places, err);
		places_release(&s->places);
		if (rc < 0)
			return rc;
		graph_make(&s->view, &s->places, mem, &s->graph);
		assert(s->graph.nodes.n <= match_count(d->match));
	}
	return 0;
}

static bool engine_diff_reduce_view(struct profile *p, const struct view *v, const struct query_filter *q,
				    struct arena *mem)
{
	struct match *match = match_new();
	struct query_filter by_file;
	struct places pl = { 0 };
	bool can = match_query(q, &by_file, NULL) == 0 && places_make(p, &by_file, mem, &pl, NULL) == 0;

	can = can && match_places(match, &pl, NULL) == 0;
	places_release(&pl);
	can = can && sums_make_of(p, v, &pl);
	match_free(match);
	return can;
}

bool diff_reduce(struct profile *p, const struct query_filter *q)
{
	const struct profile *both[N_SIDES] = { p, p };
	struct query_filter own = *q;
	struct arena *mem = arena_new();
	struct buf notes = { 0 };
	uint32_t type[N_SIDES];
	struct view v;
	char number[16];
	struct normalize_options by;
	bool can = sums_can_answer(q) && normalize_parse(q->normalize, &by, NULL) == 0 && by.by != NORMALIZE_LABEL &&
		   unit_is_choice(q->unit) && engine_diff_find_types(both, q->sample_index, type, NULL) == 0;

	if (can) {
		snprintf(number, sizeof(number), "%" PRIu32, type[SIDE_BASE]);
		own.sample_index = number;
		can = view_make(p, &own, mem, &v, &notes, NULL) == 0 && engine_diff_reduce_view(p, &v, q, mem);
	}
	buf_release(&notes);
	arena_free(mem);
	return can;
}

int diff_make(const struct profile *const p[N_SIDES], const struct query_filter *q, struct arena *mem, struct diff *out,
	      struct buf *notes, struct err *err)
{
	struct diff *d = arena_zalloc(mem, 1, sizeof(*d));
	int rc;

	d->match = match_new();
	rc = make_views(p, q, mem, d, notes, err);
	if (rc == 0)
		rc = find_ratios(d, q->normalize, err);
	if (rc == 0)
		rc = make_graphs(q, mem, d, err);
	if (rc < 0)
		diff_release(d);
	else
		*out = *d;
	return rc;
}

void diff_release(struct diff *d)
{
	match_free(d->match);
	d->match = NULL;
}

/* Scale a sum. With -mean, a sum can exceed the total that was checked. */
static int64_t engine_diff_scaled(int64_t v, double ratio)
{
	int64_t out = v < 0 ? INT64_MIN : INT64_MAX;

	scale_value(v, ratio, &out);
	return out;
}

int64_t diff_flat(const struct diff *d, enum side side, uint32_t row)
{
	const struct diff_side *s = &d->side[side];

	return row < s->graph.nodes.n ? engine_diff_scaled(nodes_flat(&s->graph.nodes, row), s->ratio) : 0;
}

int64_t diff_cum(const struct diff *d, enum side side, uint32_t row)
{
	const struct diff_side *s = &d->side[side];

	return row < s->graph.nodes.n ? engine_diff_scaled(nodes_cum(&s->graph.nodes, row), s->ratio) : 0;
}

int64_t diff_subtract(int64_t a, int64_t b)
{
	int64_t out;

	return __builtin_sub_overflow(a, b, &out) ? (a < 0 ? INT64_MIN : INT64_MAX) : out;
}
