/*
 * menu.h - a window with rows to choose from, filtered while typing
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_WIDGETS_MENU_H
#define FRONT_SHELL_WIDGETS_MENU_H

#include "front/shell/widgets/editor.h"
#include "front/shell/widgets/list.h"

struct menu_item {
	char *text, *detail; /* untrusted */
	char *line;          /* line that the caller runs; NULL for a heading, which cannot be chosen */
	bool is_marked;
};

/* Empty when zero-initialised; released with menu_release. */
struct menu {
	struct menu_item *item; /* [n_items] */
	size_t n_items, cap_items;
	uint32_t *visible; /* [list.n] items that pass the filter */
	size_t cap_visible;
	struct editor filter;
	struct list list;
	struct area box, rows;            /* positions on the screen */
	int text_columns, detail_columns; /* columns of the widest text and detail */
};

enum menu_result { MENU_IGNORED, MENU_HANDLED, MENU_CHOSEN, MENU_CANCELLED };

void menu_release(struct menu *m);

/* Append a row; texts are copied. detail may be NULL. If line is NULL, the row is a heading. */
void menu_add(struct menu *m, const char *text, const char *detail, const char *line, bool is_marked);

/* Remove all rows before adding them again. The filter and the selected row number stay. */
void menu_clear(struct menu *m);

/* Apply the filter after rows were added. */
void menu_filter(struct menu *m);

/* Select the first marked row. */
void menu_select_marked(struct menu *m);

/* Draw the menu as a window in the middle of the grid, not wider than columns. */
void menu_draw(struct menu *m, struct grid *g, const char *title, const char *hint, int columns);

/*
 * Handle keys and mouse: moving, typing a filter, Enter or a click to choose; Esc, Ctrl-C, or a click outside
 * to cancel.
 *
 * Returns MENU_IGNORED for other events, including Left and Right
 */
enum menu_result menu_key(struct menu *m, const struct event *e);

/* The selected row; NULL when there is none. */
const struct menu_item *menu_selected(const struct menu *m);

#endif
