/*
 * legend.c - the meaning of the colours
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"
#include "viewers/flame/flame_int.h"

#include <assert.h>
#include <inttypes.h>

enum { LEGEND_MAX = COLOR_GROUP + COLOR_GROUPS + 1, TEXT_MAX = 40 };

struct legend {
	struct arena *mem;
	struct flame_legend *entry;
	size_t n;
};

static void legend_add_entry(struct legend *l, int color, char sign, const struct buf *text)
{
	assert(l->n < LEGEND_MAX && color < COLOR_END);
	l->entry[l->n++] = (struct flame_legend){ .color = (uint8_t)color,
						  .sign = sign,
						  .text = arena_strndup(l->mem, buf_text(text), text->len) };
}

static void legend_add_groups(struct legend *l, const struct flame *f, enum flame_color_by by)
{
	static const char *const one[] = { "package", "module", "file" }, *const many[] = { "packages", "modules",
											    "files" };
	struct buf text = { 0 };
	struct groups g;
	uint64_t n_others = 0;

	groups_make(f, by, l->mem, &g);
	for (uint32_t i = 0; i < g.n; i++) {
		if (g.group[i].color == COLOR_OTHER) {
			n_others++;
			continue;
		}
		text.len = 0;
		caption_add_safe(g.group[i].name, TEXT_MAX, flame_add_shortened, &text);
		legend_add_entry(l, g.group[i].color, 0, &text);
	}
	text.len = 0;
	unit_add_count(&text, n_others);
	buf_addf(&text, " other %s", n_others == 1 ? one[by] : many[by]);
	if (n_others)
		legend_add_entry(l, COLOR_OTHER, 0, &text);
	buf_release(&text);
}

static void add_heats(struct legend *l)
{
	struct buf text = { 0 };

	for (int step = COLOR_HEATS; step-- > 0;) {
		text.len = 0;
		if (step == 0)
			buf_addf(&text, "flat below %g%%", heat_min_percent(1));
		else
			buf_addf(&text, step == COLOR_HEATS - 1 ? "flat %g%% and more" : "%g%%",
				 heat_min_percent(step));
		legend_add_entry(l, COLOR_HEAT + step, 0, &text);
	}
	buf_release(&text);
}

static void add_changes(struct legend *l, const struct flame *f)
{
	static const struct {
		int color;
		char sign;
		const char *text, *fallback;
		enum side side;
	} entries[] = {
		{ COLOR_NEW, 'n', "new: only in ", "the new side", SIDE_NEW },
		{ COLOR_GREW + 3, '+', "at least doubled", NULL, 0 },
		{ COLOR_GREW + 1, '+', "grew", NULL, 0 },
		{ COLOR_SAME, '=', "unchanged", NULL, 0 },
		{ COLOR_SHRANK + 1, '-', "shrank", NULL, 0 },
		{ COLOR_SHRANK + 3, '-', "at least halved", NULL, 0 },
		{ COLOR_GONE, 'g', "gone: only in ", "the base", SIDE_BASE },
	};
	struct buf text = { 0 };

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		text.len = 0;
		buf_addz(&text, entries[i].text);
		if (entries[i].fallback)
			caption_add_sources(f, entries[i].side, entries[i].fallback, &text);
		legend_add_entry(l, entries[i].color, entries[i].sign, &text);
	}
	buf_release(&text);
}

const char *flame_width_text(const struct flame *f)
{
	return f->has_base ? "width: the larger of before and after, per stack" : "";
}

size_t flame_legend(const struct report *r, const struct flame_style *style, struct arena *mem,
		    const struct flame_legend **out)
{
	struct legend l = { .mem = mem, .entry = arena_alloc(mem, LEGEND_MAX, sizeof(*l.entry)) };

	if (r->flame->has_base)
		add_changes(&l, r->flame);
	else if (style->color_by == FLAME_HEAT)
		add_heats(&l);
	else if (style->color_by != FLAME_FUNCTION)
		legend_add_groups(&l, r->flame, style->color_by);
	*out = l.entry;
	return l.n;
}
