/*
 * menu.c - a window with rows to choose from, filtered while typing
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/menu.h"

#include "base/columns.h"
#include "base/mem.h"
#include "front/shell/terminal/theme.h"
#include "front/shell/widgets/wrap.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CTRL_C = 3, CTRL_N = 14, CTRL_P = 16, MARGIN = 3, EDGES = 4, WHOLE_ROWS = 2, MANY = 16 };

static char *shell_menu_copy(const char *text)
{
	return text ? mem_strndup(text, strlen(text)) : NULL;
}

void menu_clear(struct menu *m)
{
	for (size_t i = 0; i < m->n_items; i++) {
		free(m->item[i].text);
		free(m->item[i].detail);
		free(m->item[i].line);
	}
	m->n_items = 0;
	m->text_columns = m->detail_columns = 0;
}

void menu_release(struct menu *m)
{
	menu_clear(m);
	free(m->item);
	free(m->visible);
	editor_release(&m->filter);
	*m = (struct menu){ 0 };
}

void menu_add(struct menu *m, const char *text, const char *detail, const char *line, bool is_marked)
{
	int columns = (int)column_count(text), more = detail ? (int)column_count(detail) : 0;

	assert(text && columns >= 0 && more >= 0);
	m->item = mem_grow(m->item, &m->cap_items, m->n_items + 1, sizeof(*m->item));
	m->item[m->n_items++] =
		(struct menu_item){ shell_menu_copy(text), shell_menu_copy(detail), shell_menu_copy(line), is_marked };
	if (line && columns > m->text_columns)
		m->text_columns = columns;
	if (more > m->detail_columns)
		m->detail_columns = more;
}

static bool shell_menu_has_word(const char *text, const char *word, size_t n)
{
	for (; text && *text; text++) {
		size_t i = 0;

		while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
			i++;
		if (i == n)
			return true;
	}
	return false;
}

/* Does each typed word occur somewhere in the row? */
static bool matches_filter(const struct menu *m, const struct menu_item *item)
{
	const char *word = buf_text(&m->filter.text), *value = strchr(item->line, '=');
	bool is_line = item->detail && strcmp(item->detail, item->line) == 0; /* the detail only repeats the line */
	size_t n;

	for (word += strspn(word, " "); *word; word += n + strspn(word + n, " ")) {
		n = strcspn(word, " ");
		if (!shell_menu_has_word(item->text, word, n) && !shell_menu_has_word(value, word, n) &&
		    (is_line || !shell_menu_has_word(item->detail, word, n)))
			return false;
	}
	return true;
}

static void show_item(struct menu *m, uint32_t i)
{
	m->visible = mem_grow(m->visible, &m->cap_visible, m->list.n + 1, sizeof(*m->visible));
	m->visible[m->list.n++] = i;
}

static const struct menu_item *item_of(const struct menu *m, uint32_t row)
{
	assert(row >= m->list.n || m->visible[row] < m->n_items);
	return row < m->list.n ? &m->item[m->visible[row]] : NULL;
}

/* Headings cannot be selected: move to the next row in this direction, or in the other direction at the end. */
static void skip_heading(struct menu *m, int by)
{
	assert(by == 1 || by == -1);
	for (int turn = 0; turn < 2; turn++, by = -by) {
		uint32_t at = m->list.selected;

		while (at < m->list.n && !item_of(m, at)->line)
			at += (uint32_t)by;
		if (at < m->list.n) {
			shell_list_select(&m->list, at);
			break;
		}
	}
	if (m->list.selected == 1 && m->list.top == 1)
		m->list.top = 0;
}

void menu_filter(struct menu *m)
{
	uint32_t heading = UINT32_MAX;

	m->list.n = 0;
	for (uint32_t i = 0; i < m->n_items; i++) {
		if (!m->item[i].line) {
			heading = i;
			continue;
		}
		if (!matches_filter(m, &m->item[i]))
			continue;
		if (heading != UINT32_MAX)
			show_item(m, heading);
		heading = UINT32_MAX;
		show_item(m, i);
	}
	if (m->list.selected >= m->list.n)
		m->list.selected = m->list.n ? m->list.n - 1 : 0;
	skip_heading(m, 1);
}

void menu_select_marked(struct menu *m)
{
	for (uint32_t row = 0; row < m->list.n; row++)
		if (item_of(m, row)->is_marked) {
			m->list.selected = row;
			break;
		}
	skip_heading(m, 1);
}

const struct menu_item *menu_selected(const struct menu *m)
{
	const struct menu_item *item = item_of(m, m->list.selected);

	return item && item->line ? item : NULL;
}

static int at_least(int a, int b)
{
	return a > b ? a : b;
}

static void shell_menu_draw_row(const struct menu *m, struct grid *g, int y, uint32_t row)
{
	const struct menu_item *item = item_of(m, row);
	struct area a = m->rows;
	bool here = row == m->list.selected;
	struct style style = theme_style(!item->line ? ROLE_HEADING : item->is_marked ? ROLE_KEY : ROLE_PLAIN);
	struct style quiet = theme_style(ROLE_MUTED);
	int room = at_least(a.width * 2 / 3, a.width - MARGIN - 3 - m->detail_columns), x = MARGIN;
	int columns = m->text_columns < room ? m->text_columns : room;

	assert(item);
	if (!item->detail || !*item->detail || a.width < 30)
		columns = a.width - MARGIN;
	if (!item->line) {
		grid_text_short(g, a, 1, y, item->text, a.width - 2, style);
		return;
	}
	if (here) {
		style = theme_style(ROLE_SELECTED);
		quiet = style;
		grid_fill(g, (struct area){ a.x, a.y + y, a.width, 1 }, ' ', style);
		grid_text(g, a, 0, y, ">", style);
	}
	grid_text(g, a, 1, y, item->is_marked ? "*" : " ", style);
	grid_text_short(g, a, x, y, item->text, columns, style);
	x += columns + 2;
	a.width--; /* room for the scroll bar */
	if (item->detail && x < a.width)
		grid_text(g, a, x, y, item->detail, quiet);
}

