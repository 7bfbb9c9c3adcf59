/*
 * head.c - what stands around the boxes of a flame graph: title, legend, note
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/mark.h"
#include "viewers/pdf/paint.h"

#include <math.h>

void paint_ink(const struct painter *p)
{
	mark_set_color(p, flame_page(p->style->theme)->ink);
}

void paint_faint(const struct painter *p)
{
	mark_set_color(p, flame_page(p->style->theme)->quiet);
}

void paint_ground(const struct painter *p)
{
	if (p->style->theme != FLAME_DARK && !p->is_pixels)
		return; /* paper is white */
	mark_set_color(p, flame_page(p->style->theme)->paper);
	p->lib->paint(p->cr);
}

/* A line of text as wide as the page at most; its base line is at y. */
static void paint_line(const struct painter *p, struct font *font, double y, const char *text)
{
	struct buf clean = { 0 }, shown = { 0 };

	font_add_text(text, &clean);
	font_fit(font, buf_text(&clean), p->width - 2 * p->size->margin, &shown);
	if (shown.len)
		font_show(font, p->cr, p->size->margin, y, buf_text(&shown), buf_text(&clean));
	buf_release(&clean);
	buf_release(&shown);
}

/* A colour and what it stands for; gives how wide that is. With cr NULL it is only measured. */
static double paint_entry(const struct painter *p, const struct flame_legend *e, double x, double y, double room)
{
	const double box = p->size->text, gap = box * 0.45;
	const struct flame_color *color = &flame_colors(p->style->theme)[e->color];
	const char *sign = flame_sign(e->sign);
	double box_width = *sign ? font_width(p->boxes, sign) + gap : box, width;
	struct buf clean = { 0 }, shown = { 0 };

	font_add_text(e->text, &clean);
	font_fit(p->text, buf_text(&clean), room - box_width - gap, &shown);
	width = box_width + gap + font_width(p->text, buf_text(&shown));
	if (p->cr) {
		struct rectangle r = { x, y - box * 0.85, box_width, box * 1.1 };

		mark_set_color(p, color->fill);
		p->lib->rectangle(p->cr, r.x, r.y, r.width, r.height);
		p->lib->fill(p->cr);
		mark_outline(p, e->sign, color->ink, r);
		mark_set_color(p, color->ink);
		if (*sign)
			font_show(p->boxes, p->cr, x + gap / 2, y, sign, NULL);
		paint_ink(p);
		if (shown.len)
			font_show(p->text, p->cr, x + box_width + gap, y, buf_text(&shown), buf_text(&clean));
	}
	buf_release(&clean);
	buf_release(&shown);
	return width;
}

/* Gives the base line of the last line of the legend, or y when there is none. */
static double paint_legend(const struct painter *p, double y)
{
	const double left = p->size->margin, room = p->width - 2 * left, space = p->size->text * 1.5,
		     height = p->size->text * 1.7;
	struct painter measure = *p;
	double x = left;

	measure.cr = NULL;
	if (p->n_legend)
		y += height;
	for (size_t i = 0; i < p->n_legend; i++) {
		double width = paint_entry(&measure, &p->legend[i], 0, 0, room);

		if (x > left && x + width > left + room) {
			x = left;
			y += height;
		}
		if (p->cr)
			paint_entry(p, &p->legend[i], x, y, room);
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
		paint_ink(p);
		paint_line(p, p->title, y, buf_text(&s));
	}
	y += p->size->text * 1.6;
	if (p->cr) {
		s.len = 0;
		if (!below)
			flame_add_subtitle(p->r, &s);
		paint_faint(p);
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
		paint_faint(p);
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
