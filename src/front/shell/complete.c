/*
 * complete.c - the list of candidates above a line being typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/complete.h"

#include "base/columns.h"
#include "base/mem.h"
#include "session/complete.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 10, CTRL_C = 3, CTRL_N = 14, CTRL_P = 16 };

void shell_complete_release(struct complete *c)
{
	string_list_release(&c->found);
	*c = (struct complete){ 0 };
}

/* Find the candidates for the word at the cursor. */
static void shell_complete_find_candidates(struct complete *c, struct shell *s, const struct editor *e,
					   const char *before)
{
	struct buf line = { 0 };
	size_t skip = strlen(before), start = 0;

	shell_complete_release(c);
	buf_addz(&line, before);
	buf_add(&line, buf_text(&e->text), e->cursor);
	complete_line(buf_text(&line), line.len, s->data->p, &start, &c->found);
	c->start = start > skip ? start - skip : 0;
	buf_release(&line);
}

/* The number of bytes of the common prefix of all candidates, in whole characters. */
static size_t common_prefix(const struct complete *c)
{
	size_t n, len;
	const char *first = string_list_get(&c->found, 0, &n);

	assert(c->found.n > 0);
	for (size_t i = 1; i < c->found.n; i++) {
		const char *text = string_list_get(&c->found, i, &len);
		size_t k = 0;

		while (k < n && k < len && text[k] == first[k])
			k++;
		n = k;
	}
	while (n > 0 && ((unsigned char)first[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void insert_selected(struct complete *c, struct editor *e)
{
	size_t n;
	const char *text = string_list_get(&c->found, c->list.selected, &n);

	assert(c->list.selected < c->found.n);
	editor_replace(e, c->start, text, n);
	c->is_inserted = true;
}

/* Append a blank to a completed name that takes no value. */
static void end_word(const struct complete *c, struct editor *e)
{
	char last = e->cursor ? e->text.data[e->cursor - 1] : '=';

	if (!c->ends_line && e->cursor == e->text.len && last != '=' && last != '/' && last != ' ' &&
	    !memchr(e->text.data, '=', e->text.len))
		editor_insert(e, " ", 1);
}

void shell_complete_tab(struct complete *c, struct shell *s, struct editor *e, const char *before)
{
	size_t n;
	const char *first;

	shell_complete_find_candidates(c, s, e, before);
	c->ends_line = *before;
	if (c->found.n == 0) {
		shell_notify(s, false, "no completions");
		return;
	}
	first = string_list_get(&c->found, 0, &n);
	if (c->found.n > 1)
		n = common_prefix(c);
	if (n >= e->cursor - c->start)
		editor_replace(e, c->start, first, n);
	if (c->found.n == 1)
		end_word(c, e);
	c->is_open = c->found.n > 1;
}

/* Insert the next candidate into the line, as a preview. */
static void shell_complete_step(struct complete *c, struct editor *e, int by)
{
	uint32_t n = (uint32_t)c->found.n;

	assert(n > 0);
	c->list.n = n;
	if (c->is_inserted || by < 0)
		shell_list_select(&c->list, (c->list.selected + n + (uint32_t)by) % n);
	insert_selected(c, e);
}

static bool shell_complete_click(struct complete *c, struct editor *e, const struct event *event)
{
	uint32_t row;

	c->is_open = false;
	if (!grid_has(c->box, event->x, event->y))
		return false;
	if (shell_list_row_at(&c->list, event->y - c->box.y, &row)) {
		shell_list_select(&c->list, row);
		insert_selected(c, e);
	}
	return true;
}

static bool shell_complete_page(struct complete *c, struct editor *e, const struct event *event)
{
	shell_list_key(&c->list, event);
	insert_selected(c, e);
	return true;
}

bool shell_complete_key(struct complete *c, struct editor *e, const struct event *event)
{
	if (!c->is_open)
		return false;
	if (event->kind == EVENT_CLICK)
		return shell_complete_click(c, e, event);
	if (event->kind == EVENT_WHEEL)
		return shell_complete_page(c, e, event);
	switch (event->kind == EVENT_KEY ? event->key : 0) {
	case KEY_TAB:
	case KEY_DOWN_:
	case CTRL_N:
		shell_complete_step(c, e, 1);
		return true;
	case KEY_BACKTAB:
	case KEY_UP_:
	case CTRL_P:
		shell_complete_step(c, e, -1);
		return true;
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
		return shell_complete_page(c, e, event);
	case KEY_ENTER_:
		c->is_open = false;
		if (c->is_inserted)
			end_word(c, e);
		return c->is_inserted;
	case KEY_ESC:
	case CTRL_C:
		c->is_open = false;
		return true;
	default:
		c->is_open = false;
		return false;
	}
}

/* Text i as a C string, freed by the caller. */
static char *shell_complete_text_of(const struct complete *c, size_t i)
{
	size_t n;
	const char *text = string_list_get(&c->found, i, &n);

	return mem_strndup(text, n);
}

static int widest(const struct complete *c)
{
	int columns = 0;

	for (size_t i = 0; i < c->found.n; i++) {
		char *text = shell_complete_text_of(c, i);
		int n = (int)column_count(text);

		columns = n > columns ? n : columns;
		free(text);
	}
	return columns;
}

void shell_complete_draw(struct complete *c, struct grid *g, int x, int y)
{
	int width = 0, rows = (int)c->found.n < ROWS_MAX ? (int)c->found.n : ROWS_MAX;
	struct style style = theme_style(ROLE_CHIP);
	struct area *box = &c->box;

	if (!c->is_open || y < 1)
		return;
	width = widest(c) + 3;
	width = width < g->width ? width : g->width;
	rows = rows < y ? rows : y;
	*box = (struct area){ x - 1, y - rows, width, rows };
	if (box->x + width > g->width)
		box->x = g->width - width;
	if (box->x < 0)
		box->x = 0;
	shell_list_fit(&c->list, (uint32_t)c->found.n, rows);
	grid_fill(g, *box, ' ', style);
	for (int i = 0; i < rows; i++) {
		uint32_t row = c->list.top + (uint32_t)i;
		char *text = shell_complete_text_of(c, row);
		bool here = c->is_inserted && row == c->list.selected;

		if (here)
			grid_fill(g, (struct area){ box->x, box->y + i, width, 1 }, ' ', theme_style(ROLE_SELECTED));
		grid_text_short(g, *box, 0, i, here ? ">" : " ", 1, here ? theme_style(ROLE_SELECTED) : style);
		grid_text_short(g, *box, 1, i, text, width - 2, here ? theme_style(ROLE_SELECTED) : style);
		free(text);
	}
	shell_list_draw_bar(&c->list, g, *box, style);
}
