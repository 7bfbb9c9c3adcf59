/*
 * sums.c - replace the stacks of a profile by sums
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/sums.h"

#include "base/mem.h"
#include "engine/filter.h"
#include "engine/graph_walk.h"
#include "engine/query_filter.h"
#include "profile/sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool sums_can_answer(const struct query_filter *q)
{
	return filter_is_empty(q) && !q->call_tree && !q->mean && q->granularity != GRAIN_ADDRESSES && !q->by_object &&
	       q->granularity != GRAIN_FILES && !q->keep_labels;
}

static bool sums_has_negative(const struct profile *p)
{
	for (uint32_t t = 0; t < p->n_types; t++) {
		int64_t all = 0;

		for (uint32_t row = 0; row < p->n_rows; row++)
			all |= p->value[t][row];
		if (all < 0)
			return true;
	}
	return false;
}

/* Does each line of a location have a function with a name? */
static bool sums_is_named(const struct profile *p, uint32_t loc)
{
	bool is_named = p->loc_line[loc] < p->loc_line[loc + 1];

	for (uint32_t i = p->loc_line[loc]; i < p->loc_line[loc + 1]; i++)
		is_named &= p->func_name[p->line_func[i]] != 0;
	return is_named;
}

/* The fields of a location that the walk uses. */
struct sums_location {
	uint32_t code; /* its places, as in places.list */
	bool is_found; /* has it occurred? */
	bool is_whole; /* do samples with it keep their stacks? */
};

/* The rows that replace those of a profile. */
struct sums_rows {
	struct profile *p;
	const struct places *pl;
	uint32_t n_locs;                /* locations found so far */
	uint32_t *loc;                  /* [n_locs] in the order of first use */
	struct sums_location *location; /* [n_locs of the profile] */
	struct graph_sum *sum;          /* of nothing, [places], then [places_n_several] of locations */
	uint32_t n_whole, n_whole_locs; /* rows that keep their stacks; the frames of these together */
	uint32_t *whole;                /* [n_whole] numbers of these rows in the profile */
	uint32_t n_leaves;
	uint32_t *leaf_of; /* [n_locs of the profile + 1] leaf + 1; the last is for stacks without frames */
	uint32_t *leaf;    /* [n_leaves] n_locs of the profile: no frame */
	int64_t **value;   /* [types][n_leaves] */
};

static bool sums_row_is_zero(const struct profile *p, uint32_t row)
{
	int64_t any = 0;

	for (uint32_t t = 0; t < p->n_types; t++)
		any |= p->value[t][row];
	return any == 0;
}

static void sums_find_location(struct sums_rows *s, uint32_t loc)
{
	s->location[loc].is_found = true;
	s->loc[s->n_locs++] = loc;
}

/* Add up the stack between at and end, of sample id - 1. Returns true if the stack must be kept. */
static inline bool sums_walk(struct sums_rows *s, const uint8_t *at, const uint8_t *end, uint32_t width, uint32_t id,
			     int64_t v)
{
	const struct sums_location *location = s->location;
	struct graph_sum *sum = s->sum;
	uint32_t several[WALK_LOT];
	bool is_whole = false;

	while (at < end) {
		const uint8_t *pause = (size_t)(end - at) < WALK_LOT * width ? end : at + WALK_LOT * width;
		uint32_t n = 0;

		for (; at < pause; at += width) {
			uint32_t loc = stack_load(at, width), code = location[loc].code;
			uint32_t is_several = code / PLACES_MANY;

			if (__builtin_expect(!location[loc].is_found, false))
				sums_find_location(s, loc);
			is_whole |= location[loc].is_whole;
			several[n] = code;
			n += is_several;
			sum_add(&sum[(code + 1) & (is_several - 1)], id, v);
		}
		walk_several(s->pl, several, n, sum, id, v);
	}
	return is_whole;
}

