/*
 * layout.c - places and colours of the boxes of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tree is walked breadth first; the list of tiles serves as the queue.
 */
#include "config.h"

#include "base/mem.h"
#include "base/strtab.h"
#include "viewers/flame/flame_int.h"

#include <stdlib.h>
#include <string.h>

/* A child of a box; the children of one box are adjacent in the array. */
struct child {
	int64_t weight; /* sort key: the child with the largest weight is first; -1 for the rest box, which is last */
	uint32_t rank;  /* rank in the order of names */
	uint32_t box;
};

struct placer {
	const struct flame *f;
	struct child *child;
	uint32_t *first; /* [boxes + 1] first child of each box */
};

static int flame_layout_compare_frames(const void *a, const void *b, void *arg)
{
	const struct flame_frame *frames = arg, *x = &frames[*(const uint32_t *)a], *y = &frames[*(const uint32_t *)b];
	int rc = strcmp(x->name, y->name);

	if (!rc)
		rc = strcmp(x->file, y->file);
	if (!rc)
		rc = strcmp(x->module, y->module);
	if (!rc)
		rc = (x->line_lo > y->line_lo) - (x->line_lo < y->line_lo);
	return rc ? rc : (x > y) - (x < y);
}

/* Compute the rank of each frame in the order of names. */
static uint32_t *rank_frames(const struct flame *f)
{
	uint32_t *order = mem_alloc(f->n_frames, sizeof(*order)), *rank = mem_alloc(f->n_frames, sizeof(*rank));

	for (uint32_t i = 0; i < f->n_frames; i++)
		order[i] = i;
	qsort_r(order, f->n_frames, sizeof(*order), flame_layout_compare_frames, (void *)f->frames);
	for (uint32_t i = 0; i < f->n_frames; i++)
		rank[order[i]] = i;
	free(order);
	return rank;
}

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->box > y->box) - (x->box < y->box);
}

static void flame_layout_find_children(struct placer *p, const uint32_t *rank, enum flame_order order)
{
	const struct flame *f = p->f;
	uint32_t *at; /* [boxes] the place of the next child of each box; in the end the first child of the next box */

	p->child = mem_alloc(f->n, sizeof(*p->child));
	p->first = mem_zalloc((size_t)f->n + 2, sizeof(*p->first));
	at = p->first + 1;
	for (uint32_t i = 1; i < f->n; i++)
		at[f->parent[i] + 1]++;
	for (uint32_t i = 0; i < f->n; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 1; i < f->n; i++) {
		bool is_rest = f->frame[i] == FLAME_NONE;

		p->child[at[f->parent[i]]++] = (struct child){ .box = i,
							       .weight = is_rest                    ? -1
									 : order == FLAME_BY_WEIGHT ? f->width[i]
												    : 0,
							       .rank = is_rest ? 0 : rank[f->frame[i]] };
	}
	for (uint32_t i = 0; i < f->n; i++)
		if (p->first[i + 1] - p->first[i] > 1)
			qsort(p->child + p->first[i], p->first[i + 1] - p->first[i], sizeof(*p->child),
			      compare_children);
}

/* Children fill their parent from the left; the space that remains is the parent's flat value. */
static void place_tiles(const struct placer *p, struct flame_layout *out)
{
	uint32_t n = 1;

	out->tile[0] = (struct flame_tile){ .width = p->f->width[0] };
	for (uint32_t i = 0; i < n; i++) {
		const struct flame_tile *t = &out->tile[i];
		int64_t x = t->x;

		for (uint32_t c = p->first[t->box]; c < p->first[t->box + 1]; c++) {
			uint32_t box = p->child[c].box;

			out->tile[n++] = (struct flame_tile){
				.box = box, .level = t->level + 1, .x = x, .width = p->f->width[box]
			};
			x += p->f->width[box];
		}
	}
	out->n_levels = out->tile[n - 1].level + 1;
}

static void color_tiles(const struct flame *f, const struct flame_style *style, struct arena *mem,
			struct flame_layout *out)
{
	const uint8_t *colors = NULL;
	struct groups groups;

	if (!f->has_base && style->color_by == FLAME_HEAT) {
		colors = heat_colors(f, mem);
	} else if (!f->has_base) {
		groups_make(f, style->color_by, mem, &groups);
		colors = groups.color;
	}
	for (uint32_t i = 0; i < out->n; i++) {
		struct flame_tile *t = &out->tile[i];

		if (f->has_base)
			t->sign = change_sign(f, t->box, style->diff_self);
		if (f->has_base && !f->n_rest[t->box])
			t->color = change_color(f, t->box, style->diff_self);
		else
			t->color = f->frame[t->box] == FLAME_NONE ? COLOR_NEUTRAL : colors[f->frame[t->box]];
	}
}

/* The colours of frames on the heat scale of whole, found by name; the coldest for frames that are omitted in whole. */
static const uint8_t *heat_colors_like(const struct flame *whole, const struct flame *f, struct arena *mem)
{
	const uint8_t *heat = heat_colors(whole, mem);
	uint8_t *out = arena_alloc(mem, f->n_frames, sizeof(*out)), *by_name;
	struct strtab *names = strtab_new();

	by_name = arena_alloc(mem, (size_t)whole->n_frames + 1, sizeof(*by_name));
	for (uint32_t i = 0; i < whole->n_frames; i++)
		by_name[strtab_add(names, whole->frames[i].name, strlen(whole->frames[i].name))] = heat[i];
	for (uint32_t i = 0; i < f->n_frames; i++) {
		str_id id;

		out[i] = strtab_find(names, f->frames[i].name, strlen(f->frames[i].name), &id) ? by_name[id]
											       : COLOR_HEAT;
	}
	strtab_free(names);
	return out;
}

void flame_color_like(const struct flame *whole, const struct flame_style *style, const struct flame *f,
		      struct flame_layout *layout)
{
	struct arena *mem = arena_new();
	const uint8_t *colors = NULL;
	struct groups groups;

	if (!f->has_base && style->color_by == FLAME_HEAT) {
		colors = heat_colors_like(whole, f, mem);
	} else if (!f->has_base) {
		groups_make(whole, style->color_by, mem, &groups);
		colors = groups_color_like(&groups, f, style->color_by, mem);
	}
	for (uint32_t i = 0; colors && i < layout->n; i++)
		if (f->frame[layout->tile[i].box] != FLAME_NONE)
			layout->tile[i].color = colors[f->frame[layout->tile[i].box]];
	arena_free(mem);
}

void flame_lay_out(const struct flame *f, const struct flame_style *style, struct arena *mem, struct flame_layout *out)
{
	struct flame_layout l = { .n = f->n, .span = f->width[0], .tile = arena_alloc(mem, f->n, sizeof(*l.tile)) };
	uint32_t *rank = rank_frames(f);
	struct placer p = { .f = f };

	flame_layout_find_children(&p, rank, style->order);
	place_tiles(&p, &l);
	color_tiles(f, style, mem, &l);
	free(rank);
	free(p.child);
	free(p.first);
	*out = l;
}
