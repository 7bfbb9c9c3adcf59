/*
 * functions.c - sums of boxes by function
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "viewers/flame/flame.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Linked lists of the callees of each box. */
struct callees {
	uint32_t *first, *next; /* [n] FLAME_NONE at the end */
};

static struct callees link_callees(const struct flame *f)
{
	struct callees c = { mem_alloc(f->n, sizeof(*c.first)), mem_alloc(f->n, sizeof(*c.next)) };

	memset(c.first, 0xff, f->n * sizeof(*c.first));
	memset(c.next, 0xff, f->n * sizeof(*c.next));
	for (uint32_t i = f->n; i-- > 1;) {
		c.next[i] = c.first[f->parent[i]];
		c.first[f->parent[i]] = i;
	}
	return c;
}

/* Does a box have a flat value? In an inverted picture only labels can be between it and the root. */
static bool has_flat(const struct flame *f, uint32_t box)
{
	uint32_t up = f->parent[box];

	if (!f->inverted)
		return true;
	while (up != FLAME_NONE && f->frame[up] != FLAME_NONE && f->frames[f->frame[up]].is_label)
		up = f->parent[up];
	return up == 0;
}

static void functions_add_box(const struct flame *f, uint32_t box, bool is_outermost, struct flame_function *to)
{
	if (!to->width || f->width[box] > f->width[to->box])
		to->box = box;
	if (is_outermost)
		to->width += f->width[box];
	for (int side = 0; side < N_SIDES; side++) {
		const int64_t *flat = f->inverted ? f->total[side] : f->self[side];

		if (!f->total[side] || f->flat[side]) /* see use_stack_sums */
			continue;
		if (is_outermost)
			to->cum[side] += f->total[side][box];
		if (has_flat(f, box))
			to->flat[side] += flat[box];
	}
}

/* Visit all boxes depth first; depth counts the open boxes of each function, to find recursion. */
static void functions_add_boxes(const struct flame *f, const struct callees *c, struct flame_function *to)
{
	uint32_t *depth = mem_zalloc(f->n_frames, sizeof(*depth)), box = 0;
	bool is_down = true;

	while (box != FLAME_NONE) {
		uint32_t frame = f->frame[box];

		if (is_down) {
			if (frame != FLAME_NONE)
				functions_add_box(f, box, depth[frame]++ == 0, &to[frame]);
			if (c->first[box] != FLAME_NONE) {
				box = c->first[box];
				continue;
			}
		}
		if (frame != FLAME_NONE)
			depth[frame]--;
		is_down = c->next[box] != FLAME_NONE;
		box = is_down ? c->next[box] : f->parent[box];
	}
	free(depth);
}

/* Prefer the sums over all stacks, which the report has when boxes are left out. */
static void use_stack_sums(const struct flame *f, struct flame_function *list)
{
	for (int side = 0; side < N_SIDES; side++) {
		for (uint32_t i = 0; f->flat[side] && i < f->n_frames; i++) {
			list[i].flat[side] = f->flat[side][i];
			list[i].cum[side] = f->cum[side][i];
			if (list[i].width < f->cum[side][i])
				list[i].width = f->cum[side][i];
		}
	}
}

/* The absolute difference of the sums of both sides. */
static int64_t functions_change(const int64_t sum[N_SIDES])
{
	int64_t d = sum[SIDE_NEW] - sum[SIDE_BASE]; /* this cannot overflow, since sums are not negative */

	return d < 0 ? -d : d;
}

static int functions_compare(const void *a, const void *b, void *arg)
{
	const struct flame_function *x = a, *y = b;
	const struct flame *f = arg;
	int rc;

	if (f->has_base && functions_change(x->cum) != functions_change(y->cum))
		return functions_change(x->cum) > functions_change(y->cum) ? -1 : 1;
	if (x->width != y->width)
		return x->width > y->width ? -1 : 1;
	rc = strcmp(f->frames[f->frame[x->box]].name, f->frames[f->frame[y->box]].name);
	return rc ? rc : (x->box > y->box) - (x->box < y->box);
}

size_t flame_functions(const struct flame *f, struct arena *mem, struct flame_function **out)
{
	struct flame_function *list = arena_zalloc(mem, f->n_frames + 1, sizeof(*list));
	struct callees c = link_callees(f);
	size_t n = 0;

	functions_add_boxes(f, &c, list);
	free(c.first);
	free(c.next);
	use_stack_sums(f, list);
	for (uint32_t i = 0; i < f->n_frames; i++)
		if (list[i].width && list[i].box) /* functions without a box are not in the picture */
			list[n++] = list[i];
	qsort_r(list, n, sizeof(*list), functions_compare, (void *)f);
	*out = list;
	return n;
}
