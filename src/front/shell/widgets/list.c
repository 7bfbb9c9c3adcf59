/*
 * list.c - rows with a selection, and scrolling
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/list.h"

#include "front/shell/terminal/theme.h"

#include <assert.h>

enum { CTRL_D = 4, CTRL_U = 21, SIDE_STEP = 8 };

void shell_list_select(struct list *l, uint32_t row)
{
	uint32_t height = l->height > 0 ? (uint32_t)l->height : 1;

	l->selected = l->n == 0 ? 0 : row < l->n ? row : l->n - 1;
	if (l->selected < l->top)
		l->top = l->selected;
	if (l->selected >= l->top + height)
		l->top = l->selected - height + 1;
	assert(l->top <= l->selected && l->selected - l->top < height);
	assert(l->n == 0 || l->selected < l->n);
}

void shell_list_fit(struct list *l, uint32_t n, int height)
{
	l->n = n;
	l->height = height;
	if (height > 0 && n > (uint32_t)height && l->top > n - (uint32_t)height)
		l->top = n - (uint32_t)height;
	if (height > 0 && n <= (uint32_t)height)
		l->top = 0;
	shell_list_select(l, l->selected);
	assert(n == 0 || l->selected < n);
}

static void list_move(struct list *l, int64_t by)
{
	int64_t to = (int64_t)l->selected + by;

	shell_list_select(l, to < 0 ? 0 : to > (int64_t)UINT32_MAX ? UINT32_MAX : (uint32_t)to);
}

static bool list_step(struct list *l, uint32_t key)
{
	int page = l->height > 1 ? l->height - 1 : 1;

	switch (key) {
	case 'j':
	case KEY_DOWN_:
		list_move(l, 1);
		return true;
	case 'k':
	case KEY_UP_:
		list_move(l, -1);
		return true;
	case KEY_PAGE_DOWN:
		list_move(l, page);
		return true;
	case KEY_PAGE_UP:
		list_move(l, -page);
		return true;
	case CTRL_D:
		list_move(l, page / 2 + 1);
		return true;
	case CTRL_U:
		list_move(l, -(page / 2 + 1));
		return true;
	default:
		return false;
	}
}

bool shell_list_key(struct list *l, const struct event *e)
{
	if (e->kind == EVENT_WHEEL) {
		list_move(l, e->lines);
		return true;
	}
	if (e->kind != EVENT_KEY)
		return false;
	if (list_step(l, e->key))
		return true;
	switch (e->key) {
	case 'g':
	case KEY_HOME_:
		shell_list_select(l, 0);
		return true;
	case 'G':
	case KEY_END_:
		shell_list_select(l, UINT32_MAX);
		return true;
	case 'l':
	case KEY_RIGHT_:
		l->scroll_x += SIDE_STEP;
		return true;
	case 'h':
	case KEY_LEFT_:
		l->scroll_x = l->scroll_x > SIDE_STEP ? l->scroll_x - SIDE_STEP : 0;
		return true;
	default:
		return false;
	}
}

bool shell_list_row_at(const struct list *l, int y, uint32_t *row)
{
	if (y < 0 || y >= l->height || l->top + (uint32_t)y >= l->n)
		return false;
	*row = l->top + (uint32_t)y;
	return true;
}

void shell_list_draw_bar(const struct list *l, struct grid *g, struct area a, struct style style)
{
	int64_t n = l->n, h = a.height;
	struct area bar = { a.x + a.width - 1, 0, 1, 1 };

	if (n <= h || h < 1 || a.width < 1)
		return;
	bar.height = (int)(h * h / n > 0 ? h * h / n : 1);
	bar.y = a.y + (int)((h - bar.height) * l->top / (n - h));
	assert(bar.height >= 1 && bar.height <= a.height);
	grid_fill(g, (struct area){ bar.x, a.y, 1, a.height }, 0x2502, theme_style(ROLE_MUTED));
	grid_fill(g, bar, 0x2588, style);
}