/* Draw the full detail of the selected row, if it is cut, below the list. Return the number of rows that remain for
   the list. */
static int draw_whole(const struct menu *m, struct grid *g, struct area in, int rows)
{
	const struct menu_item *item = menu_selected(m);
	struct area a = { in.x + 1, in.y + rows - 1, in.width - 2, WHOLE_ROWS };

	if (m->text_columns + m->detail_columns + MARGIN + 3 <= in.width || rows < 8)
		return rows;
	if (item && item->detail && (int)column_count(item->detail) > in.width - m->text_columns - MARGIN - 3)
		wrap_draw(g, a, 0, 0, item->detail, theme_style(ROLE_COMMAND));
	return rows - WHOLE_ROWS;
}

void menu_draw(struct menu *m, struct grid *g, const char *title, const char *hint, int columns)
{
	int need = m->text_columns + (m->detail_columns ? m->detail_columns + 2 : 0) + MARGIN + 2;
	int width = at_least(need, (int)column_count(hint)) + EDGES;
	int height = (int)m->n_items + EDGES + (m->n_items > MANY ? WHOLE_ROWS : 0), x;
	struct area in;

	m->box = grid_box(g, width < columns ? width : columns, height, theme_style(ROLE_WINDOW));
	in = grid_frame(g, m->box, title, theme_style(ROLE_WINDOW));
	if (in.width < 1)
		in = m->box;
	m->rows = (struct area){ in.x, in.y + 1, in.width, in.height > 2 ? in.height - 2 : 0 };
	if (in.height <= 2) /* no room for the filter and the hint */
		m->rows = in;
	else
		m->rows.height = draw_whole(m, g, in, m->rows.height);
	x = grid_text(g, in, 1, 0, "filter: ", theme_style(ROLE_MUTED));
	if (in.height > 2)
		editor_draw(&m->filter, g, in, x, 0, theme_style(ROLE_PLAIN));
	shell_list_fit(&m->list, m->list.n, m->rows.height);
	for (int y = 0; y < m->rows.height && m->list.top + (uint32_t)y < m->list.n; y++)
		shell_menu_draw_row(m, g, y, m->list.top + (uint32_t)y);
	if (m->list.n == 0)
		grid_text(g, m->rows, MARGIN, 0, "no match", theme_style(ROLE_MUTED));
	shell_list_draw_bar(&m->list, g, m->rows, theme_style(ROLE_PLAIN));
	if (in.height > 2)
		grid_text(g, in, 1, in.height - 1, hint, theme_style(ROLE_MUTED));
}

static enum menu_result shell_menu_click(struct menu *m, const struct event *e)
{
	uint32_t row;

	if (!grid_has(m->box, e->x, e->y))
		return MENU_CANCELLED;
	if (!grid_has(m->rows, e->x, e->y) || !shell_list_row_at(&m->list, e->y - m->rows.y, &row) ||
	    !item_of(m, row)->line)
		return MENU_HANDLED;
	shell_list_select(&m->list, row);
	return MENU_CHOSEN;
}

static enum menu_result shell_menu_move(struct menu *m, uint32_t key)
{
	struct event e = { .kind = EVENT_KEY, .key = key };
	bool up = key == KEY_UP_ || key == KEY_PAGE_UP || key == KEY_END_;

	shell_list_key(&m->list, &e);
	skip_heading(m, up ? -1 : 1);
	return MENU_HANDLED;
}

static enum menu_result shell_menu_type(struct menu *m, const struct event *e)
{
	enum editor_result result = editor_key(&m->filter, e);

	if (result == EDITOR_CHANGED) {
		m->list.selected = m->list.top = 0;
		menu_filter(m);
	}
	return result == EDITOR_IGNORED ? MENU_IGNORED : MENU_HANDLED;
}

enum menu_result menu_key(struct menu *m, const struct event *e)
{
	if (e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE)
		return shell_menu_click(m, e);
	if (e->kind == EVENT_RIGHT)
		return MENU_CANCELLED;
	if (e->kind == EVENT_WHEEL) {
		shell_list_key(&m->list, e);
		skip_heading(m, e->lines < 0 ? -1 : 1);
		return MENU_HANDLED;
	}
	switch (e->key) {
	case KEY_ESC:
	case CTRL_C:
		return MENU_CANCELLED;
	case KEY_ENTER_:
		return menu_selected(m) ? MENU_CHOSEN : MENU_HANDLED;
	case KEY_UP_:
	case CTRL_P:
	case KEY_BACKTAB:
		return shell_menu_move(m, KEY_UP_);
	case KEY_DOWN_:
	case CTRL_N:
	case KEY_TAB:
		return shell_menu_move(m, KEY_DOWN_);
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
	case KEY_HOME_:
	case KEY_END_:
		return shell_menu_move(m, e->key);
	case KEY_LEFT_:
	case KEY_RIGHT_:
		return MENU_IGNORED;
	default:
		return shell_menu_type(m, e);
	}
}
