/*
 * boxes.c - stacks folded into a tree of boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Level by level: the stacks of a box lie side by side in a list. They are parted by their next frame,
 * and only parts that are wide enough go on into the list of the next level, so that the long tail of
 * a large profile costs one look per stack and not a tree.
 */
#include "config.h"

#include "engine/boxes.h"

#include "base/mem.h"
#include "base/num.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stack on its way, and the frame that comes next. */
struct item {
	uint32_t stack;
	uint32_t at;  /* place in the list of all stacks' locations */
	uint32_t sub; /* frames of the location before at that are still to come */
	uint32_t key; /* place of the frame just taken; BOXES_NONE at the end of the stack */
	bool inlined;
};

/* Stacks of one box with the same next frame. */
struct group {
	uint32_t place, n, box; /* box BOXES_NONE: left out */
	size_t to;              /* where its next item goes */
	int64_t total[N_SIDES];
	bool inlined;
};

/* The stacks of a box. */
struct range {
	uint32_t box;
	size_t lo, hi;
};

struct folding {
	const struct profile *p;
	const struct places *pl;
	const struct boxes_ask *ask;
	struct boxes *b;
	size_t cap;               /* of the columns of b */
	int64_t *weight[N_SIDES]; /* [stacks] */
	int64_t min;
	struct item *item, *next;
	struct range *range, *next_range;
	size_t n_ranges, n_next_ranges, cap_ranges, cap_next_ranges;
	uint32_t *slot; /* [places] group of a place, while a box is parted */
	struct group *group;
	uint32_t n_groups;
	size_t cap_groups;
};

static int64_t larger(const int64_t side[N_SIDES])
{
	return side[SIDE_TARGET] > side[SIDE_BASE] ? side[SIDE_TARGET] : side[SIDE_BASE];
}

static uint32_t add_box(struct folding *f, uint32_t parent, uint32_t place)
{
	struct boxes *b = f->b;
	uint32_t i = b->n++;

	if (b->n > f->cap) {
		size_t cap = f->cap * 2 + 64;

#define GROW(column) column = mem_grow(column, &(size_t){ f->cap }, cap, sizeof(*column))
		GROW(b->parent);
		GROW(b->place);
		GROW(b->n_rest);
		GROW(b->inlined);
		GROW(b->width);
		for (int side = 0; side < N_SIDES; side++) {
			GROW(b->self[side]);
			GROW(b->total[side]);
		}
#undef GROW
		f->cap = cap;
	}
	b->parent[i] = parent;
	b->place[i] = place;
	b->n_rest[i] = 0;
	b->inlined[i] = false;
	b->width[i] = 0;
	for (int side = 0; side < N_SIDES; side++)
		b->self[side][i] = b->total[side][i] = 0;
	return i;
}

/* Take the next frame of a stack. */
static void take_frame(const struct folding *f, struct item *it)
{
	const struct csr *stacks = &f->p->stacks;
	const uint32_t *place;
	uint32_t n;

	if (!f->ask->inverted) {
		if (it->sub == 0 && it->at == stacks->off[it->stack]) {
			it->key = BOXES_NONE;
			return;
		}
		it->at -= it->sub == 0;
		place = places_of(f->pl, stacks->item[it->at], &n);
		it->inlined = it->sub != 0;
		it->sub = it->sub ? it->sub - 1 : n - 1;
		it->key = place[it->sub];
		return;
	}
	if (it->at == stacks->off[it->stack + 1]) {
		it->key = BOXES_NONE;
		return;
	}
	place = places_of(f->pl, stacks->item[it->at], &n);
	it->inlined = it->sub + 1 < n;
	it->key = place[it->sub++];
	if (it->sub == n) {
		it->sub = 0;
		it->at++;
	}
}

