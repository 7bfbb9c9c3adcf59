/*
 * menu.h - a window with rows to choose from, filtered by what is typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_MENU_H
#define VIEWERS_SHELL_MENU_H

#include "viewers/shell/editor.h"
#include "viewers/shell/shell_int.h"

struct menu_item {
	char *text, *detail; /* shown, from strangers */
	char *line;          /* for the caller; NULL for a heading, which cannot be chosen */
	bool is_marked;
};

/* Zero-initialised it is empty; released with menu_release. */
struct menu {
	struct menu_item *item; /* [n_items] */
	size_t n_items, cap_items;
	uint32_t *seen; /* [list.n] those that what is typed leaves */
	size_t cap_seen;
	struct editor typed;
	struct list list;
	struct area box, rows;            /* as drawn */
	int text_columns, detail_columns; /* of the widest ones */
};

enum menu_did { MENU_NOTHING, MENU_TAKEN, MENU_CHOSEN, MENU_LEFT };

void menu_release(struct menu *m);

/* Append a row; texts are copied. detail may be NULL; without a line it is a heading. */
void menu_add(struct menu *m, const char *text, const char *detail, const char *line, bool is_marked);

/* Take all rows away, to add them anew; what is typed and which row is selected stays. */
void menu_clear(struct menu *m);

/* Rows were added: filter them. */
void menu_filter(struct menu *m);

/* Select the first row that is marked. */
void menu_go_marked(struct menu *m);

/* Draw as a window in the middle of the grid, not wider than columns. */
void menu_draw(struct menu *m, struct grid *g, const char *title, const char *hint, int columns);

/*
 * Keys and mouse: moving, typing to filter, Enter or a click to choose; Esc, Ctrl-C, or a click outside
 * to leave.
 *
 * Gives   MENU_NOTHING for what means nothing here, Left and Right among them
 */
enum menu_did menu_key(struct menu *m, const struct event *e);

/* The selected row; NULL when there is none. */
const struct menu_item *menu_at(const struct menu *m);

#endif
