/*
 * color.c - the colours of functions: by group, or by flat value
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The colour of a group comes from a hash of its name, so that it is the same in all pictures. Each of the largest
 * groups has its own colour, because the legend must distinguish them: if a larger group already has the colour, the
 * next free one is used. All other groups share one colour.
 */
#include "config.h"

#include "base/path.h"
#include "base/str.h"
#include "base/strtab.h"
#include "base/unit.h"
#include "viewers/flame/flame_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The lowest percentage of each step of the heat scale. */
static const double heat_min[COLOR_HEATS] = { 0, 0.1, 0.5, 1, 2, 5, 10, 20 };

double heat_min_percent(int step)
{
	assert(step >= 0 && step < COLOR_HEATS);
	return heat_min[step];
}

const uint8_t *heat_colors(const struct flame *f, struct arena *mem)
{
	int64_t *self = arena_zalloc(mem, f->n_frames, sizeof(*self));
	uint8_t *color = arena_alloc(mem, f->n_frames, sizeof(*color));

	/* In an inverted tree, flat values are the totals at level 1. */
	for (uint32_t i = 0; i < f->n; i++)
		if (f->frame[i] != FLAME_NONE && (!f->inverted || f->parent[i] == 0))
			self[f->frame[i]] += (f->inverted ? f->total : f->self)[SIDE_NEW][i];
	for (uint32_t i = 0; i < f->n_frames; i++) {
		int step = COLOR_HEATS - 1;

		if (f->flat[SIDE_NEW])
			self[i] = f->flat[SIDE_NEW][i]; /* the boxes left out have a part of it */

		while (step && unit_percent(self[i], f->total[SIDE_NEW][0]) < heat_min[step])
			step--;
		color[i] = (uint8_t)(COLOR_HEAT + step);
	}
	return color;
}

enum { LISTED_MAX = 10 };

_Static_assert((int)COLOR_END == (int)FLAME_COLORS, "FLAME_COLORS in flame.h must match");

/* The preferred colour of a name: FNV-1a (Fowler, Noll, Vo), which is the same in every process. */
static uint32_t color_slot_of(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (const char *s = name; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3;
	return (uint32_t)((h ^ h >> 32) % COLOR_GROUPS);
}

static bool color_is_kernel(const struct flame_frame *f)
{
	const char *m = *f->module ? f->module : f->name;

	return starts_with(m, "[kernel") || starts_with(m, "[guest.kernel") || starts_with(m, "[vdso") ||
	       starts_with(m, "[vsyscall") || starts_with(m, "linux-vdso") || strstr(m, "vmlinux") ||
	       ends_with(m, ".ko") || ends_with(m, ".ko.xz") || ends_with(m, ".ko.zst") || ends_with(f->name, "_[k]");
}

/* Append the name of a frame's group; nothing when it is unknown. */
static void add_group_name(const struct flame_frame *f, enum flame_color_by by, struct buf *out)
{
	switch (by) {
	case FLAME_MODULE:
		if (*f->module)
			path_add_base(out, f->module);
		break;
	case FLAME_FILE:
		buf_addz(out, f->file);
		break;
	case FLAME_FUNCTION:
		buf_addz(out, f->name);
		break;
	default:
		package_add(f, out);
	}
}

/* Groups with fixed colours. */
static const char *const special_name[] = {
	[COLOR_LABEL] = "labels", [COLOR_UNKNOWN] = "[unknown]", [COLOR_KERNEL] = "[kernel]"
};

static int color_compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->area != y->area)
		return x->area > y->area ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint32_t color_group_of(const struct flame_frame *f, enum flame_color_by by, struct strtab *names,
			       struct buf *name)
{
	uint8_t color = f->is_label ? COLOR_LABEL : color_is_kernel(f) ? COLOR_KERNEL : COLOR_UNKNOWN;

	name->len = 0;
	if (color == COLOR_UNKNOWN)
		add_group_name(f, by, name);
	if (name->len == 0)
		return color;
	return COLOR_OTHER + strtab_add(names, name->data, name->len);
}

void flame_add_group(const struct flame_frame *f, enum flame_color_by by, struct buf *out)
{
	size_t start = out->len;

	if (f->is_label)
		buf_addz(out, special_name[COLOR_LABEL]);
	else if (color_is_kernel(f))
		buf_addz(out, special_name[COLOR_KERNEL]);
	else
		add_group_name(f, by, out);
	if (out->len == start)
		buf_addz(out, special_name[COLOR_UNKNOWN]);
}

