/*
 * layout.c - where the boxes of a flame graph lie
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "viewers/flame/flame.h"

#include <stdlib.h>
#include <string.h>

/* A box on its way to its place. */
struct sibling {
	uint32_t box, parent;
	uint32_t level;
	int64_t width;
	const char *name;
	bool is_rest;
};

static int compare_siblings(const void *a, const void *b, void *arg)
{
	const struct sibling *x = a, *y = b;
	const struct flame_style *style = arg;
	int rc;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->is_rest != y->is_rest)
		return x->is_rest ? 1 : -1;
	if (style->order == FLAME_BY_WEIGHT && x->width != y->width)
		return x->width > y->width ? -1 : 1;
	rc = strcmp(x->name, y->name);
	return rc ? rc : (x->box > y->box) - (x->box < y->box);
}

void flame_lay_out(const struct flame *f, const struct flame_style *style, struct arena *mem, struct flame_layout *out)
{
	struct sibling *s = mem_alloc(f->n, sizeof(*s));
	uint32_t *level = mem_alloc(f->n, sizeof(*level));
	int64_t *used = mem_zalloc(f->n, sizeof(*used)), *at = mem_zalloc(f->n, sizeof(*at));
	struct flame_layout l = { .n = f->n, .span = f->width[0], .tile = arena_alloc(mem, f->n, sizeof(*l.tile)) };

	for (uint32_t i = 0; i < f->n; i++) {
		level[i] = f->parent[i] == FLAME_NONE ? 0 : level[f->parent[i]] + 1;
		l.n_levels = level[i] + 1 > l.n_levels ? level[i] + 1 : l.n_levels;
		s[i] = (struct sibling){ .box = i,
					 .parent = f->parent[i],
					 .level = level[i],
					 .width = f->width[i],
					 .is_rest = f->n_rest[i] != 0,
					 .name = f->frame[i] == FLAME_NONE ? "" : f->frames[f->frame[i]].name };
	}
	qsort_r(s, f->n, sizeof(*s), compare_siblings, (void *)style);
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t box = s[i].box;
		struct flame_tile *t = &l.tile[i];

		*t = (struct flame_tile){ .box = box, .level = s[i].level, .width = f->width[box] };
		if (f->parent[box] != FLAME_NONE) {
			t->x = at[f->parent[box]] + used[f->parent[box]];
			used[f->parent[box]] += t->width;
		}
		at[box] = t->x;
		t->color = (uint8_t)(s[i].name[0] % FLAME_COLORS);
	}
	free(s);
	free(level);
	free(used);
	free(at);
	*out = l;
}
