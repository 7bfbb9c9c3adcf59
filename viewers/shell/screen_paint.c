/*
 * screen_paint.c - cells to the terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * curses sends what changed; here only what changed is given to it. It knows colours as numbered pairs of
 * ink and paper, of which some terminals have 64. They are given as looks appear; when they are gone all
 * are taken back and the screen is drawn again, with the pairs of the looks that are on it now.
 */
#include "config.h"

#include "base/mem.h"
#include "viewers/shell/screen_curses.h"
#include "viewers/shell/screen_int.h"

#include <assert.h>
#include <string.h>
#include <wchar.h>

/* Does a pair of curses mean what its first 8 colours mean where there is true colour? Then take the next blue. */
static int color_number(const struct screen *s, int32_t color, int own)
{
	if (color == DEPTH_OWN)
		return s->own_colors ? -1 : own;
	return s->depth == DEPTH_TRUE && color < 8 ? 8 : (int)color;
}

/* The pair of an ink and a paper; -1 when none is left. */
static int pair_of(struct screen *s, int32_t ink, int32_t paper)
{
	size_t i = 0;

	if (ink == DEPTH_OWN && paper == DEPTH_OWN)
		return 0;
	while (i < s->n_pairs && (s->pair[i].ink != ink || s->pair[i].paper != paper))
		i++;
	if (i < s->n_pairs)
		return (int)i + 1;
	if ((int)i + 1 >= *curses.COLOR_PAIRS ||
	    curses.init_extended_pair((int)i + 1, color_number(s, ink, COLOR_WHITE),
				      color_number(s, paper, COLOR_BLACK)) != OK)
		return -1;
	s->pair = mem_grow(s->pair, &s->cap_pairs, s->n_pairs + 1, sizeof(*s->pair));
	s->pair[s->n_pairs++] = (struct pair_of){ ink, paper };
	return (int)i + 1;
}

/* Where in s->paint a look is or would be. */
static struct paint *slot_of(struct screen *s, struct look look)
{
	uint64_t h =
		(look.ink * UINT64_C(0x9e3779b97f4a7c15)) ^ (look.paper * UINT64_C(0xc2b2ae3d27d4eb4f)) ^ look.attr;

	assert(s->n_paints < PAINTS);
	h ^= h >> 29;
	for (size_t i = h % PAINTS;; i = (i + 1) % PAINTS) {
		struct paint *p = &s->paint[i];

		if (!p->used || (p->look.ink == look.ink && p->look.paper == look.paper && p->look.attr == look.attr))
			return p;
	}
}

/* What a look is to curses; NULL when there is no room for one more. */
static const struct paint *paint_of(struct screen *s, struct look look)
{
	static const struct {
		uint8_t attr;
		unsigned to;
	} attrs[] = {
		{ ATTR_BOLD, A_BOLD }, { ATTR_DIM, A_DIM }, { ATTR_UNDERLINE, A_UNDERLINE }, { ATTR_REVERSE, A_REVERSE }
	};
	struct paint *p = slot_of(s, look);
	struct shade shade;

	if (p->used)
		return p;
	if (s->n_paints == PAINTS / 2)
		return NULL;
	shade = depth_shade(s->depth, look);
	if (s->depth == DEPTH_16 && *curses.COLORS < 16 && shade.ink >= 8) {
		shade.ink -= 8;
		shade.attr |= ATTR_BOLD;
	}
	*p = (struct paint){ .look = look, .pair = pair_of(s, shade.ink, shade.paper) };
	if (p->pair < 0)
		return NULL;
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		if (shade.attr & attrs[i].attr)
			p->attr |= attrs[i].to;
	p->used = true;
	s->n_paints++;
	return p;
}

/* Forget what was sent and which colours are in use. */
static void forget_paints(struct screen *s)
{
	memset(s->paint, 0, sizeof(s->paint));
	s->n_paints = 0;
	s->n_pairs = 0;
	s->forget = true;
}

/*
 * A cell for curses. What the C library holds for wider or narrower than the grid does is left out, as
 * all behind it on the line would be shifted.
 *
 * to     one or two of them
 * Gives  how many
 */
static int convert(const struct screen *s, const struct grid_cell *c, int columns, const struct paint *p, cchar_t *to)
{
	wchar_t text[CELL_MARKS + 2] = { (wchar_t)c->ch };
	int n = 1;
	bool known = c->ch < 0x80 || (!s->ascii && wcwidth((wchar_t)c->ch) == columns);

	assert(columns == 1 || columns == 2);
	if (!known)
		text[0] = L'?';
	for (int i = 0; known && !s->ascii && i < CELL_MARKS && c->mark[i]; i++)
		if (wcwidth((wchar_t)c->mark[i]) == 0)
			text[n++] = (wchar_t)c->mark[i];
	curses.setcchar(to, text, p->attr, 0, &p->pair);
	if (known || columns == 1)
		return 1;
	to[1] = to[0];
	return 2;
}

/* Draw columns [from, end) of row y; false when colours ran out. */
static bool draw(struct screen *s, const struct grid *g, int y, int from, int end)
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
			const struct paint *p = paint_of(s, row[x].look);

			all = all && p;
			n += convert(s, row + x, columns, p ? p : &none, out + n);
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
	return a->ch == b->ch && memcmp(a->mark, b->mark, sizeof(a->mark)) == 0 && a->look.ink == b->look.ink &&
	       a->look.paper == b->look.paper && a->look.attr == b->look.attr;
}

/* Draw what changed in row y, or all of it. */
static bool draw_row(struct screen *s, const struct grid *g, int y, bool all)
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
	done = draw(s, g, y, from, end);
	memcpy(old + from, now + from, (size_t)(end - from) * sizeof(*old));
	return done;
}

static bool draw_all(struct screen *s, const struct grid *g, bool all)
{
	int height = g->height < s->shown.height ? g->height : s->shown.height;
	bool done = true;

	for (int y = 0; y < height; y++)
		done &= draw_row(s, g, y, all);
	return done;
}

void screen_show(struct screen *s, const struct grid *g)
{
	bool cursor =
		g->cursor_x >= 0 && g->cursor_y >= 0 && g->cursor_x < s->shown.width && g->cursor_y < s->shown.height;

	if (s->away)
		return;
	if (s->forget)
		curses.clearok(*curses.curscr, TRUE);
	if (!draw_all(s, g, s->forget)) {
		forget_paints(s);
		draw_all(s, g, true); /* what has no colour even now has none */
	}
	s->forget = false;
	curses.curs_set(cursor);
	curses.wmove(*curses.stdscr, cursor ? g->cursor_y : 0, cursor ? g->cursor_x : 0);
	curses.wnoutrefresh(*curses.stdscr);
	curses.doupdate();
}

void screen_forget(struct screen *s)
{
	s->forget = true;
}
