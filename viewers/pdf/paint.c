/*
 * paint.c - a flame graph drawn with cairo: title, legend, boxes, note
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All rectangles of a level are drawn before all text, and grouped by colour, so that a PDF sets each colour once.
 */
#include "config.h"

#include "viewers/pdf/paint.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>

/* Set a colour: 0xRRGGBB. */
static void set_color(const struct painter *p, uint32_t rgb)
{
	p->lib->set_source_rgb(p->cr, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0);
}

/* Draw a line around a box that is new (solid) or gone (dashed), if it is wide enough. */
static void outline_box(const struct painter *p, char sign, uint32_t rgb, struct rectangle r)
{
	static const double dash[] = { 3, 2 };
	const double line = 1, min_width = 4;

	if ((sign != 'n' && sign != 'g') || r.width < min_width)
		return;
	set_color(p, rgb);
	p->lib->set_line_width(p->cr, line);
	p->lib->set_dash(p->cr, dash, sign == 'g' ? 2 : 0, 0);
	p->lib->rectangle(p->cr, r.x + line / 2, r.y + line / 2, r.width - line, r.height - line);
	p->lib->stroke(p->cr);
}

void paint_set_text_color(const struct painter *p)
{
	set_color(p, flame_page(p->style->theme)->ink);
}

void paint_set_muted_color(const struct painter *p)
{
	set_color(p, flame_page(p->style->theme)->quiet);
}

void paint_background(const struct painter *p)
{
	if (p->style->theme != FLAME_DARK && !p->is_raster)
		return; /* paper is white, so it needs no background */
	set_color(p, flame_page(p->style->theme)->paper);
	p->lib->paint(p->cr);
}

/* Draw a line of text, shortened to the width of the page, with its base line at y. */
static void paint_line(const struct painter *p, struct font *font, double y, const char *text)
{
	struct buf clean = { 0 }, shown = { 0 };

	font_add_safe(text, &clean);
	font_fit(font, buf_text(&clean), p->width - 2 * p->size->margin, flame_add_truncated, &shown);
	if (shown.len)
		font_draw_text(font, p->cr, p->size->margin, y, buf_text(&shown), buf_text(&clean));
	buf_release(&clean);
	buf_release(&shown);
}

/* Draw the colour of an entry of the legend, with its sign. */
static void paint_swatch(const struct painter *p, const struct flame_legend *e, struct rectangle r, double y,
			 double gap)
{
	const struct flame_color *color = &flame_colors(p->style->theme)[e->color];
	const char *sign = flame_sign(e->sign);

	set_color(p, color->fill);
	p->lib->rectangle(p->cr, r.x, r.y, r.width, r.height);
	p->lib->fill(p->cr);
	outline_box(p, e->sign, color->ink, r);
	set_color(p, color->ink);
	if (*sign)
		font_draw_text(p->boxes, p->cr, r.x + gap / 2, y, sign, NULL);
}

/*
 * Draw an entry of the legend, or with cr NULL only measure it. The color FLAME_COLORS means only text. Returns its
 * width.
 */
static double paint_entry(const struct painter *p, const struct flame_legend *e, double x, double y, double room)
{
	const double box = p->size->text, gap = box * 0.45;
	const char *sign = flame_sign(e->sign);
	double box_width = *sign ? font_width(p->boxes, sign) + gap : box,
	       before = e->color < FLAME_COLORS ? box_width + gap : 0, width;
	struct buf clean = { 0 }, shown = { 0 };

	font_add_safe(e->text, &clean);
	font_fit(p->text, buf_text(&clean), room - before, flame_add_truncated, &shown);
	width = before + font_width(p->text, buf_text(&shown));
	if (p->cr) {
		if (before > 0)
			paint_swatch(p, e, (struct rectangle){ x, y - box * 0.85, box_width, box * 1.1 }, y, gap);
		(before > 0 ? paint_set_text_color : paint_set_muted_color)(p);
		if (shown.len)
			font_draw_text(p->text, p->cr, x + before, y, buf_text(&shown), buf_text(&clean));
	}
	buf_release(&clean);
	buf_release(&shown);
	return width;
}

/* Draw the legend. Returns its last base line, or y when there is no legend. */
static double paint_legend(const struct painter *p, double y)
{
	const double left = p->size->margin, room = p->width - 2 * left, space = p->size->text * 1.5,
		     height = p->size->text * 1.7;
	const struct flame_legend width_entry = { .color = FLAME_COLORS, .text = flame_width_text(p->r->flame) };
	size_t n = p->n_legend + (*width_entry.text != '\0');
	struct painter measure = *p;
	double x = left;

	measure.cr = NULL;
	if (n)
		y += height;
	for (size_t i = 0; i < n; i++) {
		const struct flame_legend *e = i < p->n_legend ? &p->legend[i] : &width_entry;
		double width = paint_entry(&measure, e, 0, 0, room);

		if (x > left && x + width > left + room) {
			x = left;
			y += height;
		}
		if (p->cr)
			paint_entry(p, e, x, y, room);
		x += width + space;
	}
	return y;
}

double paint_head(const struct painter *p, const char *below, bool has_legend)
{
	double y = p->size->margin + p->size->title;
	struct buf s = { 0 };

	if (p->cr) {
		flame_add_title(p->r, p->style, &s);
		paint_set_text_color(p);
		paint_line(p, p->title, y, buf_text(&s));
	}
	y += p->size->text * 1.6;
	if (p->cr) {
		s.len = 0;
		if (!below)
			flame_add_subtitle(p->r, &s);
		paint_set_muted_color(p);
		paint_line(p, p->text, y, below ? below : buf_text(&s));
	}
	buf_release(&s);
	if (has_legend)
		y = paint_legend(p, y);
	return ceil(y + p->size->text);
}

