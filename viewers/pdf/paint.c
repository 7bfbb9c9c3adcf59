/*
 * paint.c - a flame graph drawn with cairo: its boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All rectangles of a level come before all text, and those of one colour together: a PDF then says
 * each colour once.
 */
#include "config.h"

#include "viewers/pdf/paint.h"

#include "viewers/pdf/mark.h"

#include <math.h>

const struct sizes sizes_screen = { .margin = 12, .row = 17, .title = 16, .text = 11.5, .boxes = 11 };
const struct sizes sizes_paper = { .margin = 28, .row = 12.5, .title = 12, .text = 8.5, .boxes = 8 };

/* Boxes narrower than that touch each other; wider ones leave a gap, a share of a row that few dots still show. */
static const double narrow = 3, gap = 0.055;

static void sort_tiles(struct painter *p)
{
	const struct flame_layout *l = &p->layout;
	uint32_t n = 0;

	p->first = arena_zalloc(p->mem, l->n_levels + 1, sizeof(*p->first));
	p->by_color = arena_alloc(p->mem, l->n, sizeof(*p->by_color));
	for (uint32_t i = 0; i < l->n; i++)
		p->first[l->tile[i].level + 1] = i + 1;
	for (uint32_t level = 0; level < l->n_levels; level++)
		for (unsigned color = 0; color < FLAME_COLORS; color++)
			for (uint32_t i = p->first[level]; i < p->first[level + 1]; i++)
				if (l->tile[i].color == color)
					p->by_color[n++] = i;
}

struct painter painter_make(const struct cairo *lib, const struct fontconfig *fc, const struct report *r,
			    const struct flame_style *style, const struct sizes *size, double width, bool is_pixels,
			    struct arena *mem)
{
	const struct font_ask sans = { "DejaVu Sans", size->text, .is_pixels = is_pixels },
			      mono = { "DejaVu Sans Mono", size->boxes, .is_grid = true, .is_pixels = is_pixels },
			      title = { "DejaVu Sans", size->title, .is_bold = true, .is_pixels = is_pixels };
	struct painter p = { .lib = lib,
			     .r = r,
			     .style = style,
			     .mem = mem,
			     .size = size,
			     .width = width,
			     .is_pixels = is_pixels,
			     .title = font_new(lib, fc, &title),
			     .text = font_new(lib, fc, &sans),
			     .boxes = font_new(lib, fc, &mono) };

	flame_lay_out(r->flame, style, mem, &p.layout);
	p.n_legend = flame_legend(r, style, mem, &p.legend);
	sort_tiles(&p);
	return p;
}

void painter_release(struct painter *p)
{
	font_free(p->title);
	font_free(p->text);
	font_free(p->boxes);
}

struct rectangle paint_place(const struct painter *p, const struct flame_tile *t, double top, uint32_t lo, uint32_t hi)
{
	double room = fmax(p->width - 2 * p->size->margin, 1),
	       scale = p->layout.span > 0 ? room / (double)p->layout.span : 0;
	uint32_t row = p->style->icicle ? t->level - lo : hi - 1 - t->level;
	struct rectangle r = { .x = p->size->margin + (double)t->x * scale,
			       .y = top + row * p->size->row,
			       .width = p->layout.span > 0 ? (double)t->width * scale : room,
			       .height = p->size->row };

	if (p->is_pixels && r.width >= narrow) {
		double end = round(r.x + r.width);

		r.x = round(r.x);
		r.width = end - r.x;
	}
	return r;
}

/* What of its place a box fills. */
static struct rectangle body(const struct painter *p, struct rectangle r)
{
	double between = p->is_pixels ? 1 : gap * p->size->row;

	if (r.width >= narrow)
		r.width -= between;
	r.height -= between;
	return r;
}

static void paint_text(const struct painter *p, const struct flame_tile *t, struct rectangle r, struct buf *name,
		       struct buf *shown)
{
	const char *sign = t->sign == '=' ? "" : flame_sign(t->sign);
	double pad = font_column(p->boxes) / 2, room = r.width - 2 * pad,
	       after = *sign ? font_width(p->boxes, sign) + 2 * pad : 0;
	double y = r.y + r.height / 2 + p->size->boxes * 0.36;

	if (room < font_column(p->boxes))
		return;
	name->len = shown->len = 0;
	if (room > after + 2 * pad) {
		struct buf raw = { 0 };

		flame_add_name(p->r->flame, t->box, &raw);
		font_add_text(buf_text(&raw), name);
		buf_release(&raw);
		if (name->len)
			font_fit(p->boxes, buf_text(name), room - after, shown);
	}
	mark_set_color(p, flame_colors(p->style->theme)[t->color].ink);
	if (*sign && after - 2 * pad <= room)
		font_show(p->boxes, p->cr, r.x + pad, y, sign, NULL);
	if (shown->len)
		font_show(p->boxes, p->cr, r.x + pad + after, y, buf_text(shown), buf_text(name));
}

double paint_levels(const struct painter *p, double top, uint32_t lo, uint32_t hi)
{
	const struct flame_color *color = flame_colors(p->style->theme);
	const struct flame_tile *tile = p->layout.tile;
	struct buf name = { 0 }, shown = { 0 };
	uint32_t last = UINT32_MAX;

	for (uint32_t i = p->first[lo]; i < p->first[hi]; i++) {
		const struct flame_tile *t = &tile[p->by_color[i]];
		struct rectangle r = body(p, paint_place(p, t, top, lo, hi));

		if (color[t->color].fill != last)
			mark_set_color(p, last = color[t->color].fill);
		p->lib->rectangle(p->cr, r.x, r.y, r.width, r.height);
		p->lib->fill(p->cr);
	}
	for (uint32_t i = p->first[lo]; i < p->first[hi]; i++) {
		struct rectangle r = body(p, paint_place(p, &tile[i], top, lo, hi));

		mark_outline(p, tile[i].sign, color[tile[i].color].ink, r);
		paint_text(p, &tile[i], r, &name, &shown);
	}
	buf_release(&name);
	buf_release(&shown);
	return top + (hi - lo) * p->size->row;
}
