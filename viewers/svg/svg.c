/*
 * svg.c - flame graphs as SVG
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One <g> for each level, in it a <rect> for each box, which has what is told of it as its <title>,
 * and a <text> behind those that are wide enough. Nothing is said twice: the script reads places,
 * names and numbers from these.
 */
#include "config.h"

#include "viewers/svg/svg.h"

#include "viewers/svg/script.js.h"
#include "viewers/svg/svg_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 18, ROW_MIN = 2, ROW_TEXT = 14, MAX_HEIGHT = 32000 };

/* Narrower boxes have no seam, which would hide them. */
enum { SEAM_MIN = 2 * PX };

void svg_clear(struct buf *b)
{
	b->len = 0;
	buf_addz(b, "");
}

/* The place of a position of the layout. */
static int64_t x_of(const struct svg *s, int64_t at)
{
	__int128 span = s->width - 2 * MARGIN;

	return MARGIN + (int64_t)((2 * span * at + s->l.span) / (2 * (__int128)s->l.span));
}

static void add_label(struct svg *s, const struct flame_tile *t, int64_t x, int64_t width)
{
	char class[16];

	svg_clear(&s->text);
	flame_add_label(s->r->flame, t, (size_t)((width - 2 * PAD + PX) / COLUMN), &s->text);
	if (s->text.len == 0)
		return;
	xml_begin(&s->xml, "text");
	if (s->palette.own_ink[t->color]) {
		snprintf(class, sizeof(class), "t%d", t->color);
		xml_attribute(&s->xml, "class", class);
	}
	xml_number(&s->xml, "x", x + PAD);
	xml_number(&s->xml, "y", (s->row - PX) / 2 + 4 * PX + 500);
	xml_text(&s->xml, buf_text(&s->text));
	xml_end(&s->xml);
}

static void add_box(struct svg *s, const struct flame_tile *t)
{
	int64_t x = x_of(s, t->x), width = x_of(s, t->x + t->width) - x;

	svg_clear(&s->text);
	svg_add_class(&s->text, t->color, t->sign);
	buf_addz(&s->text, t->sign == '+' ? " u" : t->sign == '-' ? " d" : "");
	buf_addz(&s->text, width >= SEAM_MIN ? " w" : "");
	xml_line(&s->xml);
	xml_begin(&s->xml, "rect");
	xml_attribute(&s->xml, "class", buf_text(&s->text));
	xml_number(&s->xml, "x", x);
	xml_number(&s->xml, "width", width);
	xml_number(&s->xml, "height", s->row > 4 * PX ? s->row - PX : s->row);
	xml_begin(&s->xml, "title");
	svg_clear(&s->text);
	flame_add_details(s->r, t->box, &s->text);
	while (s->text.len && s->text.data[s->text.len - 1] == '\n')
		s->text.data[--s->text.len] = '\0';
	xml_text(&s->xml, buf_text(&s->text));
	xml_end(&s->xml);
	xml_end(&s->xml);
	if (width >= COLUMN + 2 * PAD - PX && s->row >= ROW_TEXT * PX)
		add_label(s, t, x, width);
}

/* All levels below y; gives how high they are. */
static int64_t add_rows(struct svg *s, int64_t y)
{
	int64_t height = s->row * s->l.n_levels;
	uint32_t level = UINT32_MAX;
	char text[64];

	xml_line(&s->xml);
	xml_begin(&s->xml, "g");
	snprintf(text, sizeof(text), "rows%s%s", s->style->icicle ? " icicle" : "",
		 s->r->flame->has_base ? " diff" : "");
	xml_attribute(&s->xml, "class", text);
	snprintf(text, sizeof(text), "translate(0 %lld)", (long long)(y / PX));
	xml_attribute(&s->xml, "transform", text);
	xml_number(&s->xml, "data-row", s->row);
	xml_number(&s->xml, "data-levels", (int64_t)s->l.n_levels * PX);
	for (uint32_t i = 0; s->l.span > 0 && i < s->l.n; i++) {
		const struct flame_tile *t = &s->l.tile[i];

		if (t->level != level) {
			int64_t at = s->style->icicle ? t->level : s->l.n_levels - 1 - t->level;

			if (level != UINT32_MAX)
				xml_end(&s->xml);
			level = t->level;
			xml_line(&s->xml);
			xml_begin(&s->xml, "g");
			snprintf(text, sizeof(text), "translate(0 %lld)", (long long)(at * s->row / PX));
			xml_attribute(&s->xml, "transform", text);
		}
		add_box(s, t);
	}
	if (level != UINT32_MAX)
		xml_end(&s->xml);
	xml_end(&s->xml);
	return height;
}

