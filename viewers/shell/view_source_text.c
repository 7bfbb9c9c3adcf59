/*
 * view_source_text.c - rows of code: values, a bar, text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_source_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"

#include <stdlib.h>
#include <string.h>

enum {
	TAB = 8,
	TEXT_WANTED = 16, /* columns of text, for which others give way */
	FULL_BLOCK = 0x2588,
	SHADE = 0x2591,
	EIGHTHS = 8,
	MNEMONIC = 6, /* columns of what an instruction is called */
};

/* Append a value as it is shown: "." for 0. */
static void add_value(const struct code_values *v, int64_t value, struct buf *out)
{
	if (value > 0 && v->is_change)
		buf_addz(out, "+");
	if (value)
		report_add_value(v->head, value, out);
	else
		buf_addz(out, ".");
}

void code_values_add(struct code_values *v, int64_t value)
{
	struct buf text = { 0 };
	int64_t size = (int64_t)(num_abs(value) > INT64_MAX ? INT64_MAX : num_abs(value));

	if (value == 0)
		return;
	add_value(v, value, &text);
	v->most = size > v->most ? size : v->most;
	v->width = (int)text.len > v->width ? (int)text.len : v->width;
	buf_release(&text);
}

struct code_columns code_columns(const struct code_values *v, int width, int mark_width, bool by_cum)
{
	struct code_columns c = { .bar_width = width >= 100 ? 6 : width >= 72 ? 4 : width >= 56 ? 2 : 1 };
	int value = v->width + 1, room = width - TEXT_WANTED - c.bar_width - 1;
	bool has_two = room >= 2 * value + mark_width, has_one = has_two || room >= value, has_mark;

	room -= has_two ? 2 * value : has_one ? value : 0;
	has_mark = room > mark_width;
	if (has_two || (has_one && !by_cum))
		c.flat = v->width;
	if (has_two || (has_one && by_cum))
		c.cum = has_two ? v->width + value : v->width;
	c.bar = c.cum > c.flat ? c.cum + 1 : c.flat ? c.flat + 1 : 0;
	c.text = c.bar + c.bar_width + 1;
	if (has_mark) {
		c.mark = c.bar + c.bar_width + mark_width;
		c.text = c.mark + 2;
	}
	return c;
}

/* The look of a share of the total: heat, or what it did in a comparison. */
static struct look look_of(const struct code_values *v, int64_t value)
{
	if (value == 0)
		return theme_look(LOOK_QUIET);
	if (v->is_change)
		return theme_look(value > 0 ? LOOK_GREW : LOOK_SHRANK);
	return theme_heat(unit_percent(value, v->head->total));
}

/* The value as eighths of columns, at least one when it is not 0. */
static int eighths_of(const struct code_values *v, int64_t value, int columns)
{
	double share = v->most ? (double)num_abs(value) / (double)v->most : 0;
	int n = (int)(share * columns * EIGHTHS + 0.5);

	return value && n < 1 ? 1 : n > columns * EIGHTHS ? columns * EIGHTHS : n;
}

/* flat as a bar, and behind it what cum has more. */
static void draw_bar(const struct code_values *v, const struct code_columns *c, struct grid *g, struct area row,
		     int64_t flat, int64_t cum, struct look look)
{
	int full = eighths_of(v, flat, c->bar_width), more = eighths_of(v, cum, c->bar_width);

	for (int x = 0; x < c->bar_width; x++) {
		int here = full - x * EIGHTHS;
		uint32_t ch = here >= EIGHTHS ? FULL_BLOCK : here > 0 ? FULL_BLOCK + (uint32_t)(EIGHTHS - here) : SHADE;

		if (here > 0 || x * EIGHTHS < more)
			grid_fill(g, (struct area){ row.x + c->bar + x, row.y, 1, 1 }, ch, look);
	}
}

static void draw_value(const struct code_values *v, struct grid *g, struct area row, int end, int64_t value,
		       bool is_selected)
{
	struct look look = look_of(v, value);
	struct buf text = { 0 };

	add_value(v, value, &text);
	grid_text_right(g, row, end, 0, buf_text(&text), is_selected ? theme_selected(look) : look);
	buf_release(&text);
}

void code_draw_values(const struct code_values *v, const struct code_columns *c, struct grid *g, struct area row,
		      const int64_t *flat, int64_t cum, bool is_selected)
{
	struct look look = look_of(v, flat && *flat ? *flat : cum);

	if (c->flat && flat)
		draw_value(v, g, row, c->flat, *flat, is_selected);
	if (c->cum)
		draw_value(v, g, row, c->cum, cum, is_selected);
	if (row.width > c->bar)
		draw_bar(v, c, g, row, flat ? *flat : 0, cum, is_selected ? theme_selected(look) : look);
}