static bool sums_walk_row(struct sums_rows *s, uint32_t row, int64_t v)
{
	const struct stack_lists *stacks = &s->p->stacks;
	const uint8_t *at = stack_address(stacks, stacks->off[s->p->stack[row]]);
	const uint8_t *end = stack_address(stacks, stacks->off[s->p->stack[row] + 1]);

	return stacks->width == STACK_NARROW ? sums_walk(s, at, end, STACK_NARROW, row + 1, v)
					     : sums_walk(s, at, end, STACK_WIDE, row + 1, v);
}

/* Add a row to that of its leaf. */
static void sums_add_leaf(struct sums_rows *s, uint32_t row)
{
	const struct profile *p = s->p;
	const struct stack_lists *stacks = &p->stacks;
	uint32_t at = stacks->off[p->stack[row]], leaf, *to;

	leaf = at < stacks->off[p->stack[row] + 1] ? stack_id_at(stacks, at) : p->n_locs;
	to = &s->leaf_of[leaf];
	if (!*to) {
		s->leaf[s->n_leaves] = leaf;
		*to = ++s->n_leaves;
	}
	for (uint32_t t = 0; t < p->n_types; t++)
		s->value[t][*to - 1] += p->value[t][row];
}

static void sums_add_whole(struct sums_rows *s, uint32_t row)
{
	const struct stack_lists *stacks = &s->p->stacks;
	uint32_t stack = s->p->stack[row];

	s->whole[s->n_whole++] = row;
	s->n_whole_locs += stacks->off[stack + 1] - stacks->off[stack];
}

/* Find the locations of the functions of which samples keep their stacks. */
static void sums_mark_whole(struct sums_rows *s, const struct strtab *whole)
{
	const struct profile *p = s->p;
	bool *is_whole = mem_zalloc(p->n_funcs, sizeof(*is_whole));
	str_id id;

	for (uint32_t f = 0; f < p->n_funcs; f++)
		is_whole[f] = strtab_find_from(whole, p->str, p->func_name[f], &id);
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		s->location[loc].code = s->pl->list[loc];
		for (uint32_t i = p->loc_line[loc]; i < p->loc_line[loc + 1]; i++)
			s->location[loc].is_whole |= is_whole[p->line_func[i]];
	}
	free(is_whole);
}

static struct sums_rows sums_rows_new(struct profile *p, const struct places *pl)
{
	size_t n = (size_t)p->n_locs + 1;
	struct sums_rows s = { .p = p,
			       .pl = pl,
			       .loc = arena_alloc(p->mem, p->n_locs, sizeof(*s.loc)),
			       .location = mem_zalloc(n, sizeof(*s.location)),
			       .sum = mem_zalloc((size_t)1 + pl->n + places_n_several(pl), sizeof(*s.sum)),
			       .whole = mem_alloc(p->n_rows, sizeof(*s.whole)),
			       .leaf_of = mem_zalloc(n, sizeof(*s.leaf_of)),
			       .leaf = mem_alloc(n, sizeof(*s.leaf)),
			       .value = mem_alloc(p->n_types, sizeof(*s.value)) };

	for (uint32_t t = 0; t < p->n_types; t++)
		s.value[t] = mem_zalloc(n, sizeof(*s.value[t]));
	return s;
}

static void sums_rows_walk(struct sums_rows *s, const int64_t *value, const struct strtab *whole)
{
	sums_mark_whole(s, whole);
	for (uint32_t row = 0; row < s->p->n_rows; row++) {
		if (sums_row_is_zero(s->p, row))
			continue;
		if (sums_walk_row(s, row, value[row]))
			sums_add_whole(s, row);
		else
			sums_add_leaf(s, row);
	}
}

static void sums_rows_release(struct sums_rows *s)
{
	for (uint32_t t = 0; t < s->p->n_types; t++)
		free(s->value[t]);
	free(s->value);
	free(s->location);
	free(s->sum);
	free(s->whole);
	free(s->leaf_of);
	free(s->leaf);
}

