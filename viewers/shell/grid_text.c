/*
 * grid_text.c - writing text into cells
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text is walked character by character, so that a name of a megabyte costs no more than the cells it
 * gets. How wide a character is, is asked of viewers/flame and not of the C library: screens are the
 * same in every locale, and views that measure with flame_columns agree with the grid.
 */
#include "config.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/grid_int.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4, FIRST_MARK = 0x300, ELLIPSIS = 0x2026 };

/* Where a text is being read, and the rest of \x1b when a control stands there. */
struct walk {
	const char *at;
	struct buf escape;
	size_t escaped;
};

int glyph_columns(uint32_t ch)
{
	struct buf one = { 0 };
	int columns;

	if (ch < FIRST_MARK)
		return 1;
	utf8_add_char(&one, ch);
	columns = (int)flame_columns(buf_text(&one));
	buf_release(&one);
	return columns;
}

/* The character at text, 0 at its end or when it must be escaped; its length. */
static uint32_t look_at(const char *text, size_t *n)
{
	unsigned char first = (unsigned char)*text;
	uint32_t c = 0;

	*n = 1;
	if (first >= ' ' && first < 0x7f)
		return first;
	if (first == '\t')
		return ' ';
	if (!first)
		return 0;
	*n = utf8_decode(text, strnlen(text, LONGEST), &c);
	return *n && utf8_is_plain(c) ? c : 0;
}

/* Does a mark that takes no column follow? Then add it. */
static bool take_mark(struct walk *w, struct glyph *out)
{
	size_t n;
	uint32_t c;

	if ((unsigned char)*w->at < 0x80)
		return false;
	c = look_at(w->at, &n);
	if (!c || glyph_columns(c))
		return false;
	w->at += n;
	for (int i = 0; i < CELL_MARKS; i++)
		if (!out->mark[i]) {
			out->mark[i] = c;
			break;
		}
	return true;
}

/* The next glyph of a text; false at its end. Marks with nothing to stand on are left out. */
static bool walk_next(struct walk *w, struct glyph *out)
{
	size_t n;

	*out = (struct glyph){ .columns = 1 };
	while (w->escaped == w->escape.len) {
		if (!*w->at)
			return false;
		out->ch = look_at(w->at, &n);
		if (!out->ch) {
			w->escape.len = w->escaped = 0;
			utf8_add_safe(&w->escape, w->at, n ? n : 1);
			w->at += n ? n : 1;
			break;
		}
		w->at += n;
		out->columns = glyph_columns(out->ch);
		if (!out->columns)
			continue;
		while (take_mark(w, out))
			;
		return true;
	}
	out->ch = (unsigned char)w->escape.data[w->escaped++];
	return true;
}

/* Put a glyph into row y of an area from column x of it on, if it is inside as a whole. */
static void put(struct grid *g, struct area a, int x, int y, struct glyph glyph, struct look look)
{
	struct area in = grid_clip(g, a);
	int64_t column = (int64_t)a.x + x, row = (int64_t)a.y + y, end = (int64_t)in.x + in.width;

	if (row < in.y || row >= in.y + in.height || column + glyph.columns <= in.x || column >= end)
		return;
	if (g->ascii) {
		bool two = glyph.columns == 2;

		glyph = (struct glyph){ .ch = (unsigned char)glyph_ascii(glyph.ch), .columns = 1 };
		if (two)
			put(g, a, x + 1, y, glyph, look);
	} else if (column < in.x || column + glyph.columns > end) { /* half of it: a blank */
		column = column < in.x ? in.x : column;
		glyph = (struct glyph){ .ch = ' ', .columns = 1 };
	}
	if (column >= in.x)
		grid_put(g, (int)column, (int)row, &glyph, look);
}

int grid_text(struct grid *g, struct area a, int x, int y, const char *text, struct look look)
{
	struct walk w = { .at = text };
	struct glyph glyph;

	while (x < a.width && walk_next(&w, &glyph)) {
		if (glyph.columns > a.width - x)
			glyph = (struct glyph){ .ch = ' ', .columns = 1 };
		put(g, a, x, y, glyph, look);
		x += glyph.columns;
	}
	buf_release(&w.escape);
	return x;
}

/* The glyphs of a text, for what is cut at its start or in its middle. */
struct glyphs {
	struct glyph *glyph; /* [n] */
	size_t n, cap;
	int64_t columns;
};

static void add_glyphs(struct glyphs *to, const char *text, int columns)
{
	struct walk w = { .at = text };
	struct glyph glyph;

	for (int64_t end = to->columns + columns; to->columns < end && walk_next(&w, &glyph);) {
		to->glyph = mem_grow(to->glyph, &to->cap, to->n + 1, sizeof(*to->glyph));
		to->glyph[to->n++] = glyph;
		to->columns += glyph.columns;
	}
	buf_release(&w.escape);
}

/* Where a text's last columns begin, or a bit before; names may be of any length. */
static const char *last_part(const char *text, int columns)
{
	enum { MOST = 16 }; /* bytes of a character with its marks, unless there are many */
	size_t n = strlen(text), keep = (size_t)(columns > 0 ? columns : 0) * MOST;

	if (n <= keep)
		return text;
	for (text += n - keep; ((unsigned char)*text & 0xc0) == 0x80;)
		text++;
	return text;
}

void grid_text_right(struct grid *g, struct area a, int x, int y, const char *text, struct look look)
{
	struct glyphs all = { 0 };

	add_glyphs(&all, last_part(text, x), INT_MAX);
	for (size_t i = all.n; i > 0 && x > 0; i--) {
		x -= all.glyph[i - 1].columns;
		put(g, a, x, y, all.glyph[i - 1], look);
	}
	free(all.glyph);
}

/* Put a text's last glyphs so that they take at most so many columns; gives the column behind them. */
static int put_tail(struct grid *g, struct area a, int x, int y, const char *text, int columns, struct look look)
{
	struct glyphs all = { 0 };
	size_t from;

	add_glyphs(&all, last_part(text, columns), INT_MAX);
	for (from = all.n; from > 0 && all.glyph[from - 1].columns <= columns;)
		columns -= all.glyph[--from].columns;
	for (; from < all.n; x += all.glyph[from++].columns)
		put(g, a, x, y, all.glyph[from], look);
	free(all.glyph);
	return x;
}

int grid_text_short(struct grid *g, struct area a, int x, int y, const char *text, int columns, struct look look)
{
	struct glyphs all = { 0 };
	struct glyph dots = { .ch = ELLIPSIS, .columns = 1 };
	int end = x;

	columns = columns < a.width - x ? columns : a.width - x;
	if (columns <= 0)
		return x;
	add_glyphs(&all, text, columns + 1);
	if (all.columns <= columns) {
		for (size_t i = 0; i < all.n; end += all.glyph[i++].columns)
			put(g, a, end, y, all.glyph[i], look);
	} else {
		int head = columns / 2;

		for (size_t i = 0; all.glyph[i].columns <= head; end += all.glyph[i++].columns) {
			put(g, a, end, y, all.glyph[i], look);
			head -= all.glyph[i].columns;
		}
		put(g, a, end, y, dots, look);
		end = put_tail(g, a, end + 1, y, text, columns - 1 - columns / 2, look);
	}
	free(all.glyph);
	return end;
}
