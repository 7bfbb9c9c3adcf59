/*
 * columns.c - the window that chooses the columns of a sheet and their order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/top.h"

#include "base/mem.h"
#include "session/prefs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CTRL_C = 3, KEY_WIDTH = 14, BOX_WIDTH = 66, BORDERS = 2, HINT = 1 };

struct columns_state {
	struct sheet *sheet;
	const char *name; /* name of the preference in which the columns are saved */
	struct list list;
	uint32_t col;     /* the selected column */
	struct area rows; /* position of the rows on the screen */
};

/* Column i of the window, which lists first the shown columns from left to right, then the others. */
static uint32_t column_at(const struct sheet *s, uint32_t i)
{
	uint32_t n = s->n_shown;

	if (i < n)
		return s->shown[i];
	for (uint32_t c = 0; c < s->class->n_columns; c++)
		if (!sheet_is_shown(s, c) && n++ == i)
			return c;
	return s->class->name;
}

/* Select the same column again after columns moved. */
static void shell_columns_follow(struct columns_state *c)
{
	for (uint32_t i = 0; i < c->sheet->class->n_columns; i++)
		if (column_at(c->sheet, i) == c->col)
			shell_list_select(&c->list, i);
}

static void shell_columns_draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct columns_state *c = o->state;
	uint32_t n = c->sheet->class->n_columns;
	int width = g->width < BOX_WIDTH ? g->width : BOX_WIDTH, height = (int)n + BORDERS + HINT;
	struct area box = { (g->width - width) / 2, 0, width, height < g->height ? height : g->height };

	(void)s;
	box.y = (g->height - box.height) / 2;
	grid_fill(g, box, ' ', theme_style(ROLE_WINDOW));
	c->rows = grid_frame(g, box, "Columns", theme_style(ROLE_WINDOW));
	if (c->rows.height > HINT) {
		grid_text_short(g, c->rows, 1, c->rows.height - 1, "Space show or hide  < > move  Enter close",
				width - 4, theme_style(ROLE_MUTED));
		c->rows.height--;
	}
	shell_list_fit(&c->list, n, c->rows.height);
	for (int y = 0; y < c->rows.height && c->list.top + (uint32_t)y < n; y++) {
		uint32_t col = column_at(c->sheet, c->list.top + (uint32_t)y);
		const struct sheet_column *one = &c->sheet->class->column[col];
		bool here = c->list.top + (uint32_t)y == c->list.selected;
		struct style plain = theme_style(here ? ROLE_SELECTED : ROLE_PLAIN);
		struct style quiet = here ? plain : theme_style(ROLE_MUTED);

		grid_fill(g, (struct area){ c->rows.x, c->rows.y + y, c->rows.width, 1 }, ' ', plain);
		grid_text(g, c->rows, 1, y, sheet_is_shown(c->sheet, col) ? "[x]" : "[ ]", plain);
		grid_text(g, c->rows, 5, y, one->title, plain);
		grid_text(g, c->rows, 5 + KEY_WIDTH, y, one->help, quiet);
	}
}

static void shell_columns_save(struct shell *s, const struct columns_state *c)
{
	struct buf keys = { 0 };
	struct err err;

	sheet_add_columns(c->sheet, &keys);
	if (prefs_set(s->prefs, c->name, buf_text(&keys), &err) < 0)
		shell_notify(s, true, "%s", err.msg);
	buf_release(&keys);
}

static void shell_columns_toggle(struct shell *s, struct columns_state *c)
{
	assert(c->col < c->sheet->class->n_columns);
	if (c->col == c->sheet->class->name)
		shell_notify(s, false, "the name column is always shown");
	sheet_toggle(c->sheet, c->col);
	shell_columns_follow(c);
	shell_columns_save(s, c);
}

static bool shell_columns_click(struct shell *s, struct overlay *o, const struct event *e)
{
	struct columns_state *c = o->state;
	uint32_t row;

	if (e->kind != EVENT_CLICK && e->kind != EVENT_DOUBLE)
		return false;
	if (e->x < c->rows.x || e->x >= c->rows.x + c->rows.width || e->y < c->rows.y - 1 ||
	    e->y > c->rows.y + c->rows.height + HINT) {
		overlay_close(s, o);
	} else if (shell_list_row_at(&c->list, e->y - c->rows.y, &row)) {
		shell_list_select(&c->list, row);
		c->col = column_at(c->sheet, c->list.selected);
		shell_columns_toggle(s, c);
	}
	return true;
}

static bool shell_columns_key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct columns_state *c = o->state;

	if (shell_columns_click(s, o, e))
		return true;
	if (e->kind == EVENT_KEY &&
	    (e->key == KEY_ENTER_ || e->key == KEY_ESC || e->key == 'C' || e->key == 'q' || e->key == CTRL_C)) {
		overlay_close(s, o);
	} else if (e->kind == EVENT_KEY && e->key == ' ') {
		shell_columns_toggle(s, c);
	} else if (e->kind == EVENT_KEY && (e->key == '<' || e->key == '>')) {
		sheet_shift(c->sheet, c->col, e->key == '<' ? -1 : 1);
		shell_columns_follow(c);
		shell_columns_save(s, c);
	} else if (shell_list_key(&c->list, e)) {
		c->col = column_at(c->sheet, c->list.selected);
	}
	return true;
}

static const struct overlay_class columns = { .state_size = sizeof(struct columns_state),
					      .draw = shell_columns_draw,
					      .key = shell_columns_key };

void columns_open(struct shell *s, struct sheet *sheet, const char *name)
{
	struct columns_state *c = overlay_open(s, &columns)->state;

	assert(sheet->class && name);
	c->sheet = sheet;
	c->name = name;
	c->col = column_at(sheet, 0);
}

void columns_read(struct shell *s, struct sheet *sheet, const char *name)
{
	const char *keys = prefs_get(s->prefs, name);

	if (*keys)
		sheet_read_columns(sheet, keys);
}
