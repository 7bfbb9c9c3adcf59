/*
 * screen_paint.c - writing cells to the terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * curses sends only changes; this file passes only changes to curses. curses numbers pairs of foreground and
 * background, and some terminals only have 64. Pairs are allocated as styles appear. When there are none left, all
 * are freed and the screen is drawn again with the pairs of the styles that it has now.
 */
#include "config.h"

#include "base/mem.h"
#include "front/shell/terminal/screen_curses.h"
#include "front/shell/terminal/screen_int.h"

#include <assert.h>
#include <string.h>
#include <wchar.h>

/* With true colour, curses still treats the numbers 0 to 7 as palette colours. Use the next blue instead. */
static int color_number(const struct screen *s, int32_t color, int own)
{
	if (color == PALETTE_DEFAULT)
		return s->has_default_colors ? -1 : own;
	return s->palette == PALETTE_TRUE && color < 8 ? 8 : (int)color;
}

/* The number of the pair of a foreground and a background; -1 if all pairs are in use. */
static int screen_paint_pair_number(struct screen *s, int32_t fg, int32_t bg)
{
	size_t i = 0;

	if (fg == PALETTE_DEFAULT && bg == PALETTE_DEFAULT)
		return 0;
	while (i < s->n_pairs && (s->pair[i].fg != fg || s->pair[i].bg != bg))
		i++;
	if (i < s->n_pairs)
		return (int)i + 1;
	if ((int)i + 1 >= *curses.COLOR_PAIRS || curses.init_extended_pair((int)i + 1, color_number(s, fg, COLOR_WHITE),
									   color_number(s, bg, COLOR_BLACK)) != OK)
		return -1;
	s->pair = mem_grow(s->pair, &s->cap_pairs, s->n_pairs + 1, sizeof(*s->pair));
	s->pair[s->n_pairs++] = (struct color_pair){ fg, bg };
	return (int)i + 1;
}

/* The slot of a style in s->paint, used or free. */
static struct paint *screen_paint_slot_of(struct screen *s, struct style style)
{
	uint64_t h = (style.fg * UINT64_C(0x9e3779b97f4a7c15)) ^ (style.bg * UINT64_C(0xc2b2ae3d27d4eb4f)) ^ style.attr;

	assert(s->n_paints < PAINTS_MAX);
	h ^= h >> 29;
	for (size_t i = h % PAINTS_MAX;; i = (i + 1) % PAINTS_MAX) {
		struct paint *p = &s->paint[i];

		if (!p->is_used || (p->style.fg == style.fg && p->style.bg == style.bg && p->style.attr == style.attr))
			return p;
	}
}

/* The curses attributes of a style; NULL if there is no room for another style. */
static const struct paint *paint_of(struct screen *s, struct style style)
{
	static const struct {
		uint8_t attr;
		unsigned to;
	} attrs[] = {
		{ ATTR_BOLD, A_BOLD }, { ATTR_DIM, A_DIM }, { ATTR_UNDERLINE, A_UNDERLINE }, { ATTR_REVERSE, A_REVERSE }
	};
	struct paint *p = screen_paint_slot_of(s, style);
	struct terminal_style shown;

	if (p->is_used)
		return p;
	if (s->n_paints == PAINTS_MAX / 2)
		return NULL;
	shown = palette_style(s->palette, style);
	if (s->palette == PALETTE_16 && *curses.COLORS < 16 && shown.fg >= 8) {
		shown.fg -= 8;
		shown.attr |= ATTR_BOLD;
	}
	*p = (struct paint){ .style = style, .pair = screen_paint_pair_number(s, shown.fg, shown.bg) };
	if (p->pair < 0)
		return NULL;
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		if (shown.attr & attrs[i].attr)
			p->attr |= attrs[i].to;
	p->is_used = true;
	s->n_paints++;
	return p;
}

/* Discard the styles and pairs in use, and repaint everything. */
static void reset_paints(struct screen *s)
{
	memset(s->paint, 0, sizeof(s->paint));
	s->n_paints = 0;
	s->n_pairs = 0;
	s->must_repaint = true;
}

/*
 * Convert a cell for curses. Characters whose width differs between the C library and the grid are replaced by ?,
 * because the rest of the line would be shifted.
 *
 * to      the result, one or two characters
 * Returns their number
 */
