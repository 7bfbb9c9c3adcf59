/*
 * edges_forest.c - the calls between kept nodes, of a profile with a forest
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A call counts once per sample, where it occurs first on the path from the root: that decides whether it is inlined. It is
 * counted when that node is left, with the sum of the node.
 */
#include "config.h"

#include "base/mem.h"
#include "engine/edges_int.h"
#include "engine/forest_walk.h"

#include <stdlib.h>

/* The calls of a thread. */
struct edges_forest {
	const struct edge_walk *w;
	struct edge_part *part;
	uint32_t *n_path; /* [calls] times that each occurs on the path */
	size_t n_calls, cap_calls;
	uint32_t *call; /* [wanted nodes of the path] the call into each, + 1; 0: none */
	bool *is_cut;   /* [the same] places before it were removed */
	size_t n, cap, cap_cut;
};

/* Count a call on the path. Returns its id. */
static uint32_t edges_forest_push(struct edges_forest *f, uint32_t *hint, uint32_t src, uint32_t dst)
{
	hinted_call(&f->part->calls, hint, src, dst);
	if (*hint > f->n_calls) {
		f->n_path = mem_grow(f->n_path, &f->cap_calls, *hint, sizeof(*f->n_path));
		while (f->n_calls < *hint)
			f->n_path[f->n_calls++] = 0;
	}
	f->n_path[*hint - 1]++;
	return *hint;
}

/* Remove a call from the path, and add the sum if it was the first. call: its id + 1 */
static void edges_forest_pop(struct edges_forest *f, uint32_t call, int64_t sum, int64_t div, bool residual,
			     bool inlined)
{
	const struct share share = { 0, sum, div };

	if (--f->n_path[call - 1] > 0 || (!sum && !div))
		return;
	f->part->calls.call[call - 1].seen = 0;
	count_call(&f->part->calls.call[call - 1], &share, residual, inlined);
}

/* Is the call into a location wanted? No node is settled during the walk. */
static inline bool edges_forest_wants_outer(const struct edge_walk *w, const struct spot *spot)
{
	return w->both || (spot->outer_wanted && !is_settled(w, spot->outer));
}

/* The innermost kept place of the nearest caller that has one; NO_NODE without one. is_cut: places after it were
   removed */
static inline uint32_t edges_forest_find_caller(const struct spots *spots, const uint32_t *path, uint32_t depth,
						bool *is_cut)
{
	*is_cut = false;
	while (depth-- > 0) {
		const struct spot *spot = spot_at(spots, path[depth]);

		*is_cut |= !spot || spot->inner_cut;
		if (spot)
			return spot->inner;
	}
	return NO_NODE;
}

static inline bool edges_forest_wants(const void *arg, const uint32_t *path, uint32_t depth)
{
	const struct edges_forest *f = arg;
	uint8_t mark = f->w->spots.mark[path[depth]];

	return f->w->both ? mark : mark & LOC_WANTED;
}

static inline void edges_forest_enter(void *arg, const uint32_t *path, uint32_t depth)
{
	struct edges_forest *f = arg;
	const struct edge_walk *w = f->w;
	const struct inner_call *inner = w->spots.inner_call;
	uint32_t at = w->spots.of[path[depth]], call = 0, caller;
	const struct spot *spot = &w->spots.spot[at];
	bool is_cut = false;

	if (edges_forest_wants_outer(w, spot)) {
		caller = edges_forest_find_caller(&w->spots, path, depth, &is_cut);
		if (is_counted(w, caller, spot))
			call = edges_forest_push(f, &f->part->of_spot[at], caller, spot->outer);
	}
	f->call = mem_grow(f->call, &f->cap, f->n + 1, sizeof(*f->call));
	f->is_cut = mem_grow(f->is_cut, &f->cap_cut, f->n + 1, sizeof(*f->is_cut));
	f->call[f->n] = call;
	f->is_cut[f->n++] = is_cut;
	for (uint32_t i = spot->first; i < spot->first + spot->n; i++)
		if (!is_settled(w, inner[i].dst))
			edges_forest_push(f, &f->part->of_inner_call[i], inner[i].src, inner[i].dst);
}

/* In the reverse order of edges_forest_enter, so that the first of equal calls of a location is removed last. */
static inline void edges_forest_leave(void *arg, const uint32_t *path, uint32_t depth, int64_t sum, int64_t div)
{
	struct edges_forest *f = arg;
	const struct spots *spots = &f->w->spots;
	const struct spot *spot = &spots->spot[spots->of[path[depth]]];

	for (uint32_t i = spot->first + spot->n; i-- > spot->first;)
		if (!is_settled(f->w, spots->inner_call[i].dst))
			edges_forest_pop(f, f->part->of_inner_call[i], sum, div, spots->inner_call[i].residual, true);
	if (f->call[--f->n])
		edges_forest_pop(f, f->call[f->n], sum, div, f->is_cut[f->n] || spot->outer_cut, spot->outer_cut);
}

static void edges_forest_tree(const struct view *v, const struct forest_tree *t, void *arg)
{
	static const struct forest_walk walk = { edges_forest_wants, edges_forest_enter, edges_forest_leave };

	walk_tree(v, t, &walk, arg);
}

void edges_forest_run(struct edge_walk *w)
{
	struct edges_forest *f = mem_zalloc(w->parts, sizeof(*f));
	void **arg = mem_alloc(w->parts, sizeof(*arg));

	for (unsigned i = 0; i < w->parts; i++) {
		f[i].w = w;
		f[i].part = &w->part[i];
		arg[i] = &f[i];
	}
	walk_forest(w->g->view, edges_forest_tree, arg, w->parts);
	for (unsigned i = 0; i < w->parts; i++) {
		free(f[i].n_path);
		free(f[i].call);
		free(f[i].is_cut);
	}
	free(f);
	free(arg);
}
