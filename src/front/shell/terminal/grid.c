/*
 * grid.c - a screen of character cells: text, fills, frames, bars, and output as text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text is read character by character, so that a name of a megabyte costs no more than the cells it gets. The width of
 * a character comes from base/columns.h and not from the C library, so that screens are the same in every locale, and
 * views that measure with column_count agree with the grid.
 */
#include "config.h"

#include "front/shell/terminal/grid.h"

#include "base/columns.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/utf8.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* One character with its combining marks, one or two columns wide. */
struct glyph {
	uint32_t ch;
	uint32_t mark[CELL_MARKS];
	int columns;
};

/* ---- ASCII for a terminal without UTF-8 ---- */

/* Characters lo to hi, which look like one ASCII character. Sorted. */
struct like {
	uint16_t lo, hi;
	char ascii;
};

static const struct like likes[] = {
	{ 0xa0, 0xa0, ' ' },                                                        /* no-break space */
	{ 0xab, 0xab, '<' },                                                        /* French quotes */
	{ 0xb5, 0xb5, 'u' },                                                        /* micro */
	{ 0xb7, 0xb7, '.' },                                                        /* middle dot */
	{ 0xbb, 0xbb, '>' },      { 0xd7, 0xd7, 'x' },                              /* times */
	{ 0x394, 0x394, 'd' },                                                      /* delta */
	{ 0x3bc, 0x3bc, 'u' },                                                      /* mu */
	{ 0x2010, 0x2015, '-' },                                                    /* dashes */
	{ 0x2018, 0x2019, '\'' }, { 0x201c, 0x201d, '"' }, { 0x2022, 0x2022, '*' }, /* bullet */
	{ 0x2026, 0x2026, '~' },                                                    /* ellipsis */
	{ 0x2039, 0x2039, '<' },  { 0x203a, 0x203a, '>' }, { 0x2190, 0x2190, '<' }, /* arrows */
	{ 0x2191, 0x2191, '^' },  { 0x2192, 0x2192, '>' }, { 0x2193, 0x2193, 'v' },
	{ 0x21a9, 0x21a9, '<' },  { 0x21aa, 0x21aa, '>' }, { 0x21b5, 0x21b5, '<' },
	{ 0x21d0, 0x21d0, '<' },  { 0x21d1, 0x21d1, '^' }, { 0x21d2, 0x21d2, '>' },
	{ 0x21d3, 0x21d3, 'v' },  { 0x2212, 0x2212, '-' }, /* minus */
	{ 0x2248, 0x2248, '~' },  { 0x2260, 0x2260, '#' }, { 0x2264, 0x2264, '<' },
	{ 0x2265, 0x2265, '>' },  { 0x22ee, 0x22ee, ':' }, /* vertical ellipsis */
	{ 0x22ef, 0x22ef, '~' },  { 0x23ce, 0x23ce, '<' }, /* return symbol */
	{ 0x2500, 0x2501, '-' },                           /* box drawing */
	{ 0x2502, 0x2503, '|' },  { 0x2504, 0x2505, '-' }, { 0x2506, 0x2507, '|' },
	{ 0x2508, 0x2509, '-' },  { 0x250a, 0x250b, '|' }, { 0x250c, 0x254b, '+' },
	{ 0x254c, 0x254d, '-' },  { 0x254e, 0x254f, '|' }, { 0x2550, 0x2550, '=' },
	{ 0x2551, 0x2551, '|' },  { 0x2552, 0x2570, '+' }, { 0x2574, 0x2574, '-' },
	{ 0x2575, 0x2575, '|' },  { 0x2576, 0x2576, '-' }, { 0x2577, 0x2577, '|' },
	{ 0x2578, 0x2578, '-' },  { 0x2579, 0x2579, '|' }, { 0x257a, 0x257a, '-' },
	{ 0x257b, 0x257b, '|' },  { 0x257c, 0x257c, '-' }, { 0x257d, 0x257d, '|' },
	{ 0x257e, 0x257e, '-' },  { 0x257f, 0x257f, '|' }, { 0x2580, 0x2580, '"' }, /* upper half block */
	{ 0x2581, 0x2583, '_' },                                                    /* low blocks */
	{ 0x2584, 0x2586, '=' },  { 0x2587, 0x258c, '#' },                          /* full to half */
	{ 0x258d, 0x258f, '|' },                                                    /* narrow */
	{ 0x2590, 0x2590, '#' },  { 0x2591, 0x2591, '.' },                          /* shades */
	{ 0x2592, 0x2592, ':' },  { 0x2593, 0x2593, '#' }, { 0x2594, 0x2594, '"' },
	{ 0x2595, 0x2595, '|' },  { 0x2596, 0x259f, '#' }, { 0x25a0, 0x25a0, '#' }, /* squares */
	{ 0x25a1, 0x25a1, 'o' },  { 0x25aa, 0x25ab, '*' }, { 0x25b2, 0x25b5, '^' }, /* triangles */
	{ 0x25b6, 0x25bb, '>' },  { 0x25bc, 0x25bf, 'v' }, { 0x25c0, 0x25c5, '<' },
	{ 0x25c6, 0x25c8, '*' },  { 0x25cb, 0x25cb, 'o' }, { 0x25cf, 0x25cf, '*' },
	{ 0x2605, 0x2606, '*' },  { 0x2713, 0x2714, 'v' }, { 0x2715, 0x2718, 'x' },
	{ 0x276e, 0x276e, '<' },  { 0x276f, 0x276f, '>' }, { 0x27e8, 0x27e8, '<' },
	{ 0x27e9, 0x27e9, '>' },
};

