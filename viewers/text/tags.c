/*
 * tags.c - tags and comments as pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text.h"

#include "base/buf.h"
#include "base/string_list.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "report/tags.h"
#include "viewers/text/text_int.h"

#include <string.h>

static void text_tags_add_percent(const struct head *h, int64_t value, struct buf *out)
{
	if (h->total <= 0)
		return;
	buf_addz(out, " (");
	unit_add_percent(out, value, h->total);
	buf_addz(out, ")");
}

/* Append the line of a key. Returns the indentation of its values. */
static size_t text_tags_add_key(const struct report *r, const char *key, int64_t sum, struct buf *out)
{
	size_t start = out->len, indent;

	buf_add(out, " ", 1);
	utf8_add_safe(out, key, strlen(key));
	buf_add(out, ":", 1);
	indent = utf8_count(out->data + start, out->len - start);
	buf_addz(out, " Total ");
	text_add_value(&r->head, sum, 0, out);
	buf_addz(out, " of ");
	text_add_value(&r->head, r->head.total, 0, out);
	text_tags_add_percent(&r->head, sum, out);
	buf_addz(out, "\n");
	return indent;
}

/* Format the values of rows [lo, hi). Returns the largest width. */
static size_t format_values(const struct report *r, uint32_t lo, uint32_t hi, struct string_list *weights)
{
	size_t max = 0, n;

	for (uint32_t i = lo; i < hi; i++) {
		int64_t weight = r->table.cell[(size_t)i * TAGS_COLS + TAGS_CUM].value;
		const char *text;

		text_add_value(&r->head, weight, 0, &weights->all);
		text_tags_add_percent(&r->head, weight, &weights->all);
		buf_addz(&weights->all, ":");
		string_list_end(weights);
		text = string_list_get(weights, i - lo, &n);
		n = utf8_count(text, n);
		max = n > max ? n : max;
	}
	return max;
}

static void text_tags_add_group(const struct report *r, uint32_t lo, uint32_t hi, struct buf *out)
{
	const union cell *cell = r->table.cell + (size_t)lo * TAGS_COLS;
	struct string_list weights = { 0 };
	int64_t sum = 0;
	size_t indent, width = format_values(r, lo, hi, &weights);

	for (uint32_t i = lo; i < hi; i++)
		sum += cell[(size_t)(i - lo) * TAGS_COLS + TAGS_CUM].value;
	indent = text_tags_add_key(r, cell[TAGS_KEY].text, sum, out);
	for (uint32_t i = lo; i < hi; i++, cell += TAGS_COLS) {
		size_t n;
		const char *text = string_list_get(&weights, i - lo, &n);

		buf_fill(out, ' ', indent + 1 + width - utf8_count(text, n));
		buf_add(out, text, n);
		buf_add(out, " ", 1);
		utf8_add_safe(out, cell[TAGS_VALUE].text, strlen(cell[TAGS_VALUE].text));
		buf_add(out, "\n", 1);
	}
	buf_add(out, "\n", 1);
	string_list_release(&weights);
}

void text_draw_tags(const struct report *r, bool color, struct buf *out)
{
	(void)color;
	const struct table *t = &r->table;

	for (uint32_t lo = 0, hi; lo < t->n_rows; lo = hi) {
		const char *key = t->cell[(size_t)lo * TAGS_COLS + TAGS_KEY].text;

		for (hi = lo + 1; hi < t->n_rows; hi++)
			if (strcmp(t->cell[(size_t)hi * TAGS_COLS + TAGS_KEY].text, key) != 0)
				break;
		text_tags_add_group(r, lo, hi, out);
	}
}

void text_draw_comments(const struct report *r, bool color, struct buf *out)
{
	(void)color;
	for (uint32_t i = 0; i < r->table.n_rows && !buf_is_stopped(); i++) {
		utf8_add_safe(out, r->table.cell[i].text, strlen(r->table.cell[i].text));
		buf_add(out, "\n", 1);
	}
}
