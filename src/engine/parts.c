/*
 * parts.c - split stacks by their next frame, level by level
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread has a contiguous share of the stacks, and its own lists, so threads write no shared data. Only their
 * counts per list are merged. Shares are consecutive and lists preserve the order of stacks, so the merged parts are in
 * the same order as with a single thread.
 */
#include "config.h"

#include "engine/parts.h"

#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define NOWHERE SIZE_MAX

enum {
	ITEMS_PER_THREAD = 20000, /* with fewer items, starting a thread takes longer than the work */
	AHEAD = 48,               /* prefetch distance, in stacks */
};

/* A stack and its position. A stack with values on both sides has two items. */
struct item {
	int64_t value;        /* a value below 0 belongs to the base */
	uint32_t at;          /* index of its next location in all stacks; from the root, index + 1 */
	uint32_t n_remaining; /* number of remaining locations */
	uint32_t n_read;      /* number of frames of the next location that were read already */
	uint32_t n_plain;     /* number of locations after the last frame to keep; NONE if there is no such frame */
};

/* The items of one thread in a part. */
struct parts_group {
	uint32_t place, n;
	uint32_t part; /* index of its part; before merging, of its list */
	bool inlined, has_kept;
	int64_t total[N_SIDES];
	size_t to; /* index of its next item in the next level, or NOWHERE */
};

struct parts_worker {
	struct item *item, *next; /* items of this level by list, and room for those of the next one */
	uint32_t *group_of;       /* [items] group of the frame that an item read last; NONE at the end of its stack */
	size_t *lo, *next_lo;     /* [lists + 1] the items of each list */
	size_t cap_lo, cap_next_lo, cap_self;
	int64_t (*self)[N_SIDES];
	struct parts_group *group; /* groups, by list */
	uint32_t n_groups, n_merged;
	size_t cap_groups;
	uint32_t *slot; /* [places] group of the current list, or NONE */
};

struct parts_work {
	struct stop *stop;
	const struct stack_lists *stacks;
	const struct places *pl;
	struct parts *ps;
	const struct parts_options *options; /* until the stacks are distributed */
	bool inverted;
	bool has_next; /* the items are still those of the level before */
	struct parts_worker *worker;
	unsigned n_workers;
	struct item *items; /* memory of the items of all workers */
	size_t n_lists;     /* of the level that the items are in */
	uint32_t *slot;     /* [places] part of the current list, or NONE */
	size_t cap_first, cap_part, cap_self;
};

/* Read the place of the next frame of a stack. */
static inline uint32_t read_frame(const struct places *pl, const struct stack_lists *stacks, bool inverted,
				  struct item *it, bool *inlined)
{
	uint32_t n, k;
	const uint32_t *place = places_of(pl, stack_id_at(stacks, it->at - !inverted), &n);

	k = inverted ? it->n_read : n - 1 - it->n_read;
	*inlined = k + 1 < n;
	if (++it->n_read == n) {
		it->n_read = 0;
		it->n_remaining--;
		it->at = inverted ? it->at + 1 : it->at - 1;
	}
	return place[k];
}

static uint32_t add_group(struct parts_worker *me, uint32_t place, uint32_t list)
{
	me->group = mem_grow(me->group, &me->cap_groups, (size_t)me->n_groups + 1, sizeof(*me->group));
	me->group[me->n_groups] = (struct parts_group){ .place = place, .part = list, .inlined = true };
	me->slot[place] = me->n_groups;
	return me->n_groups++;
}