static int screen_paint_convert(const struct screen *s, const struct grid_cell *c, int columns, const struct paint *p,
				cchar_t *to)
{
	wchar_t text[CELL_MARKS + 2] = { (wchar_t)c->ch };
	int n = 1;
	bool known = c->ch < 0x80 || (!s->is_ascii && wcwidth((wchar_t)c->ch) == columns);

	assert(columns == 1 || columns == 2);
	if (!known)
		text[0] = L'?';
	for (int i = 0; known && !s->is_ascii && i < CELL_MARKS && c->mark[i]; i++)
		if (wcwidth((wchar_t)c->mark[i]) == 0)
			text[n++] = (wchar_t)c->mark[i];
	curses.setcchar(to, text, p->attr, 0, &p->pair);
	if (known || columns == 1)
		return 1;
	to[1] = to[0];
	return 2;
}

/* Draw columns [from, end) of row y; false when colours ran out. */
static bool screen_paint_draw(struct screen *s, const struct grid *g, int y, int from, int end)
{
	const struct grid_cell *row = g->cell + (size_t)y * (size_t)g->width;
	enum { PART = 256 };
	cchar_t out[PART + 2];
	static const struct paint none;
	bool all = true;

	while (from < end) {
		int n = 0, x = from;

		while (x < end && n < PART) {
			int columns = x + 1 < g->width && !row[x + 1].ch ? 2 : 1;
			const struct paint *p = paint_of(s, row[x].style);

			all = all && p;
			n += screen_paint_convert(s, row + x, columns, p ? p : &none, out + n);
			x += columns;
		}
		assert(n <= PART + 1);
		curses.wmove(*curses.stdscr, y, from);
		curses.wadd_wchnstr(*curses.stdscr, out, n);
		from = x;
	}
	return all;
}

static bool same_cell(const struct grid_cell *a, const struct grid_cell *b)
{
	return a->ch == b->ch && memcmp(a->mark, b->mark, sizeof(a->mark)) == 0 && a->style.fg == b->style.fg &&
	       a->style.bg == b->style.bg && a->style.attr == b->style.attr;
}

/* Draw the changes of row y, or all of it. */
static bool screen_paint_draw_row(struct screen *s, const struct grid *g, int y, bool all)
{
	const struct grid_cell *now = g->cell + (size_t)y * (size_t)g->width;
	struct grid_cell *old = s->shown.cell + (size_t)y * (size_t)s->shown.width;
	int end = g->width < s->shown.width ? g->width : s->shown.width, from = 0;
	bool done;

	assert(y >= 0 && y < g->height && y < s->shown.height);
	while (!all && from < end && same_cell(now + from, old + from))
		from++;
	while (!all && end > from && same_cell(now + end - 1, old + end - 1))
		end--;
	while (from > 0 && from < end && !now[from].ch)
		from--;
	if (from == end)
		return true;
	done = screen_paint_draw(s, g, y, from, end);
	memcpy(old + from, now + from, (size_t)(end - from) * sizeof(*old));
	return done;
}

static bool draw_all(struct screen *s, const struct grid *g, bool all)
{
	int height = g->height < s->shown.height ? g->height : s->shown.height;
	bool done = true;

	for (int y = 0; y < height; y++)
		done &= screen_paint_draw_row(s, g, y, all);
	return done;
}

void screen_show(struct screen *s, const struct grid *g)
{
	bool cursor =
		g->cursor_x >= 0 && g->cursor_y >= 0 && g->cursor_x < s->shown.width && g->cursor_y < s->shown.height;

	if (s->is_paused)
		return;
	if (s->must_repaint)
		curses.clearok(*curses.curscr, TRUE);
	if (!draw_all(s, g, s->must_repaint)) {
		reset_paints(s);
		draw_all(s, g, true); /* styles without a colour pair stay uncoloured */
	}
	s->must_repaint = false;
	curses.curs_set(cursor);
	curses.wmove(*curses.stdscr, cursor ? g->cursor_y : 0, cursor ? g->cursor_x : 0);
	curses.wnoutrefresh(*curses.stdscr);
	curses.doupdate();
}

void screen_repaint(struct screen *s)
{
	s->must_repaint = true;
}