static bool is_like_before(const void *arg, size_t i)
{
	const uint32_t *ch = arg;

	return likes[i].hi < *ch;
}

/* The most similar ASCII character; ? when there is none. */
static char glyph_ascii(uint32_t ch)
{
	size_t i, n = sizeof(likes) / sizeof(likes[0]);

	if (ch < 0x80)
		return (char)ch;
	i = lower_bound(0, n, is_like_before, &ch);
	return i < n && ch >= likes[i].lo ? likes[i].ascii : '?';
}

/* ---- cells ---- */

static const struct style plain = { COLOR_DEFAULT, COLOR_DEFAULT, 0 };

void grid_resize(struct grid *g, int width, int height)
{
	free(g->cell);
	g->width = width > 0 ? width : 0;
	g->height = height > 0 ? height : 0;
	g->cell = mem_alloc((size_t)g->width * (size_t)g->height, sizeof(*g->cell));
	grid_clear(g, plain);
}

void grid_release(struct grid *g)
{
	free(g->cell);
	*g = (struct grid){ .cursor_x = -1, .cursor_y = -1 };
}

void grid_clear(struct grid *g, struct style style)
{
	size_t n = (size_t)g->width * (size_t)g->height;

	for (size_t i = 0; i < n; i++)
		g->cell[i] = (struct grid_cell){ .ch = ' ', .style = style };
	g->cursor_x = g->cursor_y = -1;
}

struct area grid_area(const struct grid *g)
{
	return (struct area){ 0, 0, g->width, g->height };
}

static int at_most(int64_t a, int b)
{
	return a < b ? (int)a : b;
}

/* The part of an area that is on the grid. */
static struct area clip(const struct grid *g, struct area a)
{
	int x1 = at_most((int64_t)a.x + a.width, g->width), y1 = at_most((int64_t)a.y + a.height, g->height);
	struct area out = { .x = a.x > 0 ? a.x : 0, .y = a.y > 0 ? a.y : 0 };

	out.width = x1 > out.x ? x1 - out.x : 0;
	out.height = y1 > out.y ? y1 - out.y : 0;
	return out;
}

static void blank(struct grid_cell *c)
{
	c->ch = ' ';
	memset(c->mark, 0, sizeof(c->mark));
}