/* Split a list of a worker by the next frame of its items. What the loop reads is copied, so that it stays in registers. */
static void split_list(const struct parts_work *w, struct parts_worker *me, uint32_t list)
{
	const struct places pl = *w->pl;
	const struct stack_lists stacks = *w->stacks;
	const bool inverted = w->inverted;
	struct item *item = me->item;
	size_t end = me->lo[list + 1], n = me->lo[w->ps->n];

	for (size_t i = me->lo[list]; i < end && !stop_step(w->stop, i); i++) {
		struct item *it = &item[i];
		enum side side = it->value < 0 ? SIDE_BASE : SIDE_NEW;
		int64_t v = it->value < 0 ? -it->value : it->value;
		bool inlined, has_kept = it->n_remaining > it->n_plain;
		struct parts_group *g;
		uint32_t place, group;

		if (i + AHEAD < n)
			__builtin_prefetch(stack_address(&stacks, item[i + AHEAD].at) - 4);
		if (it->n_remaining == 0) {
			me->group_of[i] = NONE;
			me->self[list][side] += v;
			continue;
		}
		place = read_frame(&pl, &stacks, inverted, it, &inlined);
		group = me->slot[place];
		if (group == NONE)
			group = add_group(me, place, list);
		me->group_of[i] = group;
		g = &me->group[group];
		g->n++;
		g->inlined &= inlined;
		g->has_kept |= has_kept;
		g->total[side] += v;
	}
}

/* Move the items of selected parts to the lists of the next level. */
static void move_items(const struct parts_work *w, struct parts_worker *me)
{
	const struct part *part = w->ps->part;
	size_t *lo = me->next_lo = mem_grow(me->next_lo, &me->cap_next_lo, w->ps->n + 1, sizeof(*me->next_lo));
	size_t n = me->lo[w->n_lists];
	struct item *next = me->next;

	memset(lo, 0, (w->ps->n + 1) * sizeof(*lo));
	for (uint32_t g = 0; g < me->n_groups; g++)
		if (part[me->group[g].part].is_selected)
			lo[part[me->group[g].part].list + 1] = me->group[g].n;
	for (size_t i = 0; i < w->ps->n; i++)
		lo[i + 1] += lo[i];
	for (uint32_t g = 0; g < me->n_groups; g++) {
		const struct part *p = &part[me->group[g].part];

		me->group[g].to = p->is_selected ? lo[p->list] : NOWHERE;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t g = me->group_of[i];

		if (g != NONE && me->group[g].to != NOWHERE)
			next[me->group[g].to++] = me->item[i];
	}
	assert(lo[w->ps->n] <= n);
	me->next = me->item;
	me->item = next;
	me->next_lo = me->lo;
	me->lo = lo;
	n = me->cap_lo;
	me->cap_lo = me->cap_next_lo;
	me->cap_next_lo = n;
}

static void split_run(void *arg, unsigned number)
{
	const struct parts_work *w = arg;
	struct parts_worker *me = &w->worker[number];
	size_t n = w->ps->n;

	assert(number < w->n_workers);
	if (w->has_next)
		move_items(w, me);
	me->n_groups = me->n_merged = 0;
	me->self = mem_grow(me->self, &me->cap_self, n, sizeof(*me->self));
	memset(me->self, 0, n * sizeof(*me->self));
	for (uint32_t list = 0; list < n && !stop_is_set(w->stop); list++) {
		uint32_t first = me->n_groups;

		split_list(w, me, list);
		for (uint32_t g = first; g < me->n_groups; g++)
			me->slot[me->group[g].place] = NONE;
	}
}

/* Merge the groups of a thread for a list into the n parts. Returns the new number of parts. */
static size_t merge_worker(struct parts *ps, struct parts_worker *me, uint32_t list, size_t n)
{
	struct parts_work *w = ps->work;

	for (int side = 0; side < N_SIDES; side++)
		ps->self[list][side] += me->self[list][side];
	for (; me->n_merged < me->n_groups && me->group[me->n_merged].part == list; me->n_merged++) {
		struct parts_group *g = &me->group[me->n_merged];
		struct part *part;

		if (w->slot[g->place] == NONE) {
			ps->part = mem_grow(ps->part, &w->cap_part, n + 1, sizeof(*ps->part));
			ps->part[n] = (struct part){ .place = g->place, .inlined = true };
			w->slot[g->place] = (uint32_t)n++;
		}
		g->part = w->slot[g->place];
		part = &ps->part[g->part];
		part->inlined &= g->inlined;
		part->has_kept |= g->has_kept;
		for (int side = 0; side < N_SIDES; side++)
			part->total[side] += g->total[side];
	}
	return n;
}

