/*
 * complete.c - the list of candidates above a line that is typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/complete.h"

#include "base/mem.h"
#include "session/complete.h"
#include "viewers/flame/flame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 10, CTRL_C = 3, CTRL_N = 14, CTRL_P = 16 };

void shell_complete_release(struct complete *c)
{
	texts_release(&c->found);
	*c = (struct complete){ 0 };
}

/* Ask what could stand there. */
static void ask(struct complete *c, struct shell *s, const struct editor *e, const char *before)
{
	struct buf line = { 0 };
	size_t skip = strlen(before), start = 0;

	shell_complete_release(c);
	buf_addz(&line, before);
	buf_add(&line, buf_text(&e->text), e->at);
	complete_line(buf_text(&line), line.len, s->data->p, &start, &c->found);
	c->start = start > skip ? start - skip : 0;
	buf_release(&line);
}

/* How many bytes all candidates begin with, whole characters. */
static size_t agreed(const struct complete *c)
{
	size_t n, len;
	const char *first = texts_at(&c->found, 0, &n);

	assert(c->found.n > 0);
	for (size_t i = 1; i < c->found.n; i++) {
		const char *text = texts_at(&c->found, i, &len);
		size_t k = 0;

		while (k < n && k < len && text[k] == first[k])
			k++;
		n = k;
	}
	while (n > 0 && ((unsigned char)first[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void take(struct complete *c, struct editor *e)
{
	size_t n;
	const char *text = texts_at(&c->found, c->list.at, &n);

	assert(c->list.at < c->found.n);
	editor_replace(e, c->start, text, n);
	c->is_chosen = true;
}

/* A name that cannot go on gets a blank behind it. */
static void end_word(const struct complete *c, struct editor *e)
{
	char last = e->at ? e->text.data[e->at - 1] : '=';

	if (!c->is_alone && e->at == e->text.len && last != '=' && last != '/' && last != ' ' &&
	    !memchr(e->text.data, '=', e->text.len))
		editor_insert(e, " ", 1);
}

void shell_complete_tab(struct complete *c, struct shell *s, struct editor *e, const char *before)
{
	size_t n;
	const char *first;

	ask(c, s, e, before);
	c->is_alone = *before;
	if (c->found.n == 0) {
		shell_say(s, false, "nothing begins like this");
		return;
	}
	first = texts_at(&c->found, 0, &n);
	if (c->found.n > 1)
		n = agreed(c);
	if (n >= e->at - c->start)
		editor_replace(e, c->start, first, n);
	if (c->found.n == 1)
		end_word(c, e);
	c->is_open = c->found.n > 1;
}

/* The next candidate goes into the line, so that one sees what comes of it. */
static void step(struct complete *c, struct editor *e, int by)
{
	uint32_t n = (uint32_t)c->found.n;

	assert(n > 0);
	c->list.n = n;
	if (c->is_chosen || by < 0)
		shell_list_go(&c->list, (c->list.at + n + (uint32_t)by) % n);
	take(c, e);
}

static bool click(struct complete *c, struct editor *e, const struct event *event)
{
	uint32_t row;

	c->is_open = false;
	if (!overlay_has(c->box, event))
		return false;
	if (shell_list_row_at(&c->list, event->y - c->box.y, &row)) {
		shell_list_go(&c->list, row);
		take(c, e);
	}
	return true;
}

static bool page(struct complete *c, struct editor *e, const struct event *event)
{
	shell_list_key(&c->list, event);
	take(c, e);
	return true;
}

bool shell_complete_key(struct complete *c, struct editor *e, const struct event *event)
{
	if (!c->is_open)
		return false;
	if (event->kind == EVENT_CLICK)
		return click(c, e, event);
	if (event->kind == EVENT_WHEEL)
		return page(c, e, event);
	switch (event->kind == EVENT_KEY ? event->key : 0) {
	case KEY_TAB:
	case KEY_DOWN_:
	case CTRL_N:
		step(c, e, 1);
		return true;
	case KEY_BACKTAB:
	case KEY_UP_:
	case CTRL_P:
		step(c, e, -1);
		return true;
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
		return page(c, e, event);
	case KEY_ENTER_:
		c->is_open = false;
		if (c->is_chosen)
			end_word(c, e);
		return c->is_chosen;
	case KEY_ESC:
	case CTRL_C:
		c->is_open = false;
		return true;
	default:
		c->is_open = false;
		return false;
	}
}

/* Text i as a C string; the caller frees. */
static char *text_of(const struct complete *c, size_t i)
{
	size_t n;
	const char *text = texts_at(&c->found, i, &n);

	return mem_strndup(text, n);
}

static int widest(const struct complete *c)
{
	int columns = 0;

	for (size_t i = 0; i < c->found.n; i++) {
		char *text = text_of(c, i);
		int n = (int)flame_columns(text);

		columns = n > columns ? n : columns;
		free(text);
	}
	return columns;
}

void shell_complete_draw(struct complete *c, struct grid *g, int x, int y)
{
	int width = 0, rows = (int)c->found.n < ROWS_MAX ? (int)c->found.n : ROWS_MAX;
	struct look look = theme_look(LOOK_CHIP);
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
	grid_fill(g, *box, ' ', look);
	for (int i = 0; i < rows; i++) {
		uint32_t row = c->list.top + (uint32_t)i;
		char *text = text_of(c, row);
		bool here = c->is_chosen && row == c->list.at;

		if (here)
			grid_fill(g, (struct area){ box->x, box->y + i, width, 1 }, ' ', theme_look(LOOK_SELECTED));
		grid_text_short(g, *box, 0, i, here ? ">" : " ", 1, here ? theme_look(LOOK_SELECTED) : look);
		grid_text_short(g, *box, 1, i, text, width - 2, here ? theme_look(LOOK_SELECTED) : look);
		free(text);
	}
	shell_list_draw_bar(&c->list, g, *box, look);
}
