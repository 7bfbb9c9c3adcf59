/*
 * grand_calls.c - the callers of the callers of places, and the callees of their callees
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each stack that contains a wanted place becomes a path: its kept places from the root on, with equal neighbours as
 * one, as in graph_edges. Pairs are the keys of one table, pairs with their far end those of another. The table of
 * pairs stores the last stack that counted each.
 */
#include "config.h"

#include "engine/grand_calls.h"

#include "base/mem.h"
#include "profile/keys.h"

#include <stdlib.h>

/* A kept place on a stack. */
struct grand_step {
	uint32_t place;
	bool inlined; /* inlined into the step before it */
};

struct grand_walk {
	const struct graph *g;
	const bool *keep, *wanted;
	bool *is_wanted_loc; /* [n_locs] has the location a wanted place? */
	struct grand_step *step;
	size_t n_steps, cap_steps;
	struct keys pairs; /* place and near; is_callee */
	uint32_t *seen;    /* [pairs.n] last stack that counted the pair, + 1 */
	size_t cap_seen;
	struct keys ends;        /* id of the pair; far */
	struct grand_call *call; /* [ends.n] */
	size_t cap_calls;
};

/* Make the path of a stack. */
static void grand_path(struct grand_walk *w, uint32_t stack)
{
	const struct stack_lists *stacks = &w->g->view->p->stacks;

	w->n_steps = 0;
	for (uint32_t i = stacks->off[stack + 1]; i-- > stacks->off[stack];) {
		bool inlined = false;
		uint32_t n;
		const uint32_t *place = places_of(w->g->nodes.places, stack_id_at(stacks, i), &n);

		for (uint32_t k = n; k-- > 0; inlined = true) {
			if (!w->keep[place[k]] || (w->n_steps && w->step[w->n_steps - 1].place == place[k]))
				continue;
			w->step = mem_grow(w->step, &w->cap_steps, w->n_steps + 1, sizeof(*w->step));
			w->step[w->n_steps++] = (struct grand_step){ place[k], inlined };
		}
	}
}

/* Count the call at step i of the path with its far end, unless the stack has counted the pair. */
static int grand_count(struct grand_walk *w, uint32_t stack, size_t i, bool is_callee, struct err *err)
{
	size_t near = is_callee ? i + 1 : i - 1, far = is_callee ? i + 2 : i - 2; /* SIZE_MAX before the root */
	uint32_t far_place = far < w->n_steps ? w->step[far].place : GRAND_CALL_NONE, known = w->pairs.n, pair, id;
	bool inlined = far < w->n_steps && w->step[is_callee ? far : near].inlined;
	uint64_t key[2] = { (uint64_t)w->step[i].place << 32 | w->step[near].place, is_callee };
	struct grand_call *call;

	if (keys_add(&w->pairs, key, 2, keys_hash(key, 2), &pair, err) < 0)
		return err->code;
	w->seen = mem_grow(w->seen, &w->cap_seen, w->pairs.n, sizeof(*w->seen));
	if (pair < known && w->seen[pair] == stack + 1)
		return 0;
	w->seen[pair] = stack + 1;
	key[0] = pair;
	key[1] = far_place;
	known = w->ends.n;
	if (keys_add(&w->ends, key, 2, keys_hash(key, 2), &id, err) < 0)
		return err->code;
	w->call = mem_grow(w->call, &w->cap_calls, w->ends.n, sizeof(*w->call));
	call = &w->call[id];
	if (id == known)
		*call = (struct grand_call){ w->step[i].place, w->step[near].place, far_place, is_callee, 0, true };
	call->weight += w->g->weight[stack];
	call->inlined &= inlined;
	return 0;
}

static int grand_walk_stack(struct grand_walk *w, uint32_t stack, struct err *err)
{
	const struct stack_lists *stacks = &w->g->view->p->stacks;
	uint32_t at = stacks->off[stack], end = stacks->off[stack + 1];
	int rc = 0;

	while (at < end && !w->is_wanted_loc[stack_id_at(stacks, at)])
		at++;
	if (at == end)
		return 0;
	grand_path(w, stack);
	for (size_t i = 0; i < w->n_steps && rc == 0; i++) {
		if (!w->wanted[w->step[i].place])
			continue;
		if (i > 0)
			rc = grand_count(w, stack, i, false, err);
		if (rc == 0 && i + 1 < w->n_steps)
			rc = grand_count(w, stack, i, true, err);
	}
	return rc;
}

static int grand_compare_pair(const struct grand_call *l, const struct grand_call *r)
{
	if (l->place != r->place)
		return l->place < r->place ? -1 : 1;
	if (l->is_callee != r->is_callee)
		return l->is_callee - r->is_callee;
	return l->near < r->near ? -1 : l->near > r->near;
}

static int grand_compare(const void *a, const void *b)
{
	const struct grand_call *l = a, *r = b;
	int c = grand_compare_pair(l, r);

	return c ? c : l->far < r->far ? -1 : l->far > r->far;
}

static void grand_mark_locations(struct grand_walk *w)
{
	for (uint32_t loc = 0; loc < w->g->view->p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(w->g->nodes.places, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			w->is_wanted_loc[loc] |= w->wanted[place[k]] && w->keep[place[k]];
	}
}

int grand_calls_make(const struct graph *g, const bool *keep, const bool *wanted, struct arena *mem,
		     struct grand_calls *out, struct err *err)
{
	struct grand_walk w = { .g = g, .keep = keep, .wanted = wanted };
	struct stop *stop = g->view->stop;
	int rc = 0;

	w.is_wanted_loc = mem_zalloc(g->view->p->n_locs, sizeof(*w.is_wanted_loc));
	keys_init(&w.pairs, 2, 0);
	keys_init(&w.ends, 2, 0);
	grand_mark_locations(&w);
	for (uint32_t s = 0; s < g->view->p->stacks.n && rc == 0 && !stop_step(stop, s); s++)
		if (graph_is_live(g, s))
			rc = grand_walk_stack(&w, s, err);
	if (rc == 0) {
		*out = (struct grand_calls){ w.ends.n, arena_alloc(mem, w.ends.n, sizeof(*out->call)) };
		for (size_t i = 0; i < out->n; i++)
			out->call[i] = w.call[i];
		if (out->n && !stop_is_set(stop))
			qsort(out->call, out->n, sizeof(*out->call), grand_compare);
	}
	keys_release(&w.pairs);
	keys_release(&w.ends);
	free(w.is_wanted_loc);
	free(w.step);
	free(w.seen);
	free(w.call);
	return rc;
}

size_t grand_calls_find(const struct grand_calls *c, uint32_t place, uint32_t near, bool is_callee, size_t *n)
{
	const struct grand_call wanted = { .place = place, .near = near, .is_callee = is_callee };
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (grand_compare_pair(&c->call[middle], &wanted) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	for (*n = 0; lo + *n < c->n && grand_compare_pair(&c->call[lo + *n], &wanted) == 0;)
		++*n;
	return lo;
}