void parts_split(struct parts *ps)
{
	struct parts_work *w = ps->work;
	size_t n_items = 0;

	for (unsigned t = 0; t < w->n_workers; t++)
		n_items += w->worker[t].lo[w->n_lists];
	if (n_items >= ITEMS_PER_THREAD)
		pool_run(split_run, w, w->n_workers);
	else
		for (unsigned t = 0; t < w->n_workers; t++)
			split_run(w, t);
	w->has_next = false;
	w->n_lists = ps->n;
	ps->first = mem_grow(ps->first, &w->cap_first, ps->n + 1, sizeof(*ps->first));
	ps->self = mem_grow(ps->self, &w->cap_self, ps->n, sizeof(*ps->self));
	memset(ps->self, 0, ps->n * sizeof(*ps->self));
	ps->first[0] = 0;
	for (uint32_t list = 0; list < ps->n; list++) {
		size_t n = ps->first[list];

		for (unsigned t = 0; t < w->n_workers; t++)
			n = merge_worker(ps, &w->worker[t], list, n);
		assert(n >= ps->first[list]);
		ps->first[list + 1] = n;
		for (size_t i = ps->first[list]; i < n; i++)
			w->slot[ps->part[i].place] = NONE;
	}
}

void parts_next_level(struct parts *ps)
{
	size_t n = 0;

	for (size_t i = 0; i < ps->first[ps->n]; i++)
		if (ps->part[i].is_selected)
			ps->part[i].list = (uint32_t)n++;
	assert(n <= ps->first[ps->n]);
	ps->n = n;
	ps->work->has_next = true;
}

void parts_sum_stacks(const struct view *v, int64_t *weight[N_SIDES])
{
	const int64_t *value = v->val;
	uint32_t n = v->p->stacks.n;

	weight[SIDE_NEW] = mem_zalloc(n, sizeof(*value));
	weight[SIDE_BASE] = NULL;
	for (uint32_t row = 0; row < v->n; row++) {
		uint32_t stack = v->p->stack[row];

		if (value[row] < 0 && !weight[SIDE_BASE])
			weight[SIDE_BASE] = mem_zalloc(n, sizeof(*value));
		if (value[row] < 0)
			weight[SIDE_BASE][stack] -= value[row];
		else
			weight[SIDE_NEW][stack] += value[row];
	}
}

static uint32_t *empty_slots(const struct places *pl)
{
	uint32_t *slot = mem_alloc(pl->n, sizeof(*slot));

	memset(slot, 0xff, pl->n * sizeof(*slot));
	return slot;
}

/* Set up a worker with memory for two levels of n items, and an empty list. */
static void worker_init(struct parts_work *w, struct item *item, size_t n)
{
	struct parts_worker *me = &w->worker[w->n_workers++];

	me->item = item;
	me->next = item + n;
	me->group_of = mem_alloc(n, sizeof(*me->group_of));
	me->lo = mem_grow(NULL, &me->cap_lo, 2, sizeof(*me->lo));
	me->lo[0] = me->lo[1] = 0;
	me->slot = empty_slots(w->pl);
}

/* Move an item from the end of a stack to its outermost frame of the pivot. Returns false if there is none. */
static bool find_pivot(const struct parts_work *w, uint32_t s, struct item *it)
{
	uint32_t first = w->stacks->off[s], n;

	for (uint32_t at = w->stacks->off[s + 1]; at-- > first;) {
		const uint32_t *place = places_of(w->pl, stack_id_at(w->stacks, at), &n);

		for (uint32_t k = n; k-- > 0;) {
			if (!w->options->pivot[place[k]])
				continue;
			it->at = at + 1;
			it->n_remaining = at + 1 - first;
			it->n_read = n - 1 - k;
			if (w->options->of == PARTS_OF_CALLEES)
				return true;
			it->n_read = k + 1 < n ? k + 1 : 0;
			it->at = k + 1 < n ? at : at + 1;
			it->n_remaining = w->stacks->off[s + 1] - it->at;
			return true;
		}
	}
	return false;
}