/*
 * Put a glyph into the cell of column x and row y of the grid, which must have room for it. The remaining
 * half of a wide character that it overwrites becomes blank.
 */
static void put_glyph(struct grid *g, int x, int y, const struct glyph *glyph, struct style style)
{
	struct grid_cell *row = g->cell + (size_t)y * (size_t)g->width, *c = row + x;
	int end = x + glyph->columns;

	assert(x >= 0 && end <= g->width && y >= 0 && y < g->height);
	assert(glyph->columns == 1 || glyph->columns == 2);
	if (!c->ch && x > 0)
		blank(c - 1);
	if (end < g->width && !row[end].ch)
		blank(row + end);
	c->ch = glyph->ch;
	memcpy(c->mark, glyph->mark, sizeof(c->mark));
	c->style = style;
	if (glyph->columns == 2)
		c[1] = (struct grid_cell){ .style = style };
}

void grid_fill(struct grid *g, struct area a, uint32_t ch, struct style style)
{
	struct glyph glyph = { .ch = ch ? ch : ' ', .columns = 1 };

	if (grid_columns(glyph.ch) != 1)
		glyph.ch = ' ';
	if (g->is_ascii)
		glyph.ch = (unsigned char)glyph_ascii(glyph.ch);
	a = clip(g, a);
	for (int y = a.y; y < a.y + a.height; y++)
		for (int x = a.x; x < a.x + a.width; x++)
			put_glyph(g, x, y, &glyph, style);
}

void grid_paint(struct grid *g, struct area a, struct style style)
{
	a = clip(g, a);
	for (int y = a.y; a.width && y < a.y + a.height; y++) {
		struct grid_cell *row = g->cell + (size_t)y * (size_t)g->width;
		int end = a.x + a.width;

		for (int x = a.x; x < end; x++)
			row[x].style = style;
		/* both halves of a wide character have the style of the left one */
		if (!row[a.x].ch && a.x > 0)
			row[a.x].style = row[a.x - 1].style;
		if (end < g->width && !row[end].ch)
			row[end].style = row[end - 1].style;
	}
}

enum { LINE = 0x2500, BAR = 0x2502, TOP_LEFT = 0x250c, TOP_RIGHT = 0x2510, LOW_LEFT = 0x2514, LOW_RIGHT = 0x2518 };

struct area grid_frame(struct grid *g, struct area a, const char *title, struct style style)
{
	int right = a.x + a.width - 1, low = a.y + a.height - 1;

	if (a.width < 2 || a.height < 2) {
		grid_fill(g, a, ' ', style);
		return (struct area){ a.x, a.y, 0, 0 };
	}
	grid_fill(g, (struct area){ a.x, a.y, a.width, 1 }, LINE, style);
	grid_fill(g, (struct area){ a.x, low, a.width, 1 }, LINE, style);
	grid_fill(g, (struct area){ a.x, a.y, 1, a.height }, BAR, style);
	grid_fill(g, (struct area){ right, a.y, 1, a.height }, BAR, style);
	grid_fill(g, (struct area){ a.x, a.y, 1, 1 }, TOP_LEFT, style);
	grid_fill(g, (struct area){ right, a.y, 1, 1 }, TOP_RIGHT, style);
	grid_fill(g, (struct area){ a.x, low, 1, 1 }, LOW_LEFT, style);
	grid_fill(g, (struct area){ right, low, 1, 1 }, LOW_RIGHT, style);
	if (title && *title && a.width > 6) {
		int end = grid_text(g, a, 2, 0, " ", style);

		end = grid_text_short(g, a, end, 0, title, a.width - 6, style);
		grid_text(g, a, end, 0, " ", style);
	}
	return (struct area){ a.x + 1, a.y + 1, a.width - 2, a.height - 2 };
}

/* ---- text ---- */