/* Begin the picture, with what screen readers and windows call it. */
static void begin(struct svg *s, int64_t height)
{
	struct buf b = { 0 };

	xml_begin(&s->xml, "svg");
	xml_attribute(&s->xml, "xmlns", "http://www.w3.org/2000/svg");
	xml_attribute(&s->xml, "class", "page");
	xml_number(&s->xml, "width", s->width);
	xml_number(&s->xml, "height", height);
	buf_addf(&b, "0 0 %lld %lld", (long long)(s->width / PX), (long long)(height / PX));
	xml_attribute(&s->xml, "viewBox", buf_text(&b));
	xml_attribute(&s->xml, "role", "img");
	svg_clear(&b);
	flame_add_title(s->r, s->style, &b);
	xml_attribute(&s->xml, "aria-label", buf_text(&b));
	xml_begin(&s->xml, "title");
	xml_text(&s->xml, buf_text(&b));
	xml_end(&s->xml);
	svg_clear(&b);
	flame_add_subtitle(s->r, &b);
	xml_begin(&s->xml, "desc");
	xml_text(&s->xml, buf_text(&b));
	xml_end(&s->xml);
	buf_release(&b);
}

/* All of it, or with no writer only its height. */
static int64_t add_parts(struct svg *s)
{
	int64_t y = 8 * PX;

	y += svg_add_head(s, y) + 4 * PX;
	y += svg_add_legend(s, y) + 6 * PX;
	y += add_rows(s, y) + 2 * PX;
	y += svg_add_note(s, y);
	return y + 8 * PX;
}

static int64_t measure(struct svg *s)
{
	struct _xmlTextWriter *writer = s->xml.writer;
	struct flame_layout all = s->l;
	int64_t height;

	s->xml.writer = NULL;
	s->l.n = 0;
	height = add_parts(s);
	s->xml.writer = writer;
	s->xml.failed = false;
	s->l = all;
	return height;
}

static void draw(struct svg *s)
{
	begin(s, measure(s));
	svg_add_style(s);
	xml_line(&s->xml);
	xml_begin(&s->xml, "rect");
	xml_attribute(&s->xml, "class", "b");
	xml_attribute(&s->xml, "width", "100%");
	xml_attribute(&s->xml, "height", "100%");
	xml_end(&s->xml);
	add_parts(s);
	xml_line(&s->xml);
	xml_begin(&s->xml, "script");
	xml_code(&s->xml, script);
	xml_end(&s->xml);
	xml_end(&s->xml);
}

int svg_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err)
{
	struct svg s = { .r = r, .style = style, .width = llround(style->width) * PX };
	struct arena *mem;
	int rc = xml_open(&s.xml, "SVG", out, err);

	if (rc < 0)
		return rc;
	mem = arena_new();
	flame_lay_out(r->flame, style, mem, &s.l);
	s.n_legend = flame_legend(r, style, mem, &s.legend);
	s.row = MAX_HEIGHT / s.l.n_levels;
	s.row = (s.row > ROW ? ROW : s.row < ROW_MIN ? ROW_MIN : s.row) * PX;
	svg_palette_make(&s);
	draw(&s);
	rc = xml_close(&s.xml, err);
	arena_free(mem);
	buf_release(&s.name);
	buf_release(&s.text);
	return rc;
}
