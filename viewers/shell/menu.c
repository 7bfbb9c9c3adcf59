/*
 * menu.c - a window with rows to choose from, filtered by what is typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/menu.h"

#include "base/mem.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/wrap.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CTRL_C = 3, CTRL_N = 14, CTRL_P = 16, MARGIN = 3, EDGES = 4, WHOLE_ROWS = 2, MANY = 16 };

static char *copy(const char *text)
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
	free(m->seen);
	editor_release(&m->typed);
	*m = (struct menu){ 0 };
}

void menu_add(struct menu *m, const char *text, const char *detail, const char *line, bool is_marked)
{
	int columns = (int)flame_columns(text), more = detail ? (int)flame_columns(detail) : 0;

	assert(text && columns >= 0 && more >= 0);
	m->item = mem_grow(m->item, &m->cap_items, m->n_items + 1, sizeof(*m->item));
	m->item[m->n_items++] = (struct menu_item){ copy(text), copy(detail), copy(line), is_marked };
	if (line && columns > m->text_columns)
		m->text_columns = columns;
	if (more > m->detail_columns)
		m->detail_columns = more;
}

static bool has_word(const char *text, const char *word, size_t n)
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

/* Is each word that was typed somewhere in the row? */
static bool is_seen(const struct menu *m, const struct menu_item *item)
{
	const char *word = buf_text(&m->typed.text), *value = strchr(item->line, '=');
	bool is_line = item->detail && strcmp(item->detail, item->line) == 0; /* what all rows have says nothing */
	size_t n;

	for (word += strspn(word, " "); *word; word += n + strspn(word + n, " ")) {
		n = strcspn(word, " ");
		if (!has_word(item->text, word, n) && !has_word(value, word, n) &&
		    (is_line || !has_word(item->detail, word, n)))
			return false;
	}
	return true;
}

static void see(struct menu *m, uint32_t i)
{
	m->seen = mem_grow(m->seen, &m->cap_seen, m->list.n + 1, sizeof(*m->seen));
	m->seen[m->list.n++] = i;
}

static const struct menu_item *item_of(const struct menu *m, uint32_t row)
{
	assert(row >= m->list.n || m->seen[row] < m->n_items);
	return row < m->list.n ? &m->item[m->seen[row]] : NULL;
}

/* Headings cannot be selected: go on in this direction, or back when there is nothing. */
static void leave_heading(struct menu *m, int by)
{
	assert(by == 1 || by == -1);
	for (int turn = 0; turn < 2; turn++, by = -by) {
		uint32_t at = m->list.at;

		while (at < m->list.n && !item_of(m, at)->line)
			at += (uint32_t)by;
		if (at < m->list.n) {
			shell_list_go(&m->list, at);
			break;
		}
	}
	if (m->list.at == 1 && m->list.top == 1)
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
		if (!is_seen(m, &m->item[i]))
			continue;
		if (heading != UINT32_MAX)
			see(m, heading);
		heading = UINT32_MAX;
		see(m, i);
	}
	if (m->list.at >= m->list.n)
		m->list.at = m->list.n ? m->list.n - 1 : 0;
	leave_heading(m, 1);
}

void menu_go_marked(struct menu *m)
{
	for (uint32_t row = 0; row < m->list.n; row++)
		if (item_of(m, row)->is_marked) {
			m->list.at = row;
			break;
		}
	leave_heading(m, 1);
}

const struct menu_item *menu_at(const struct menu *m)
{
	const struct menu_item *item = item_of(m, m->list.at);

	return item && item->line ? item : NULL;
}

static int at_least(int a, int b)
{
	return a > b ? a : b;
}

static void draw_row(const struct menu *m, struct grid *g, int y, uint32_t row)
{
	const struct menu_item *item = item_of(m, row);
	struct area a = m->rows;
	bool here = row == m->list.at;
	struct look look = theme_look(!item->line ? LOOK_HEAD : item->is_marked ? LOOK_KEY : LOOK_PLAIN);
	struct look quiet = theme_look(LOOK_QUIET);
	int room = at_least(a.width * 2 / 3, a.width - MARGIN - 3 - m->detail_columns), x = MARGIN;
	int columns = m->text_columns < room ? m->text_columns : room;

	assert(item);
	if (!item->detail || !*item->detail || a.width < 30)
		columns = a.width - MARGIN;
	if (!item->line) {
		grid_text_short(g, a, 1, y, item->text, a.width - 2, look);
		return;
	}
	if (here) {
		look = theme_look(LOOK_SELECTED);
		quiet = look;
		grid_fill(g, (struct area){ a.x, a.y + y, a.width, 1 }, ' ', look);
		grid_text(g, a, 0, y, ">", look);
	}
	grid_text(g, a, 1, y, item->is_marked ? "*" : " ", look);
	grid_text_short(g, a, x, y, item->text, columns, look);
	x += columns + 2;
	a.width--; /* for the scroll bar */
	if (item->detail && x < a.width)
		grid_text(g, a, x, y, item->detail, quiet);
}