enum { CHAR_BYTES_MAX = 4, FIRST_MARK = 0x300, ELLIPSIS = 0x2026 };

/* A position in a text, and the characters of an escape such as \x1b that are still to be drawn. */
struct grid_walk {
	const char *at;
	struct buf escape;
	size_t escaped;
};

int grid_columns(uint32_t ch)
{
	struct buf one = { 0 };
	int columns;

	if (ch < FIRST_MARK)
		return 1;
	utf8_add_char(&one, ch);
	columns = (int)column_count(buf_text(&one));
	buf_release(&one);
	assert(columns >= 0 && columns <= 2);
	return columns;
}

/* The character at text and its length; 0 at the end or when it must be escaped. */
static uint32_t decode_char(const char *text, size_t *n)
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
	*n = utf8_decode(text, strnlen(text, CHAR_BYTES_MAX), &c);
	return *n && utf8_is_safe(c) ? c : 0;
}

/* Add the next combining mark of a text to a glyph. Return false when there is none. */
static bool take_mark(struct grid_walk *w, struct glyph *out)
{
	size_t n;
	uint32_t c;

	if ((unsigned char)*w->at < 0x80)
		return false;
	c = decode_char(w->at, &n);
	if (!c || grid_columns(c))
		return false;
	w->at += n;
	for (int i = 0; i < CELL_MARKS; i++)
		if (!out->mark[i]) {
			out->mark[i] = c;
			break;
		}
	return true;
}

/* The next glyph of a text; false at its end. Marks without a character before them are skipped. */
static bool walk_next(struct grid_walk *w, struct glyph *out)
{
	size_t n;

	assert(w->escaped <= w->escape.len);
	*out = (struct glyph){ .columns = 1 };
	while (w->escaped == w->escape.len) {
		if (!*w->at)
			return false;
		out->ch = decode_char(w->at, &n);
		if (!out->ch) {
			w->escape.len = w->escaped = 0;
			utf8_add_safe(&w->escape, w->at, n ? n : 1);
			w->at += n ? n : 1;
			break;
		}
		w->at += n;
		out->columns = grid_columns(out->ch);
		if (!out->columns)
			continue;
		while (take_mark(w, out))
			;
		return true;
	}
	out->ch = (unsigned char)w->escape.data[w->escaped++];
	return true;
}

/* Put a glyph into row y of an area at its column x, clipped to the area. */
static void grid_put(struct grid *g, struct area a, int x, int y, struct glyph glyph, struct style style)
{
	struct area in = clip(g, a);
	int64_t column = (int64_t)a.x + x, row = (int64_t)a.y + y, end = (int64_t)in.x + in.width;

	assert(glyph.columns == 1 || glyph.columns == 2);
	if (row < in.y || row >= in.y + in.height || column + glyph.columns <= in.x || column >= end)
		return;
	if (g->is_ascii) {
		bool two = glyph.columns == 2;

		glyph = (struct glyph){ .ch = (unsigned char)glyph_ascii(glyph.ch), .columns = 1 };
		if (two)
			grid_put(g, a, x + 1, y, glyph, style);
	} else if (column < in.x || column + glyph.columns > end) { /* draw half a wide character as a blank */
		column = column < in.x ? in.x : column;
		glyph = (struct glyph){ .ch = ' ', .columns = 1 };
	}
	if (column >= in.x)
		put_glyph(g, (int)column, (int)row, &glyph, style);
}

int grid_text(struct grid *g, struct area a, int x, int y, const char *text, struct style style)
{
	struct grid_walk w = { .at = text };
	struct glyph glyph;

	while (x < a.width && walk_next(&w, &glyph)) {
		if (glyph.columns > a.width - x)
			glyph = (struct glyph){ .ch = ' ', .columns = 1 };
		grid_put(g, a, x, y, glyph, style);
		x += glyph.columns;
	}
	buf_release(&w.escape);
	return x;
}