static void count(struct folding *f, const struct item *it)
{
	struct group *g;

	if (f->slot[it->key] == BOXES_NONE) {
		f->group = mem_grow(f->group, &f->cap_groups, (size_t)f->n_groups + 1, sizeof(*f->group));
		f->slot[it->key] = f->n_groups;
		f->group[f->n_groups++] = (struct group){ .place = it->key, .inlined = true };
	}
	g = &f->group[f->slot[it->key]];
	g->n++;
	g->inlined &= it->inlined;
	for (int side = 0; side < N_SIDES; side++)
		g->total[side] += f->weight[side] ? f->weight[side][it->stack] : 0;
}

/* One box for the groups that are too narrow, when they are not together. */
static void add_rest(struct folding *f, uint32_t parent)
{
	struct boxes *b = f->b;
	int64_t total[N_SIDES] = { 0 }, width = 0;
	uint32_t n = 0, box;

	for (uint32_t i = 0; i < f->n_groups; i++) {
		const struct group *g = &f->group[i];

		if (g->box != BOXES_NONE)
			continue;
		n++;
		width += larger(g->total);
		for (int side = 0; side < N_SIDES; side++)
			total[side] += g->total[side];
	}
	if (n == 0)
		return;
	b->n_cut += n;
	b->cut_width += width;
	if (width < f->min) {
		b->width[parent] += width;
		return;
	}
	box = add_box(f, parent, BOXES_NONE);
	b->n_rest[box] = n;
	b->width[box] = width;
	for (int side = 0; side < N_SIDES; side++)
		b->total[side][box] = total[side];
}

/* Part the stacks of a box by their next frame: a box and a range of the next level for each. */
static void part(struct folding *f, const struct range *r, bool is_last, size_t *n_next)
{
	struct boxes *b = f->b;

	f->n_groups = 0;
	for (size_t i = r->lo; i < r->hi; i++) {
		struct item *it = &f->item[i];

		take_frame(f, it);
		if (it->key != BOXES_NONE)
			count(f, it);
		else
			for (int side = 0; side < N_SIDES; side++)
				b->self[side][r->box] += f->weight[side] ? f->weight[side][it->stack] : 0;
	}
	b->width[r->box] = larger((int64_t[]){ b->self[0][r->box], b->self[1][r->box] });
	for (uint32_t i = 0; i < f->n_groups; i++) {
		struct group *g = &f->group[i];

		g->box = BOXES_NONE;
		if (is_last || larger(g->total) < f->min)
			continue;
		g->box = add_box(f, r->box, g->place);
		b->inlined[g->box] = g->inlined;
		for (int side = 0; side < N_SIDES; side++)
			b->total[side][g->box] = g->total[side];
		f->next_range =
			mem_grow(f->next_range, &f->cap_next_ranges, f->n_next_ranges + 1, sizeof(*f->next_range));
		f->next_range[f->n_next_ranges++] = (struct range){ g->box, *n_next, *n_next + g->n };
		g->to = *n_next;
		*n_next += g->n;
	}
	add_rest(f, r->box);
	for (size_t i = r->lo; i < r->hi; i++) {
		const struct item *it = &f->item[i];

		if (it->key != BOXES_NONE && f->group[f->slot[it->key]].box != BOXES_NONE)
			f->next[f->group[f->slot[it->key]].to++] = *it;
	}
	for (uint32_t i = 0; i < f->n_groups; i++)
		f->slot[f->group[i].place] = BOXES_NONE;
}

static void part_level(struct folding *f, bool is_last)
{
	size_t n_next = 0, cap = f->cap_ranges;
	struct item *item = f->item;
	struct range *range = f->range;

	f->n_next_ranges = 0;
	for (size_t i = 0; i < f->n_ranges; i++)
		part(f, &f->range[i], is_last, &n_next);
	f->item = f->next;
	f->next = item;
	f->range = f->next_range;
	f->next_range = range;
	f->cap_ranges = f->cap_next_ranges;
	f->cap_next_ranges = cap;
	f->n_ranges = f->n_next_ranges;
}