void code_draw_heads(const struct code_columns *c, struct grid *g, struct area row, bool by_cum)
{
	grid_fill(g, row, ' ', theme_look(LOOK_HEAD));
	if (c->flat)
		grid_text_right(g, row, c->flat, 0, "flat", theme_look(by_cum ? LOOK_HEAD : LOOK_HEAD_HERE));
	if (c->cum)
		grid_text_right(g, row, c->cum, 0, "cum", theme_look(by_cum ? LOOK_HEAD_HERE : LOOK_HEAD));
}

static int draw_part(struct grid *g, struct area a, int x, const char *text, size_t n, struct look look)
{
	char *part = mem_strndup(text, n);

	x = grid_text(g, a, x, 0, part, look);
	free(part);
	return x;
}

/* Where the next match begins; NULL when there is none, or only the whole text is known to match. */
static const char *next_match(struct find *find, const char *text, size_t *n)
{
	size_t at;

	return find && find_at(find, text, &at, n) && *n ? text + at : NULL;
}

int code_draw_text(struct grid *g, struct area a, int x, int left, const char *text, struct look look,
		   struct find *find)
{
	struct area in = { a.x + x, a.y, a.width - x, 1 };
	size_t n_found = 0;
	const char *found = next_match(find, text, &n_found);
	bool is_match = find && !found && find_in(find, text);
	int at = -left;

	look.attr |= is_match ? ATTR_UNDERLINE : 0;
	while (*text && at < in.width) {
		size_t n = strcspn(text, "\t");

		if (found && found > text && (size_t)(found - text) < n)
			n = (size_t)(found - text);
		if (*text == '\t') {
			at += TAB - (at + left) % TAB;
			n = 1;
		} else if (text == found) {
			n = n_found < n ? n_found : n;
			at = draw_part(g, in, at, text, n, theme_look(LOOK_MATCH));
		} else {
			at = draw_part(g, in, at, text, n, look);
		}
		if (found && found < text + n)
			found = next_match(find, text + n, &n_found);
		text += n;
	}
	return x + at;
}

void code_draw_title(const struct code_values *v, struct grid *g, struct area row, const char *name, uint32_t i,
		     uint32_t n, int64_t flat, int64_t cum)
{
	struct buf text = { 0 }, which = { 0 };
	int room = row.width;

	buf_addz(&text, "  flat ");
	add_value(v, flat, &text);
	buf_addz(&text, " ");
	unit_add_percent_tight(&text, flat, v->head->total);
	buf_addz(&text, "  cum ");
	add_value(v, cum, &text);
	buf_addz(&text, " ");
	unit_add_percent_tight(&text, cum, v->head->total);
	if (room > (int)text.len + TEXT_WANTED) {
		grid_text_right(g, row, row.width, 0, buf_text(&text), theme_look(LOOK_PLAIN));
		room -= (int)text.len;
	}
	if (n > 1)
		buf_addf(&which, "  %u of %u", i + 1, n);
	if (room > (int)which.len + TEXT_WANTED / 2) {
		int x = grid_text_short(g, row, 0, 0, name, room - (int)which.len, theme_look(LOOK_KEY));

		grid_text(g, row, x, 0, buf_text(&which), theme_look(LOOK_QUIET));
	} else {
		grid_text_short(g, row, 0, 0, name, room, theme_look(LOOK_KEY));
	}
	buf_release(&text);
	buf_release(&which);
}

void code_add_instruction(const char *text, struct buf *out)
{
	size_t n = strcspn(text, " \t"), blank = strspn(text + n, " \t");

	buf_add(out, text, n);
	if (!text[n + blank])
		return;
	buf_fill(out, ' ', n < MNEMONIC ? MNEMONIC - n : 0);
	buf_addz(out, " ");
	buf_addz(out, text + n + blank);
}

/* How many bytes of a text go on a line of so many columns: up to a blank where there is one. */
static size_t wrap(const char *text, int width)
{
	size_t n = strcspn(text, "\n"), last = 0;

	if (width < 1 || n <= (size_t)width)
		return n;
	for (size_t i = 0; i <= (size_t)width; i++)
		last = text[i] == ' ' ? i : last;
	for (n = (size_t)width; n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80;)
		n--;
	return last ? last : n;
}

int code_draw_sentences(struct grid *g, struct area a, const char *text, int most, enum role role)
{
	int y = 0;

	for (; *text && y < most; y++) {
		size_t n = wrap(text, a.width - 2);

		draw_part(g, (struct area){ a.x, a.y + y, a.width, 1 }, 1, text, n, theme_look(role));
		text += n;
		text += *text == ' ' || *text == '\n';
	}
	return y;
}