/* The glyphs of a text that may be cut at its start or in its middle. */
struct glyphs {
	struct glyph *glyph; /* [n] */
	size_t n, cap;
	int64_t columns;
};

static void add_glyphs(struct glyphs *to, const char *text, int columns)
{
	struct grid_walk w = { .at = text };
	struct glyph glyph;

	for (int64_t end = to->columns + columns; to->columns < end && walk_next(&w, &glyph);) {
		to->glyph = mem_grow(to->glyph, &to->cap, to->n + 1, sizeof(*to->glyph));
		to->glyph[to->n++] = glyph;
		to->columns += glyph.columns;
	}
	buf_release(&w.escape);
}

/* A suffix of a text that fills at least this many columns, so that a long name is not read from its start. */
static const char *grid_last_part(const char *text, int columns)
{
	enum { BYTES_MAX = 16 }; /* typical maximum bytes of a character with its marks */
	size_t n = strlen(text), keep = (size_t)(columns > 0 ? columns : 0) * BYTES_MAX;

	if (n <= keep)
		return text;
	for (text += n - keep; ((unsigned char)*text & 0xc0) == 0x80;)
		text++;
	return text;
}

void grid_text_right(struct grid *g, struct area a, int x, int y, const char *text, struct style style)
{
	struct glyphs all = { 0 };

	add_glyphs(&all, grid_last_part(text, x), INT_MAX);
	for (size_t i = all.n; i > 0 && x > 0; i--) {
		x -= all.glyph[i - 1].columns;
		grid_put(g, a, x, y, all.glyph[i - 1], style);
	}
	free(all.glyph);
}

/* Put the last glyphs of a text, in at most this many columns. Return the column after them. */
static int put_tail(struct grid *g, struct area a, int x, int y, const char *text, int columns, struct style style)
{
	struct glyphs all = { 0 };
	size_t from;

	add_glyphs(&all, grid_last_part(text, columns), INT_MAX);
	for (from = all.n; from > 0 && all.glyph[from - 1].columns <= columns;)
		columns -= all.glyph[--from].columns;
	for (; from < all.n; x += all.glyph[from++].columns)
		grid_put(g, a, x, y, all.glyph[from], style);
	free(all.glyph);
	return x;
}

int grid_text_short(struct grid *g, struct area a, int x, int y, const char *text, int columns, struct style style)
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
			grid_put(g, a, end, y, all.glyph[i], style);
	} else {
		int head = columns / 2;

		for (size_t i = 0; all.glyph[i].columns <= head; end += all.glyph[i++].columns) {
			grid_put(g, a, end, y, all.glyph[i], style);
			head -= all.glyph[i].columns;
		}
		grid_put(g, a, end, y, dots, style);
		end = put_tail(g, a, end + 1, y, text, columns - 1 - columns / 2, style);
	}
	free(all.glyph);
	return end;
}

/* ---- bars ---- */

enum { EIGHTHS = 8, FULL = 0x2588 }; /* the blocks for 1 to 7 eighths are 0x258f down to 0x2589 */

void grid_bar(struct grid *g, struct area a, int x, int y, int cells, double share, struct style style)
{
	int n;

	if (!(share > 0) || cells < 1 || y < 0 || y >= a.height)
		return;
	n = share >= 1 ? cells * EIGHTHS : (int)(share * cells * EIGHTHS + 0.5);
	n = n > 0 ? n : 1;
	for (; n > 0; n -= EIGHTHS, x++)
		if (x >= 0 && x < a.width)
			grid_fill(g, (struct area){ a.x + x, a.y + y, 1, 1 },
				  FULL + (uint32_t)(n >= EIGHTHS ? 0 : EIGHTHS - n), style);
}

/* ---- a screen as text ---- */

/*
 * With styles each row begins with |. A row with other styles than plain is followed by a row that begins with : and
 * has a letter below each styled cell:
 *
 *   |Showing nodes   50ms
 *   :aaaaaaa         bbbb
 *   a 1a1a1a on own, bold
 *   b own on ffcc00
 */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

