/*
 * list.h - rows with a selection, and scrolling
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_WIDGETS_LIST_H
#define FRONT_SHELL_WIDGETS_LIST_H

#include "front/shell/terminal/event.h"
#include "front/shell/terminal/grid.h"

struct list {
	uint32_t n, selected, top; /* number of rows, selected row, first visible row */
	int height;                /* number of visible rows when drawn last */
	int scroll_x;              /* columns scrolled to the right */
};

/* Set the number of rows and the height, and keep the selected row visible. */
void shell_list_fit(struct list *l, uint32_t n, int height);
void shell_list_select(struct list *l, uint32_t row);

/* Handle the keys of every list: j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right, the wheel. */
bool shell_list_key(struct list *l, const struct event *e);

/* The row at line y of the list; false when there is none. */
bool shell_list_row_at(const struct list *l, int y, uint32_t *row);

/* Draw the scroll bar at the right side of an area. */
void shell_list_draw_bar(const struct list *l, struct grid *g, struct area a, struct style style);

#endif