static bool sums_rows_are_named(const struct sums_rows *s)
{
	for (uint32_t i = 0; i < s->n_locs; i++)
		if (!sums_is_named(s->p, s->loc[i]))
			return false;
	return true;
}

/* The sums; cum of a place is in the slot of the first location that has it. */
static struct profile_sums *sums_of_rows(const struct sums_rows *s, uint32_t type)
{
	struct profile *p = s->p;
	const struct places *pl = s->pl;
	struct profile_sums *out = arena_alloc(p->mem, 1, sizeof(*out));

	*out = (struct profile_sums){ .type = type, .n_locs = s->n_locs, .loc = s->loc };
	out->cum = arena_zalloc(p->mem, profile_sums_slots(p), sizeof(*out->cum));
	out->several = arena_zalloc(p->mem, p->n_locs, sizeof(*out->several));
	out->is_whole = arena_zalloc(p->mem, p->n_locs, sizeof(*out->is_whole));
	for (uint32_t i = 0; i < s->n_locs; i++) {
		uint32_t loc = s->loc[i], n;
		const uint32_t *place = places_of(pl, loc, &n);
		int64_t *cum = out->cum + profile_sums_slot(p, loc);

		for (uint32_t k = 0; k < n; k++) {
			cum[k] = s->sum[1 + place[k]].cum;
			s->sum[1 + place[k]].cum = 0;
		}
		if (pl->list[loc] >= PLACES_MANY)
			out->several[loc] = s->sum[1 + pl->n + places_several(pl->list[loc])].cum;
		out->is_whole[loc] = s->location[loc].is_whole;
	}
	return out;
}

/* Copy the whole stacks, then those of one frame. */
static struct stack_lists sums_rows_stacks(const struct sums_rows *s)
{
	const struct profile *p = s->p;
	const struct stack_lists *from = &p->stacks;
	struct stack_lists to = { .n = s->n_whole + s->n_leaves, .width = from->width };

	to.off = arena_zalloc(p->mem, (size_t)to.n + 1, sizeof(*to.off));
	to.packed = arena_alloc(p->mem, stack_bytes((size_t)s->n_whole_locs + s->n_leaves, to.width), 1);
	for (uint32_t i = 0; i < s->n_whole; i++) {
		uint32_t stack = p->stack[s->whole[i]], n = from->off[stack + 1] - from->off[stack];

		memcpy(stack_address(&to, to.off[i]), stack_address(from, from->off[stack]), (size_t)n * to.width);
		to.off[i + 1] = to.off[i] + n;
	}
	for (uint32_t i = 0; i < s->n_leaves; i++) {
		uint32_t *off = to.off + s->n_whole + i;

		off[1] = off[0] + (s->leaf[i] < p->n_locs);
		if (s->leaf[i] < p->n_locs)
			stack_store(stack_address(&to, off[0]), to.width, s->leaf[i]);
	}
	return to;
}

/* Free the columns of samples, which are most of a profile. */
static void sums_free_samples(const struct profile *p)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		arena_release(p->mem, p->value[t]);
	arena_release(p->mem, p->value);
	arena_release(p->mem, p->stack);
	arena_release(p->mem, p->labels);
	arena_release(p->mem, p->stacks.off);
	arena_release(p->mem, p->stacks.packed);
}

/* Replace the rows and stacks. */
static void sums_rows_store(const struct sums_rows *s)
{
	struct profile *p = s->p;
	const struct profile old = *p;
	uint32_t n = s->n_whole + s->n_leaves;
	int64_t **value = arena_alloc(p->mem, p->n_types, sizeof(*value));

	p->stacks = sums_rows_stacks(s);
	for (uint32_t t = 0; t < p->n_types; t++) {
		value[t] = arena_alloc(p->mem, n, sizeof(*value[t]));
		for (uint32_t i = 0; i < s->n_whole; i++)
			value[t][i] = p->value[t][s->whole[i]];
		memcpy(value[t] + s->n_whole, s->value[t], s->n_leaves * sizeof(*value[t]));
	}
	p->value = value;
	p->n_rows = n;
	p->stack = arena_alloc(p->mem, n, sizeof(*p->stack));
	p->labels = arena_zalloc(p->mem, n, sizeof(*p->labels));
	for (uint32_t i = 0; i < n; i++)
		p->stack[i] = i;
	sums_free_samples(&old);
}