/* The number of locations of a stack after its last frame to keep, in the order of reading; NONE without one. */
static uint32_t count_plain(const struct parts_work *w, uint32_t s)
{
	uint32_t first = w->stacks->off[s], n_locs = w->stacks->off[s + 1] - first, n;

	for (uint32_t i = 0; w->options->keep && i < n_locs; i++) {
		uint32_t loc = stack_id_at(w->stacks, first + (w->inverted ? n_locs - 1 - i : i));
		const uint32_t *place = places_of(w->pl, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			if (w->options->keep[place[k]])
				return i;
	}
	return NONE;
}

/* The start of a stack. Returns false if the stack is left out. */
static bool start_item(const struct parts_work *w, uint32_t s, struct item *it)
{
	*it = (struct item){ .at = w->stacks->off[w->inverted ? s : s + 1],
			     .n_remaining = w->stacks->off[s + 1] - w->stacks->off[s],
			     .n_plain = count_plain(w, s) };
	return w->options->of == PARTS_OF_STACK || find_pivot(w, s, it);
}

/* Distribute the stacks that have a value to workers. */
static void parts_distribute(struct parts_work *w, int64_t *weight[N_SIDES])
{
	size_t n = 0, share, wish;
	struct parts_worker *me;

	for (uint32_t s = 0; s < w->stacks->n; s++)
		n += (weight[SIDE_NEW][s] != 0) + (weight[SIDE_BASE] && weight[SIDE_BASE][s]);
	assert(weight[SIDE_NEW]);
	wish = n / ITEMS_PER_THREAD + 1;
	wish = wish < pool_size() ? wish : pool_size();
	share = n / wish + 1;
	w->worker = me = mem_zalloc(wish, sizeof(*w->worker));
	w->items = mem_alloc_large(2 * wish * share, sizeof(*w->items));
	while (w->n_workers < wish)
		worker_init(w, w->items + 2 * w->n_workers * share, share);
	for (uint32_t s = 0; s < w->stacks->n; s++) {
		struct item it;

		if (!weight[SIDE_NEW][s] && !(weight[SIDE_BASE] && weight[SIDE_BASE][s]))
			continue;
		if (!start_item(w, s, &it))
			continue;
		for (int side = 0; side < N_SIDES; side++) {
			int64_t value = weight[side] ? weight[side][s] : 0;

			if (value == 0)
				continue;
			me += me->lo[1] == share;
			w->ps->total[side] += value;
			it.value = side == SIDE_BASE ? -value : value;
			me->item[me->lo[1]++] = it;
		}
	}
}

void parts_start(struct parts *ps, const struct view *v, const struct places *pl, const struct parts_options *options)
{
	struct parts_work *w = mem_zalloc(1, sizeof(*w));
	int64_t *weight[N_SIDES];

	assert(v->val && pl->p->n_locs == v->p->n_locs);
	assert(options->of == PARTS_OF_STACK ||
	       (options->pivot && options->inverted == (options->of == PARTS_OF_CALLERS)));
	stop_begin(v->stop, "folding stacks", 0);
	*ps = (struct parts){ .n = 1, .work = w };
	*w = (struct parts_work){ .stop = v->stop, .stacks = &v->p->stacks, .pl = pl, .ps = ps };
	w->options = options;
	w->n_lists = 1;
	w->inverted = options->inverted;
	w->slot = empty_slots(pl);
	parts_sum_stacks(v, weight);
	ps->has_base = weight[SIDE_BASE] != NULL;
	parts_distribute(w, weight);
	free(weight[SIDE_NEW]);
	free(weight[SIDE_BASE]);
}

void parts_release(struct parts *ps)
{
	struct parts_work *w = ps->work;

	for (unsigned t = 0; t < w->n_workers; t++) {
		struct parts_worker *me = &w->worker[t];

		free(me->group_of);
		free(me->lo);
		free(me->next_lo);
		free(me->self);
		free(me->group);
		free(me->slot);
	}
	free(w->worker);
	free(w->items);
	free(w->slot);
	free(w);
	free(ps->first);
	free(ps->part);
	free(ps->self);
}