enum { STYLES_MAX = sizeof(letters) - 1 };

/* The styles so far, in order of appearance. After the last letter, all further styles are *. */
struct grid_seen {
	struct style style[STYLES_MAX];
	int n;
	bool more;
};

static bool same(struct style a, struct style b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attr == b.attr;
}

static char letter_of(struct grid_seen *s, struct style style)
{
	int i = 0;

	assert(s->n <= STYLES_MAX);
	if (same(style, (struct style){ COLOR_DEFAULT, COLOR_DEFAULT, 0 }))
		return ' ';
	while (i < s->n && !same(s->style[i], style))
		i++;
	if (i == STYLES_MAX) {
		s->more = true;
		return '*';
	}
	if (i == s->n)
		s->style[s->n++] = style;
	return letters[i];
}

static void grid_trim(struct buf *out, size_t from)
{
	while (out->len > from && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

static void grid_add_row(const struct grid_cell *cell, int n, struct buf *out)
{
	size_t from = out->len;

	for (int x = 0; x < n; x++) {
		if (cell[x].ch)
			utf8_add_char(out, cell[x].ch);
		for (int i = 0; cell[x].ch && i < CELL_MARKS && cell[x].mark[i]; i++)
			utf8_add_char(out, cell[x].mark[i]);
	}
	grid_trim(out, from);
	buf_addz(out, "\n");
}

static void add_letters(struct grid_seen *s, const struct grid_cell *cell, int n, struct buf *out)
{
	size_t from = out->len;

	buf_addz(out, ":");
	for (int x = 0; x < n; x++)
		buf_fill(out, letter_of(s, cell[x].style), 1);
	grid_trim(out, from + 1);
	if (out->len == from + 1)
		out->data[out->len = from] = '\0';
	else
		buf_addz(out, "\n");
}

static void grid_add_color(uint32_t color, struct buf *out)
{
	if (color == COLOR_DEFAULT)
		buf_addz(out, "own");
	else
		buf_addf(out, "%06x", (unsigned)color);
}

static void grid_add_legend(const struct grid_seen *s, struct buf *out)
{
	static const char *const names[] = { "bold", "dim", "underline", "reverse" };

	for (int i = 0; i < s->n; i++) {
		buf_addf(out, "%c ", letters[i]);
		grid_add_color(s->style[i].fg, out);
		buf_addz(out, " on ");
		grid_add_color(s->style[i].bg, out);
		for (int k = 0; k < 4; k++)
			if (s->style[i].attr >> k & 1)
				buf_addf(out, ", %s", names[k]);
		buf_addz(out, "\n");
	}
	if (s->more)
		buf_addz(out, "* other styles\n");
}

void grid_add_text(const struct grid *g, bool with_styles, struct buf *out)
{
	struct grid_seen seen = { .n = 0 };

	for (int y = 0; y < g->height; y++) {
		const struct grid_cell *row = g->cell + (size_t)y * (size_t)g->width;

		if (with_styles)
			buf_addz(out, "|");
		grid_add_row(row, g->width, out);
		if (with_styles)
			add_letters(&seen, row, g->width, out);
	}
	if (!with_styles)
		return;
	grid_add_legend(&seen, out);
	if (g->cursor_x >= 0)
		buf_addf(out, "cursor %d,%d\n", g->cursor_x, g->cursor_y);
}

struct area grid_box(struct grid *g, int width, int height, struct style style)
{
	struct area a = { 0, 0, width < g->width ? width : g->width, height < g->height ? height : g->height };

	a.x = (g->width - a.width) / 2;
	a.y = (g->height - a.height) / 2;
	grid_fill(g, a, ' ', style);
	g->cursor_x = g->cursor_y = -1;
	return a;
}

bool grid_has(struct area a, int x, int y)
{
	return x >= a.x && x < a.x + a.width && y >= a.y && y < a.y + a.height;
}
