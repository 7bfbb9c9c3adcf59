/*
 * page.h - a window of text: paragraphs and keys, wrapped, scrolled, searched
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_PAGE_H
#define VIEWERS_SHELL_PAGE_H

#include "viewers/shell/editor.h"
#include "viewers/shell/shell_int.h"

enum part_kind { PART_HEAD, PART_TEXT, PART_KEY, PART_LINE };

/* A heading, a paragraph, a key with what it does, or a line that is not wrapped at blanks. */
struct page_part {
	enum part_kind kind;
	char *key, *text; /* key only of PART_KEY */
};

/* One row as laid out; the second key stands in a second column. NULL for nothing. */
struct page_row {
	enum part_kind kind;
	char *key[2], *text[2];
};

/* Zero-initialised it is empty; released with page_release. */
struct page {
	struct page_part *part; /* [n_parts] */
	size_t n_parts, cap_parts;
	struct page_row *row; /* [n_rows] for laid_width */
	size_t n_rows, cap_rows;
	int laid_width;
	struct list list;
	struct area box;
	struct editor search;
	bool is_typing;
};

void page_release(struct page *p);

/* Append a part; texts are copied. key may be NULL. */
void page_add(struct page *p, enum part_kind kind, const char *key, const char *text);

/* Append each line of a text as a PART_LINE. */
void page_add_lines(struct page *p, const char *text);

/* Draw as a window, not wider than columns. */
void page_draw(struct page *p, struct grid *g, const char *title, int columns);

/* Scrolling, / n N. Gives false when the page is to be closed: Esc, q, ?, Enter, a click outside. */
bool page_key(struct page *p, const struct event *e);

#endif
