/*
 * words.c - what an SVG says around its boxes: title, subtitle, legend, note
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The script sets these lines anew for another width, so each carries its whole text.
 */
#include "config.h"

#include "viewers/svg/svg_int.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LINES = 3, SWATCH = 14 * PX, GAP = 20 * PX, LEGEND_COLUMNS = 48 };

/* The first n bytes of a text as a string; good until the next call. */
static const char *part(struct svg *s, const char *text, size_t n)
{
	svg_clear(&s->text);
	buf_add(&s->text, text, n);
	return buf_text(&s->text);
}

/* How much of a text fits into so many columns, up to a blank; all when it fits, 0 when no word does. */
static size_t fitting(struct svg *s, const char *text, size_t columns)
{
	size_t fits = 0;

	for (size_t at = 0;; at++) {
		at += strcspn(text + at, " ");
		if (flame_columns(part(s, text, at)) > columns)
			return fits;
		fits = at;
		if (!text[at])
			return fits;
	}
}

static void add_line(struct svg *s, int64_t y, const char *text)
{
	xml_begin(&s->xml, "text");
	xml_number(&s->xml, "y", y);
	xml_text(&s->xml, text);
	xml_end(&s->xml);
}

/* A text on up to MAX_LINES lines, the last of them shortened; gives how high it is. */
static int64_t add_lines(struct svg *s, int64_t y, const char *class, const char *text, int64_t column, int64_t line)
{
	size_t columns = (size_t)((s->width - 2 * MARGIN) / column), n;
	int64_t height = 0;
	char place[64];

	if (!*text)
		return 0;
	xml_line(&s->xml);
	xml_begin(&s->xml, "g");
	xml_attribute(&s->xml, "class", class);
	snprintf(place, sizeof(place), "translate(%d %lld)", MARGIN / PX, (long long)(y / PX));
	xml_attribute(&s->xml, "transform", place);
	xml_attribute(&s->xml, "data-text", text);
	for (int i = 1; *text; i++, text += n + (text[n] == ' ')) {
		n = i < MAX_LINES ? fitting(s, text, columns) : 0;
		height += line;
		if (n > 0) {
			add_line(s, height - line / 4, part(s, text, n));
			continue;
		}
		svg_clear(&s->text);
		flame_add_short(text, columns, &s->text);
		add_line(s, height - line / 4, buf_text(&s->text));
		n = strlen(text);
	}
	xml_end(&s->xml);
	return height;
}

int64_t svg_add_head(struct svg *s, int64_t y)
{
	int64_t height;

	svg_clear(&s->name);
	flame_add_title(s->r, s->style, &s->name);
	height = add_lines(s, y, "title", buf_text(&s->name), COLUMN_BIG, LINE + 4 * PX);
	svg_clear(&s->name);
	flame_add_subtitle(s->r, &s->name);
	return height + add_lines(s, y + height, "sub", buf_text(&s->name), COLUMN, LINE);
}

int64_t svg_add_note(struct svg *s, int64_t y)
{
	svg_clear(&s->name);
	flame_add_note(s->r, s->style, &s->name);
	return add_lines(s, y, "note", buf_text(&s->name), COLUMN, LINE);
}

static void add_swatch(struct svg *s, const struct flame_legend *e)
{
	const char *sign = e->sign == '+' || e->sign == '-' ? flame_sign(e->sign) : "";

	svg_clear(&s->text);
	svg_add_class(&s->text, e->color, e->sign);
	xml_begin(&s->xml, "rect");
	xml_attribute(&s->xml, "class", buf_text(&s->text));
	xml_number(&s->xml, "width", SWATCH);
	xml_number(&s->xml, "height", SWATCH);
	xml_end(&s->xml);
	if (!*sign)
		return;
	svg_clear(&s->text);
	buf_addf(&s->text, "t%d", e->color);
	xml_begin(&s->xml, "text");
	xml_attribute(&s->xml, "class", buf_text(&s->text));
	xml_number(&s->xml, "x", (SWATCH - COLUMN) / 2);
	xml_number(&s->xml, "y", 11 * PX);
	xml_text(&s->xml, sign);
	xml_end(&s->xml);
}

/* Entries side by side, on as many lines as they need. */
int64_t svg_add_legend(struct svg *s, int64_t y)
{
	int64_t x = MARGIN, top = y;
	char place[64];

	if (!s->n_legend)
		return 0;
	xml_line(&s->xml);
	xml_begin(&s->xml, "g");
	xml_attribute(&s->xml, "class", "legend");
	for (size_t i = 0; i < s->n_legend; i++) {
		int64_t width;

		svg_clear(&s->name);
		flame_add_short(s->legend[i].text, LEGEND_COLUMNS, &s->name);
		width = SWATCH + 5 * PX + (int64_t)flame_columns(buf_text(&s->name)) * COLUMN;
		if (x > MARGIN && x + width > s->width - MARGIN) {
			x = MARGIN;
			y += LINE;
		}
		xml_begin(&s->xml, "g");
		snprintf(place, sizeof(place), "translate(%lld %lld)", (long long)(x / PX), (long long)(y / PX));
		xml_attribute(&s->xml, "transform", place);
		add_swatch(s, &s->legend[i]);
		xml_begin(&s->xml, "text");
		xml_number(&s->xml, "x", SWATCH + 5 * PX);
		xml_number(&s->xml, "y", 11 * PX);
		xml_text(&s->xml, buf_text(&s->name));
		xml_end(&s->xml);
		xml_end(&s->xml);
		x += width + GAP;
	}
	xml_end(&s->xml);
	return y + LINE - top;
}
