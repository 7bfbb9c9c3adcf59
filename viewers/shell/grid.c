/*
 * grid.c - cells of a screen, and filling rectangles of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "viewers/shell/grid_int.h"

#include <stdlib.h>
#include <string.h>

static const struct look plain = { COLOR_OWN, COLOR_OWN, 0 };

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

void grid_clear(struct grid *g, struct look look)
{
	size_t n = (size_t)g->width * (size_t)g->height;

	for (size_t i = 0; i < n; i++)
		g->cell[i] = (struct grid_cell){ .ch = ' ', .look = look };
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

struct area grid_clip(const struct grid *g, struct area a)
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

void grid_put(struct grid *g, int x, int y, const struct glyph *glyph, struct look look)
{
	struct grid_cell *row = g->cell + (size_t)y * (size_t)g->width, *c = row + x;
	int end = x + glyph->columns;

	if (!c->ch && x > 0)
		blank(c - 1);
	if (end < g->width && !row[end].ch)
		blank(row + end);
	c->ch = glyph->ch;
	memcpy(c->mark, glyph->mark, sizeof(c->mark));
	c->look = look;
	if (glyph->columns == 2)
		c[1] = (struct grid_cell){ .look = look };
}

void grid_fill(struct grid *g, struct area a, uint32_t ch, struct look look)
{
	struct glyph glyph = { .ch = ch ? ch : ' ', .columns = 1 };

	if (glyph_columns(glyph.ch) != 1)
		glyph.ch = ' ';
	if (g->ascii)
		glyph.ch = (unsigned char)glyph_ascii(glyph.ch);
	a = grid_clip(g, a);
	for (int y = a.y; y < a.y + a.height; y++)
		for (int x = a.x; x < a.x + a.width; x++)
			grid_put(g, x, y, &glyph, look);
}

void grid_paint(struct grid *g, struct area a, struct look look)
{
	a = grid_clip(g, a);
	for (int y = a.y; a.width && y < a.y + a.height; y++) {
		struct grid_cell *row = g->cell + (size_t)y * (size_t)g->width;
		int end = a.x + a.width;

		for (int x = a.x; x < end; x++)
			row[x].look = look;
		/* both halves of a wide character look as its left one */
		if (!row[a.x].ch && a.x > 0)
			row[a.x].look = row[a.x - 1].look;
		if (end < g->width && !row[end].ch)
			row[end].look = row[end - 1].look;
	}
}

enum { LINE = 0x2500, BAR = 0x2502, TOP_LEFT = 0x250c, TOP_RIGHT = 0x2510, LOW_LEFT = 0x2514, LOW_RIGHT = 0x2518 };

struct area grid_frame(struct grid *g, struct area a, const char *title, struct look look)
{
	int right = a.x + a.width - 1, low = a.y + a.height - 1;

	if (a.width < 2 || a.height < 2) {
		grid_fill(g, a, ' ', look);
		return (struct area){ a.x, a.y, 0, 0 };
	}
	grid_fill(g, (struct area){ a.x, a.y, a.width, 1 }, LINE, look);
	grid_fill(g, (struct area){ a.x, low, a.width, 1 }, LINE, look);
	grid_fill(g, (struct area){ a.x, a.y, 1, a.height }, BAR, look);
	grid_fill(g, (struct area){ right, a.y, 1, a.height }, BAR, look);
	grid_fill(g, (struct area){ a.x, a.y, 1, 1 }, TOP_LEFT, look);
	grid_fill(g, (struct area){ right, a.y, 1, 1 }, TOP_RIGHT, look);
	grid_fill(g, (struct area){ a.x, low, 1, 1 }, LOW_LEFT, look);
	grid_fill(g, (struct area){ right, low, 1, 1 }, LOW_RIGHT, look);
	if (title && *title && a.width > 6) {
		int end = grid_text(g, a, 2, 0, " ", look);

		end = grid_text_short(g, a, end, 0, title, a.width - 6, look);
		grid_text(g, a, end, 0, " ", look);
	}
	return (struct area){ a.x + 1, a.y + 1, a.width - 2, a.height - 2 };
}
