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
	struct edges_frame {
		uint32_t call;   /* the call into the location, + 1; 0: none */
		uint32_t caller; /* innermost kept place, here or nearer to the root; NO_NODE without one */
		bool residual;   /* places after it were removed */
	} * frame;               /* by depth */
	size_t cap_frames;
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

static void edges_forest_enter(void *arg, const uint32_t *path, uint32_t depth)
{
	struct edges_forest *f = arg;
	const struct edge_walk *w = f->w;
	struct edges_frame root = { .caller = NO_NODE }, *outside, *own;
	const struct spot *spot;
	uint32_t at = w->spots.of[path[depth]];

	f->frame = mem_grow(f->frame, &f->cap_frames, (size_t)depth + 1, sizeof(*f->frame));
	own = &f->frame[depth];
	outside = depth ? own - 1 : &root;
	*own = (struct edges_frame){ 0, outside->caller, true };
	if (!w->spots.mark[path[depth]])
		return;
	spot = &w->spots.spot[at];
	own->caller = spot->inner;
	own->residual = spot->inner_cut;
	if ((w->both || spot->outer_wanted) && is_counted(w, outside->caller, spot))
		own->call = edges_forest_push(f, &f->part->of_spot[at], outside->caller, spot->outer);
	for (uint32_t i = spot->first; i < spot->first + spot->n; i++)
		edges_forest_push(f, &f->part->of_inner_call[i], w->spots.inner_call[i].src,
				  w->spots.inner_call[i].dst);
}

/* In the reverse order of edges_forest_enter, so that the first of equal calls of a location is removed last. */
static void edges_forest_leave(void *arg, const uint32_t *path, uint32_t depth, int64_t sum, int64_t div)
{
	struct edges_forest *f = arg;
	const struct spots *spots = &f->w->spots;
	const struct spot *spot = &spots->spot[spots->of[path[depth]]];

	if (!spots->mark[path[depth]])
		return;
	for (uint32_t i = spot->first + spot->n; i-- > spot->first;)
		edges_forest_pop(f, f->part->of_inner_call[i], sum, div, spots->inner_call[i].residual, true);
	if (f->frame[depth].call)
		edges_forest_pop(f, f->frame[depth].call, sum, div, f->frame[depth - 1].residual || spot->outer_cut,
				 spot->outer_cut);
}

void edges_forest_run(struct edge_walk *w)
{
	static const struct forest_walk walk = { edges_forest_enter, edges_forest_leave };
	struct edges_forest *f = mem_zalloc(w->parts, sizeof(*f));
	void **arg = mem_alloc(w->parts, sizeof(*arg));

	for (unsigned i = 0; i < w->parts; i++) {
		f[i].w = w;
		f[i].part = &w->part[i];
		arg[i] = &f[i];
	}
	walk_forest(w->g->view, &walk, arg, w->parts);
	for (unsigned i = 0; i < w->parts; i++) {
		free(f[i].n_path);
		free(f[i].frame);
	}
	free(f);
	free(arg);
}