/* Add up the rows of each stack. No sum overflows, which view_make has seen to. */
static void weigh(struct folding *f, const struct view *v)
{
	const int64_t *value = v->val[SIDE_TARGET];

	f->weight[SIDE_TARGET] = mem_zalloc(f->p->stacks.n, sizeof(*value));
	for (uint32_t row = 0; row < v->n; row++) {
		uint32_t stack = f->p->stack[row];

		if (value[row] < 0 && !f->weight[SIDE_BASE])
			f->weight[SIDE_BASE] = mem_zalloc(f->p->stacks.n, sizeof(*value));
		if (value[row] < 0)
			f->weight[SIDE_BASE][stack] -= value[row];
		else
			f->weight[SIDE_TARGET][stack] += value[row];
	}
	f->b->has_base = f->ask->two_sides || f->weight[SIDE_BASE];
}

static void plant(struct folding *f)
{
	const struct csr *stacks = &f->p->stacks;
	uint32_t root = add_box(f, BOXES_NONE, BOXES_NONE);
	size_t n = 0;

	f->item = mem_alloc(stacks->n, sizeof(*f->item));
	f->next = mem_alloc(stacks->n, sizeof(*f->next));
	for (uint32_t s = 0; s < stacks->n; s++) {
		int64_t before = f->weight[SIDE_BASE] ? f->weight[SIDE_BASE][s] : 0;

		if (!f->weight[SIDE_TARGET][s] && !before)
			continue;
		f->b->total[SIDE_TARGET][root] += f->weight[SIDE_TARGET][s];
		f->b->total[SIDE_BASE][root] += before;
		f->item[n++] = (struct item){ .stack = s, .at = stacks->off[f->ask->inverted ? s : s + 1] };
	}
	f->range = mem_grow(NULL, &f->cap_ranges, 1, sizeof(*f->range));
	f->range[0] = (struct range){ root, 0, n };
	f->n_ranges = 1;
	f->min = (int64_t)ceil(f->ask->min_share *
			       (double)larger((int64_t[]){ f->b->total[0][root], f->b->total[1][root] }));
	f->min = f->min < 1 ? 1 : f->min;
}

static void hand_over(struct folding *f, struct arena *mem)
{
	struct boxes *b = f->b;

	for (uint32_t i = b->n; i-- > 1;)
		b->width[b->parent[i]] += b->width[i];
	arena_own(mem, b->parent);
	arena_own(mem, b->place);
	arena_own(mem, b->n_rest);
	arena_own(mem, b->inlined);
	arena_own(mem, b->width);
	for (int side = 0; side < N_SIDES; side++) {
		arena_own(mem, b->self[side]);
		arena_own(mem, b->total[side]);
	}
	if (!b->has_base)
		b->self[SIDE_BASE] = b->total[SIDE_BASE] = NULL;
}

int boxes_make(const struct view *v, const struct places *pl, const struct boxes_ask *ask, struct arena *mem,
	       struct boxes *out, struct err *err)
{
	struct folding f = { .p = v->p, .pl = pl, .ask = ask, .b = out };

	if (v->mean)
		return err_set(err, ERR_USAGE, "-mean has no meaning for flame: averages do not add up");
	*out = (struct boxes){ .places = pl };
	f.slot = mem_alloc(pl->n, sizeof(*f.slot));
	memset(f.slot, 0xff, pl->n * sizeof(*f.slot));
	weigh(&f, v);
	plant(&f);
	for (uint32_t level = 1; f.n_ranges; level++)
		part_level(&f, level > ask->max_levels);
	hand_over(&f, mem);
	free(f.weight[SIDE_TARGET]);
	free(f.weight[SIDE_BASE]);
	free(f.item);
	free(f.next);
	free(f.range);
	free(f.next_range);
	free(f.slot);
	free(f.group);
	return 0;
}
