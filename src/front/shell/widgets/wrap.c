/*
 * wrap.c - wrapping text to a number of columns
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/wrap.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "front/shell/terminal/grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The length of a character in bytes, and the columns that grid_text needs for it. */
static size_t char_size(const char *text, int *columns)
{
	uint32_t c = 0;
	size_t n = utf8_decode(text, strnlen(text, 4), &c);
	struct buf escape = { 0 };

	if (n && (utf8_is_safe(c) || c == '\t')) {
		*columns = c == '\t' ? 1 : grid_columns(c);
		return n;
	}
	utf8_add_safe(&escape, text, n ? n : 1);
	*columns = (int)escape.len;
	buf_release(&escape);
	return n ? n : 1;
}

size_t wrap_row(const char *text, int columns, size_t *next)
{
	size_t at = 0, blank = 0;
	int used = 0, one;

	while (text[at] && text[at] != '\n') {
		size_t n = char_size(text + at, &one);

		if (used + one > columns && at > 0)
			break;
		if (text[at] == ' ')
			blank = at;
		used += one;
		at += n;
	}
	if (text[at] && text[at] != '\n' && text[at] != ' ' && blank > 0)
		at = blank;
	*next = at;
	if (text[at] == '\n')
		++*next;
	else
		*next += strspn(text + at, " ");
	assert(at <= *next);
	return at;
}

int wrap_draw(struct grid *g, struct area a, int x, int y, const char *text, struct style style)
{
	while (*text && y < a.height) {
		size_t next, n = wrap_row(text, a.width - x > 0 ? a.width - x : 1, &next);
		char *row = mem_strndup(text, n);

		grid_text(g, a, x, y++, row, style);
		free(row);
		text += next;
	}
	return y;
}