/* What is cut in the selected row, in rows of its own below the list. Gives the rows that are left for the list. */
static int draw_whole(const struct menu *m, struct grid *g, struct area in, int rows)
{
	const struct menu_item *item = menu_at(m);
	struct area a = { in.x + 1, in.y + rows - 1, in.width - 2, WHOLE_ROWS };

	if (m->text_columns + m->detail_columns + MARGIN + 3 <= in.width || rows < 8)
		return rows;
	if (item && item->detail && (int)flame_columns(item->detail) > in.width - m->text_columns - MARGIN - 3)
		wrap_draw(g, a, 0, 0, item->detail, theme_look(LOOK_COMMAND));
	return rows - WHOLE_ROWS;
}

void menu_draw(struct menu *m, struct grid *g, const char *title, const char *hint, int columns)
{
	int need = m->text_columns + (m->detail_columns ? m->detail_columns + 2 : 0) + MARGIN + 2;
	int width = at_least(need, (int)flame_columns(hint)) + EDGES;
	int height = (int)m->n_items + EDGES + (m->n_items > MANY ? WHOLE_ROWS : 0), x;
	struct area in;

	m->box = overlay_box(g, width < columns ? width : columns, height);
	in = grid_frame(g, m->box, title, theme_look(LOOK_BOX));
	if (in.width < 1)
		in = m->box;
	m->rows = (struct area){ in.x, in.y + 1, in.width, in.height > 2 ? in.height - 2 : 0 };
	if (in.height <= 2) /* no room for what is typed and the hint */
		m->rows = in;
	else
		m->rows.height = draw_whole(m, g, in, m->rows.height);
	x = grid_text(g, in, 1, 0, "filter: ", theme_look(LOOK_QUIET));
	if (in.height > 2)
		editor_draw(&m->typed, g, in, x, 0, theme_look(LOOK_PLAIN));
	shell_list_fit(&m->list, m->list.n, m->rows.height);
	for (int y = 0; y < m->rows.height && m->list.top + (uint32_t)y < m->list.n; y++)
		draw_row(m, g, y, m->list.top + (uint32_t)y);
	if (m->list.n == 0)
		grid_text(g, m->rows, MARGIN, 0, "nothing here has that in it", theme_look(LOOK_QUIET));
	shell_list_draw_bar(&m->list, g, m->rows, theme_look(LOOK_PLAIN));
	if (in.height > 2)
		grid_text(g, in, 1, in.height - 1, hint, theme_look(LOOK_QUIET));
}

static enum menu_did click(struct menu *m, const struct event *e)
{
	uint32_t row;

	if (!overlay_has(m->box, e))
		return MENU_LEFT;
	if (!overlay_has(m->rows, e) || !shell_list_row_at(&m->list, e->y - m->rows.y, &row) || !item_of(m, row)->line)
		return MENU_TAKEN;
	shell_list_go(&m->list, row);
	return MENU_CHOSEN;
}

static enum menu_did move(struct menu *m, uint32_t key)
{
	struct event e = { .kind = EVENT_KEY, .key = key };
	bool up = key == KEY_UP_ || key == KEY_PAGE_UP || key == KEY_END_;

	shell_list_key(&m->list, &e);
	leave_heading(m, up ? -1 : 1);
	return MENU_TAKEN;
}

static enum menu_did type(struct menu *m, const struct event *e)
{
	enum editor_did did = editor_key(&m->typed, e);

	if (did == EDITOR_CHANGED) {
		m->list.at = m->list.top = 0;
		menu_filter(m);
	}
	return did == EDITOR_NOTHING ? MENU_NOTHING : MENU_TAKEN;
}

enum menu_did menu_key(struct menu *m, const struct event *e)
{
	if (e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE)
		return click(m, e);
	if (e->kind == EVENT_RIGHT)
		return MENU_LEFT;
	if (e->kind == EVENT_WHEEL) {
		shell_list_key(&m->list, e);
		leave_heading(m, e->by < 0 ? -1 : 1);
		return MENU_TAKEN;
	}
	switch (e->key) {
	case KEY_ESC:
	case CTRL_C:
		return MENU_LEFT;
	case KEY_ENTER_:
		return menu_at(m) ? MENU_CHOSEN : MENU_TAKEN;
	case KEY_UP_:
	case CTRL_P:
	case KEY_BACKTAB:
		return move(m, KEY_UP_);
	case KEY_DOWN_:
	case CTRL_N:
	case KEY_TAB:
		return move(m, KEY_DOWN_);
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
	case KEY_HOME_:
	case KEY_END_:
		return move(m, e->key);
	case KEY_LEFT_:
	case KEY_RIGHT_:
		return MENU_NOTHING;
	default:
		return type(m, e);
	}
}