bool sums_make(struct profile *p, const struct query_filter *q, const struct strtab *whole)
{
	struct arena *mem = arena_new();
	struct buf notes = { 0 };
	struct sums_rows rows;
	struct places pl;
	struct view v;
	bool is_usable = !p->forest && !p->sums && p->n_label_funcs == 0 && !sums_has_negative(p) &&
			 !view_base_sets(p, mem) && view_make(p, q, mem, &v, &notes, NULL) == 0 &&
			 places_make(p, q, mem, &pl, NULL) == 0;

	if (is_usable) {
		rows = sums_rows_new(p, &pl);
		sums_rows_walk(&rows, v.val, whole);
		is_usable = sums_rows_are_named(&rows);
		if (is_usable) {
			p->sums = sums_of_rows(&rows, v.type);
			sums_rows_store(&rows);
		}
		sums_rows_release(&rows);
		places_release(&pl);
	}
	buf_release(&notes);
	arena_free(mem);
	return is_usable;
}

bool sums_make_of(struct profile *p, const struct view *v, const struct places *pl)
{
	struct sums_rows rows;
	struct arena *mem;
	struct graph g;

	if (p->forest || p->sums || p->n_label_funcs || v->mean || sums_has_negative(p))
		return false;
	mem = arena_new();
	graph_make(v, pl, mem, &g);
	rows = sums_rows_new(p, pl);
	for (uint32_t row = 0; row < p->n_rows; row++)
		sums_add_leaf(&rows, row);
	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		sums_find_location(&rows, loc);
	for (uint32_t k = 0; k < pl->n; k++)
		rows.sum[1 + k].cum = g.nodes.cum[k];
	for (uint32_t i = 0; i < places_n_several(pl); i++)
		rows.sum[1 + pl->n + i].cum = g.several[i];
	p->sums = sums_of_rows(&rows, v->type);
	sums_rows_store(&rows);
	sums_rows_release(&rows);
	arena_free(mem);
	return true;
}

void sums_take(const struct view *v, const struct places *pl, struct arena *mem, struct graph *out)
{
	const struct profile *p = v->p;
	int64_t *cum = arena_zalloc(mem, pl->n, sizeof(*cum));
	int64_t *several = arena_zalloc(mem, places_n_several(pl), sizeof(*several));

	assert(v->type == p->sums->type && !v->mean);
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(pl, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			cum[place[k]] += p->sums->cum[profile_sums_slot(p, loc) + k];
		if (pl->list[loc] >= PLACES_MANY)
			several[places_several(pl->list[loc])] = p->sums->several[loc];
	}
	out->nodes.cum = cum;
	out->several = several;
}

str_id *sums_names(const struct profile *p)
{
	str_id *copy = mem_alloc(p->n_funcs, sizeof(*copy));

	if (p->n_funcs)
		memcpy(copy, p->func_name, p->n_funcs * sizeof(*copy));
	return copy;
}

/* Does each text of from have one text of to? */
static bool sums_maps_names(const struct profile *p, const str_id *from, const str_id *to)
{
	str_id *found = mem_zalloc(strtab_count(p->str), sizeof(*found));
	bool is_function = true;

	for (uint32_t f = 0; f < p->n_funcs; f++) {
		is_function &= found[from[f]] == 0 || found[from[f]] == to[f];
		found[from[f]] = to[f];
	}
	free(found);
	return is_function;
}

bool sums_names_are_same(const struct profile *p, const str_id *before)
{
	return sums_maps_names(p, before, p->func_name) && sums_maps_names(p, p->func_name, before);
}