double paint_note(const struct painter *p, double top, const char *more)
{
	double y = top + p->size->text * 0.4;
	struct buf s = { 0 };

	flame_add_note(p->r, p->style, &s);
	if (p->cr)
		paint_set_muted_color(p);
	for (int i = 0; i < 2; i++) {
		const char *text = i == 0 ? buf_text(&s) : more;

		if (!*text)
			continue;
		y += p->size->text * 1.3;
		if (p->cr)
			paint_line(p, p->text, y, text);
	}
	buf_release(&s);
	return y;
}

const struct sizes sizes_screen = { .margin = 12, .row = 17, .title = 16, .text = 11.5, .boxes = 11 };
const struct sizes sizes_paper = { .margin = 28, .row = 12.5, .title = 12, .text = 8.5, .boxes = 8 };

/*
 * Boxes narrower than this touch each other; between wider ones there is a gap, a fraction of the row height that is
 * visible at low resolution.
 */
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
	const struct font_spec sans = { "DejaVu Sans", size->text, .is_raster = is_pixels },
			       mono = { "DejaVu Sans Mono", size->boxes, .is_fixed_width = true,
					.is_raster = is_pixels },
			       title = { "DejaVu Sans", size->title, .is_bold = true, .is_raster = is_pixels };
	struct painter p = { .lib = lib,
			     .r = r,
			     .style = style,
			     .mem = mem,
			     .size = size,
			     .width = width,
			     .is_raster = is_pixels,
			     .title = font_new(lib, fc, &title),
			     .text = font_new(lib, fc, &sans),
			     .boxes = font_new(lib, fc, &mono) };

	assert(lib && fc && r->flame && width > 0);
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

struct rectangle paint_tile_rectangle(const struct painter *p, const struct flame_tile *t, double top, uint32_t lo,
				      uint32_t hi)
{
	double room = fmax(p->width - 2 * p->size->margin, 1),
	       scale = p->layout.span > 0 ? room / (double)p->layout.span : 0;
	uint32_t row = p->style->icicle ? t->level - lo : hi - 1 - t->level;
	struct rectangle r = { .x = p->size->margin + (double)t->x * scale,
			       .y = top + row * p->size->row,
			       .width = p->layout.span > 0 ? (double)t->width * scale : room,
			       .height = p->size->row };

	if (p->is_raster && r.width >= narrow) {
		double end = round(r.x + r.width);

		r.x = round(r.x);
		r.width = end - r.x;
	}
	return r;
}

/* The place of a box without the gap to its neighbours. */
static struct rectangle box_rectangle(const struct painter *p, struct rectangle r)
{
	double between = p->is_raster ? 1 : gap * p->size->row;

	if (r.width >= narrow)
		r.width -= between;
	r.height -= between;
	return r;
}

static void paint_text(const struct painter *p, const struct flame_tile *t, struct rectangle r, struct buf *name,
		       struct buf *shown)
{
	const char *sign = t->sign == '=' ? "" : flame_sign(t->sign);
	double pad = font_column_width(p->boxes) / 2, room = r.width - 2 * pad,
	       after = *sign ? font_width(p->boxes, sign) + 2 * pad : 0;
	double y = r.y + r.height / 2 + p->size->boxes * 0.36;

	if (room < font_column_width(p->boxes))
		return;
	name->len = shown->len = 0;
	if (room > after + 2 * pad) {
		struct buf raw = { 0 };

		flame_add_name(p->r->flame, t->box, &raw);
		font_add_safe(buf_text(&raw), name);
		buf_release(&raw);
		if (name->len)
			font_fit(p->boxes, buf_text(name), room - after, flame_add_shortened, shown);
	}
	set_color(p, flame_colors(p->style->theme)[t->color].ink);
	if (*sign && after - 2 * pad <= room)
		font_draw_text(p->boxes, p->cr, r.x + pad, y, sign, NULL);
	if (shown->len)
		font_draw_text(p->boxes, p->cr, r.x + pad + after, y, buf_text(shown), buf_text(name));
}

double paint_levels(const struct painter *p, double top, uint32_t lo, uint32_t hi)
{
	const struct flame_color *color = flame_colors(p->style->theme);
	const struct flame_tile *tile = p->layout.tile;
	struct buf name = { 0 }, shown = { 0 };
	uint32_t last = UINT32_MAX;

	assert(lo <= hi && hi <= p->layout.n_levels);
	for (uint32_t i = p->first[lo]; i < p->first[hi]; i++) {
		const struct flame_tile *t = &tile[p->by_color[i]];
		struct rectangle r = box_rectangle(p, paint_tile_rectangle(p, t, top, lo, hi));

		if (color[t->color].fill != last)
			set_color(p, last = color[t->color].fill);
		p->lib->rectangle(p->cr, r.x, r.y, r.width, r.height);
		p->lib->fill(p->cr);
	}
	for (uint32_t i = p->first[lo]; i < p->first[hi]; i++) {
		struct rectangle r = box_rectangle(p, paint_tile_rectangle(p, &tile[i], top, lo, hi));

		outline_box(p, tile[i].sign, color[tile[i].color].ink, r);
		paint_text(p, &tile[i], r, &name, &shown);
	}
	buf_release(&name);
	buf_release(&shown);
	return top + (hi - lo) * p->size->row;
}
