/*
 * grid_print.c - a screen as text, for tests and for people
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * With looks each row begins with | and has below it, when not all of it is plain, one that begins
 * with : and has a letter under each cell that is not:
 *
 *   |Showing nodes   50ms
 *   :aaaaaaa         bbbb
 *   a 1a1a1a on own, bold
 *   b own on ffcc00
 */
#include "config.h"

#include "base/utf8.h"
#include "viewers/shell/grid_int.h"

#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

enum { LOOKS = sizeof(letters) - 1 };

/* The looks seen so far, in order of appearance; more than there are letters for are *. */
struct seen {
	struct look look[LOOKS];
	int n;
	bool more;
};

static bool same(struct look a, struct look b)
{
	return a.ink == b.ink && a.paper == b.paper && a.attr == b.attr;
}

static char letter_of(struct seen *s, struct look look)
{
	int i = 0;

	if (same(look, (struct look){ COLOR_OWN, COLOR_OWN, 0 }))
		return ' ';
	while (i < s->n && !same(s->look[i], look))
		i++;
	if (i == LOOKS) {
		s->more = true;
		return '*';
	}
	if (i == s->n)
		s->look[s->n++] = look;
	return letters[i];
}

static void trim(struct buf *out, size_t from)
{
	while (out->len > from && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

static void add_row(const struct grid_cell *cell, int n, struct buf *out)
{
	size_t from = out->len;

	for (int x = 0; x < n; x++) {
		if (cell[x].ch)
			utf8_add_char(out, cell[x].ch);
		for (int i = 0; cell[x].ch && i < CELL_MARKS && cell[x].mark[i]; i++)
			utf8_add_char(out, cell[x].mark[i]);
	}
	trim(out, from);
	buf_addz(out, "\n");
}

static void add_letters(struct seen *s, const struct grid_cell *cell, int n, struct buf *out)
{
	size_t from = out->len;

	buf_addz(out, ":");
	for (int x = 0; x < n; x++)
		buf_fill(out, letter_of(s, cell[x].look), 1);
	trim(out, from + 1);
	if (out->len == from + 1)
		out->data[out->len = from] = '\0';
	else
		buf_addz(out, "\n");
}

static void add_color(uint32_t color, struct buf *out)
{
	if (color == COLOR_OWN)
		buf_addz(out, "own");
	else
		buf_addf(out, "%06x", (unsigned)color);
}

static void add_legend(const struct seen *s, struct buf *out)
{
	static const char *const names[] = { "bold", "dim", "underline", "reverse" };

	for (int i = 0; i < s->n; i++) {
		buf_addf(out, "%c ", letters[i]);
		add_color(s->look[i].ink, out);
		buf_addz(out, " on ");
		add_color(s->look[i].paper, out);
		for (int k = 0; k < 4; k++)
			if (s->look[i].attr >> k & 1)
				buf_addf(out, ", %s", names[k]);
		buf_addz(out, "\n");
	}
	if (s->more)
		buf_addz(out, "* other looks\n");
}

void grid_add_text(const struct grid *g, bool looks, struct buf *out)
{
	struct seen seen = { .n = 0 };

	for (int y = 0; y < g->height; y++) {
		const struct grid_cell *row = g->cell + (size_t)y * (size_t)g->width;

		if (looks)
			buf_addz(out, "|");
		add_row(row, g->width, out);
		if (looks)
			add_letters(&seen, row, g->width, out);
	}
	if (!looks)
		return;
	add_legend(&seen, out);
	if (g->cursor_x >= 0)
		buf_addf(out, "cursor %d,%d\n", g->cursor_x, g->cursor_y);
}
