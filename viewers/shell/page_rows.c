/*
 * page_rows.c - a page laid out for a width
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keys that follow each other stand in two columns where there is room: their rows are made for one
 * column first, then the second half of them is put beside the first.
 */
#include "config.h"

#include "viewers/shell/page_rows.h"

#include "base/mem.h"
#include "viewers/shell/wrap.h"

#include <stdlib.h>
#include <string.h>

enum { TWO_COLUMNS = 100, KEYS_WIDE = 16, KEYS_NARROW = 11, NARROW = 50, EDGES = 2 };

int page_column(int width)
{
	return width >= TWO_COLUMNS ? width / 2 : width;
}

int page_keys(int width)
{
	return width < NARROW ? KEYS_NARROW : KEYS_WIDE;
}

void page_forget_rows(struct page *p)
{
	for (size_t i = 0; i < p->n_rows; i++)
		for (int side = 0; side < 2; side++) {
			free(p->row[i].key[side]);
			free(p->row[i].text[side]);
		}
	p->n_rows = 0;
}

static struct page_row *add_row(struct page *p, enum part_kind kind)
{
	p->row = mem_grow(p->row, &p->cap_rows, p->n_rows + 1, sizeof(*p->row));
	p->row[p->n_rows] = (struct page_row){ .kind = kind };
	return &p->row[p->n_rows++];
}

/* The next row of a text, which is moved behind it; NULL at its end. */
static char *take_row(const char **text, int columns)
{
	size_t next, n;
	char *row;

	if (!*text || !**text)
		return NULL;
	n = wrap_row(*text, columns > 1 ? columns : 1, &next);
	row = mem_strndup(*text, n);
	*text += next;
	return row;
}

static void lay_text(struct page *p, const struct page_part *part, int width)
{
	const char *text = part->text;
	char *row;

	if (!*text)
		add_row(p, part->kind);
	while ((row = take_row(&text, width - EDGES)))
		add_row(p, part->kind)->text[0] = row;
}

/* A key in rows of one column: its names may take several, as what it does. */
static void lay_key(struct page *p, const struct page_part *part, int column, int keys)
{
	const char *key = part->key, *text = part->text;
	char *one = take_row(&key, keys - 1), *two = take_row(&text, column - keys - EDGES);

	while (one || two) {
		struct page_row *row = add_row(p, PART_KEY);

		row->key[0] = one;
		row->text[0] = two;
		one = take_row(&key, keys - 1);
		two = take_row(&text, column - keys - EDGES);
	}
}

/* Put the rows from mid on beside those from first to mid. */
static void pair_rows(struct page *p, size_t first, size_t mid)
{
	size_t n = p->n_rows;

	for (size_t i = mid; i < n; i++) {
		struct page_row *left = &p->row[first + i - mid];

		left->key[1] = p->row[i].key[0];
		left->text[1] = p->row[i].text[0];
	}
	p->n_rows = mid;
}

/* Where the second column begins: with the first of n keys that leaves no more rows to the right than to the left. */
static size_t middle(const size_t *start, size_t n, size_t total)
{
	size_t k = 1;

	while (k < n && start[k] - start[0] < total - start[k])
		k++;
	return k < n ? start[k] : total;
}

/* The keys from part i on. Gives the part behind them. */
static size_t lay_keys(struct page *p, size_t i, int width)
{
	int column = page_column(width), keys = page_keys(width);
	size_t n = 0, *start;

	while (i + n < p->n_parts && p->part[i + n].kind == PART_KEY)
		n++;
	start = mem_alloc(n, sizeof(*start));
	for (size_t k = 0; k < n; k++) {
		start[k] = p->n_rows;
		lay_key(p, &p->part[i + k], column, keys);
	}
	if (column < width)
		pair_rows(p, start[0], middle(start, n, p->n_rows));
	free(start);
	return i + n;
}

void page_lay(struct page *p, int width)
{
	if (p->laid_width == width && p->n_rows)
		return;
	page_forget_rows(p);
	p->laid_width = width;
	for (size_t i = 0; i < p->n_parts;) {
		const struct page_part *part = &p->part[i];

		if (part->kind == PART_HEAD && p->n_rows)
			add_row(p, PART_TEXT);
		if (part->kind == PART_KEY) {
			i = lay_keys(p, i, width);
			continue;
		}
		lay_text(p, part, width);
		i++;
	}
}