/* Assign colours to the sorted groups. */
static void assign_colors(struct groups *g)
{
	bool taken[COLOR_GROUPS] = { false };
	uint32_t n_listed = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t slot = color_slot_of(g->group[i].name);

		if (g->group[i].color != COLOR_OTHER || n_listed == LISTED_MAX)
			continue;
		while (taken[slot])
			slot = (slot + 1) % COLOR_GROUPS;
		taken[slot] = true;
		n_listed++;
		g->group[i].color = (uint8_t)(COLOR_GROUP + slot);
	}
}

/* The group of each frame: special groups are below COLOR_OTHER, named ones start there. */
static uint32_t *group_frames(const struct flame *f, enum flame_color_by by, struct strtab *names, struct arena *mem)
{
	uint32_t *of = arena_alloc(mem, f->n_frames, sizeof(*of));
	struct buf name = { 0 };

	for (uint32_t i = 0; i < f->n_frames; i++)
		of[i] = color_group_of(&f->frames[i], by, names, &name);
	buf_release(&name);
	return of;
}

void groups_make(const struct flame *f, enum flame_color_by by, struct arena *mem, struct groups *out)
{
	struct strtab *names = strtab_new();
	uint32_t *of = group_frames(f, by, names, mem), n = COLOR_OTHER + strtab_count(names);
	struct group *group = arena_zalloc(mem, n, sizeof(*group));
	uint8_t *color = arena_alloc(mem, n, sizeof(*color));
	struct groups g = { .color = arena_alloc(mem, f->n_frames, sizeof(*g.color)) };

	g.group = arena_alloc(mem, n, sizeof(*g.group));
	for (uint32_t i = 0; i < f->n; i++)
		if (f->frame[i] != FLAME_NONE)
			group[of[f->frame[i]]].area += (double)f->width[i];
	for (uint32_t i = 0; i < n; i++) {
		const char *name = i < COLOR_OTHER ? special_name[i] : strtab_text(names, i - COLOR_OTHER);

		group[i].color = (uint8_t)(i < COLOR_OTHER ? i : COLOR_OTHER);
		if (!name || group[i].area == 0)
			continue;
		group[i].name = arena_strndup(mem, name, strlen(name));
		g.group[g.n++] = group[i];
	}
	qsort(g.group, g.n, sizeof(*g.group), color_compare_groups);
	if (by != FLAME_FUNCTION)
		assign_colors(&g);
	for (uint32_t i = 0; i < n; i++)
		color[i] = group[i].color;
	for (uint32_t i = 0; i < g.n; i++) {
		str_id id;

		if (g.group[i].color >= COLOR_GROUP &&
		    strtab_find(names, g.group[i].name, strlen(g.group[i].name), &id))
			color[COLOR_OTHER + id] = g.group[i].color;
	}
	for (uint32_t i = 0; i < f->n_frames; i++)
		g.color[i] = by == FLAME_FUNCTION && of[i] >= COLOR_OTHER
				     ? (uint8_t)(COLOR_GROUP + color_slot_of(f->frames[i].name))
				     : color[of[i]];
	strtab_free(names);
	*out = g;
}

const uint8_t *groups_color_like(const struct groups *g, const struct flame *f, enum flame_color_by by,
				 struct arena *mem)
{
	struct strtab *names = strtab_new();
	uint8_t *group = arena_alloc(mem, g->n + 1, sizeof(*group)), *out = arena_alloc(mem, f->n_frames, sizeof(*out));
	struct buf name = { 0 };

	for (uint32_t i = 0; i < g->n; i++)
		if (g->group[i].color >= COLOR_OTHER)
			group[strtab_add(names, g->group[i].name, strlen(g->group[i].name))] = g->group[i].color;
	for (uint32_t i = 0; i < f->n_frames; i++) {
		bool is_special = f->frames[i].is_label || color_is_kernel(&f->frames[i]);
		str_id id;

		name.len = 0;
		if (!is_special)
			add_group_name(&f->frames[i], by, &name);
		if (is_special || name.len == 0)
			out[i] = f->frames[i].is_label ? COLOR_LABEL : is_special ? COLOR_KERNEL : COLOR_UNKNOWN;
		else if (by == FLAME_FUNCTION)
			out[i] = (uint8_t)(COLOR_GROUP + color_slot_of(f->frames[i].name));
		else
			out[i] = strtab_find(names, name.data, name.len, &id) ? group[id] : COLOR_OTHER;
	}
	buf_release(&name);
	strtab_free(names);
	return out;
}
