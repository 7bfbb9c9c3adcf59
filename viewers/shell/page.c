/*
 * page.c - a window of text: paragraphs and keys, wrapped, scrolled, searched
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/page.h"

#include "base/mem.h"
#include "viewers/shell/page_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CTRL_C = 3, EDGES = 2 };

static char *copy(const char *text)
{
	return text ? mem_strndup(text, strlen(text)) : NULL;
}

void page_release(struct page *p)
{
	page_forget_rows(p);
	free(p->row);
	for (size_t i = 0; i < p->n_parts; i++) {
		free(p->part[i].key);
		free(p->part[i].text);
	}
	free(p->part);
	editor_release(&p->search);
	*p = (struct page){ 0 };
}

void page_add(struct page *p, enum part_kind kind, const char *key, const char *text)
{
	p->part = mem_grow(p->part, &p->cap_parts, p->n_parts + 1, sizeof(*p->part));
	p->part[p->n_parts++] = (struct page_part){ kind, copy(key), copy(text) };
	p->laid_width = 0;
}

void page_add_lines(struct page *p, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = mem_strndup(text, n);

		page_add(p, PART_LINE, NULL, line);
		free(line);
		text += n + (text[n] == '\n');
	}
}

/* Is what is searched for in this text? Letters in any case. */
static bool has(const char *text, const char *word)
{
	for (; text && *text; text++) {
		size_t i = 0;

		while (word[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
			i++;
		if (!word[i])
			return true;
	}
	return false;
}

static bool is_found(const struct page *p, const struct page_row *row)
{
	const char *word = buf_text(&p->search.text);

	return *word &&
	       (has(row->key[0], word) || has(row->text[0], word) || has(row->key[1], word) || has(row->text[1], word));
}

static void draw_row(const struct page *p, struct grid *g, struct area in, int y, size_t i)
{
	const struct page_row *row = &p->row[i];
	struct look look = theme_look(row->kind == PART_HEAD ? LOOK_HEAD : LOOK_PLAIN);

	if (is_found(p, row)) {
		look = theme_look(LOOK_MATCH);
		grid_text(g, in, 0, y, ">", look);
	}
	for (int side = 0; side < 2; side++) {
		int x = 1 + side * page_column(in.width);
		struct area a = in;

		if (side == 0 && (row->key[1] || row->text[1]))
			a.width = page_column(in.width);
		if (row->key[side])
			grid_text(g, a, x, y, row->key[side], theme_look(LOOK_KEY));
		if (row->kind == PART_KEY)
			x += page_keys(in.width);
		if (row->text[side])
			grid_text(g, a, x, y, row->text[side], look);
	}
}

static void draw_foot(struct page *p, struct grid *g, struct area in)
{
	struct area a = { in.x, in.y + in.height, in.width, 1 };

	if (p->is_typing) {
		int x = grid_text(g, a, 1, 0, "/", theme_look(LOOK_KEY));

		editor_draw(&p->search, g, a, x, 0, theme_look(LOOK_PLAIN));
		return;
	}
	grid_text(g, a, 1, 0,
		  p->search.text.len ? "n N next and previous  / search  Esc closes"
				     : "Up Down PageUp PageDown scroll  / search  Esc closes",
		  theme_look(LOOK_QUIET));
}

void page_draw(struct page *p, struct grid *g, const char *title, int columns)
{
	struct area in;

	page_lay(p, (columns < g->width ? columns : g->width) - EDGES);
	p->box = overlay_box(g, columns, (int)(p->n_rows < 10000 ? p->n_rows : 10000) + EDGES + 1);
	in = grid_frame(g, p->box, title, theme_look(LOOK_BOX));
	if (in.height < 1)
		in = p->box;
	else if (in.height > 1)
		in.height--;
	p->list.n = (uint32_t)p->n_rows;
	p->list.height = in.height;
	if (p->list.top + (uint32_t)in.height > p->list.n)
		p->list.top = p->list.n > (uint32_t)in.height ? p->list.n - (uint32_t)in.height : 0;
	for (int y = 0; y < in.height && p->list.top + (uint32_t)y < p->list.n; y++)
		draw_row(p, g, in, y, p->list.top + (uint32_t)y);
	shell_list_draw_bar(&p->list, g, in, theme_look(LOOK_PLAIN));
	if (p->box.height > 3)
		draw_foot(p, g, in);
}

/* Go to the next row that has it, from this one on. */
static void seek(struct page *p, uint32_t from, int by)
{
	for (uint32_t n = 0; n < p->list.n; n++) {
		uint32_t row = (uint32_t)(((int64_t)from + (int64_t)by * n + p->list.n * 2) % p->list.n);

		if (!is_found(p, &p->row[row]))
			continue;
		p->list.at = p->list.top = row;
		return;
	}
}

/* While the text to search for is typed. */
static void type(struct page *p, const struct event *e)
{
	if (e->kind == EVENT_KEY && (e->key == KEY_ESC || e->key == CTRL_C)) {
		p->is_typing = false;
		editor_set(&p->search, "");
	} else if (e->kind == EVENT_KEY && e->key == KEY_ENTER_) {
		p->is_typing = false;
	} else if (editor_key(&p->search, e) == EDITOR_CHANGED) {
		seek(p, p->list.top, 1);
	}
}

/* There is no selected row: what moves it scrolls. */
static bool scroll(struct page *p, const struct event *e)
{
	struct list *l = &p->list;
	bool down = e->kind == EVENT_WHEEL
			    ? e->by > 0
			    : e->key == 'j' || e->key == KEY_DOWN_ || e->key == KEY_PAGE_DOWN || e->key == 4;

	l->at = down && l->height > 0 ? l->top + (uint32_t)l->height - 1 : l->top;
	if (l->at >= l->n)
		l->at = l->n ? l->n - 1 : 0;
	return shell_list_key(l, e);
}

bool page_key(struct page *p, const struct event *e)
{
	if (e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE)
		return overlay_has(p->box, e);
	if (e->kind == EVENT_RIGHT)
		return false;
	if (p->is_typing) {
		type(p, e);
		return true;
	}
	if (e->kind == EVENT_KEY) {
		switch (e->key) {
		case '/':
			p->is_typing = true;
			editor_set(&p->search, "");
			return true;
		case 'n':
			seek(p, p->list.top + 1, 1);
			return true;
		case 'N':
			seek(p, p->list.top + p->list.n - 1, -1);
			return true;
		case ' ':
			return scroll(p, &(struct event){ .kind = EVENT_KEY, .key = KEY_PAGE_DOWN });
		default:
			break;
		}
	}
	return scroll(p, e);
}
