/*
 * listing.c - tables of text with aligned columns, or as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void listing_add(struct listing *l, const char *text, const char *json)
{
	l->cell = mem_grow(l->cell, &l->cap, l->n_cells + 1, sizeof(*l->cell));
	l->cell[l->n_cells++] = (struct listing_cell){
		.text = mem_strndup(text, strlen(text)),
		.json = json ? mem_strndup(json, strlen(json)) : NULL,
	};
}

void listing_addf(struct listing *l, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	listing_add(l, buf_text(&text), NULL);
	buf_release(&text);
}

void listing_add_bytes(struct listing *l, uint64_t bytes)
{
	struct buf text = { 0 };
	char number[NUM_DIGITS + 1];

	unit_add_label(&text, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, "B", "auto");
	snprintf(number, sizeof(number), "%" PRIu64, bytes);
	listing_add(l, buf_text(&text), number);
	buf_release(&text);
}

void listing_add_time(struct listing *l, int64_t ns)
{
	struct buf text = { 0 }, json = { 0 };

	time_add_local(&text, ns, TIME_SPACED " %Z");
	time_add_utc(&json, ns, TIME_ISO);
	listing_add(l, buf_text(&text), buf_text(&json));
	buf_release(&text);
	buf_release(&json);
}

static void add_padding(struct buf *out, size_t n)
{
	buf_fill(out, ' ', n);
}

/* Append a cell in a column of this width; the last column of a line is not padded. */
static void store_listing_add_cell(const char *text, size_t width, bool to_right, bool is_last, struct buf *out)
{
	size_t n = utf8_count(text, strlen(text)), pad = n < width ? width - n : 0;

	if (to_right)
		add_padding(out, pad);
	buf_addz(out, text);
	if (!to_right && !is_last)
		add_padding(out, pad);
	buf_addz(out, is_last ? "\n" : "  ");
}

static void store_listing_print_text(const struct listing *l, struct buf *out)
{
	size_t *width = mem_zalloc(l->n_cols, sizeof(*width));
	char **safe = mem_alloc(l->n_cells + 1, sizeof(*safe));

	for (size_t c = 0; c < l->n_cols; c++)
		width[c] = strlen(l->col[c].title);
	for (size_t i = 0; i < l->n_cells; i++) {
		struct buf cell = { 0 };
		size_t n;

		utf8_add_safe(&cell, l->cell[i].text, strlen(l->cell[i].text));
		safe[i] = mem_strndup(buf_text(&cell), cell.len);
		n = utf8_count(safe[i], cell.len);
		if (n > width[i % l->n_cols])
			width[i % l->n_cols] = n;
		buf_release(&cell);
	}
	for (size_t c = 0; c < l->n_cols; c++)
		store_listing_add_cell(l->col[c].title, width[c], l->col[c].is_number, c + 1 == l->n_cols, out);
	for (size_t i = 0; i < l->n_cells; i++) {
		size_t c = i % l->n_cols;

		store_listing_add_cell(safe[i], width[c], l->col[c].is_number, c + 1 == l->n_cols, out);
		free(safe[i]);
	}
	free(safe);
	free(width);
}

static void print_json(const struct listing *l, struct buf *out)
{
	struct json j = { .out = out };

	jsonw_open(&j, '[');
	for (size_t i = 0; i < l->n_cells; i++) {
		const struct listing_column *c = &l->col[i % l->n_cols];
		const char *value = l->cell[i].json ? l->cell[i].json : l->cell[i].text;

		if (i % l->n_cols == 0)
			jsonw_open(&j, '{');
		jsonw_key(&j, c->key);
		if (c->is_number)
			jsonw_raw(&j, *value ? value : "null", *value ? strlen(value) : strlen("null"));
		else
			jsonw_textz(&j, value);
		if ((i + 1) % l->n_cols == 0)
			jsonw_close(&j, '}');
	}
	jsonw_close(&j, ']');
	buf_addz(out, "\n");
}

void listing_print(const struct listing *l, bool json, struct buf *out)
{
	if (json)
		print_json(l, out);
	else if (l->n_cells)
		store_listing_print_text(l, out);
}

void listing_release(struct listing *l)
{
	for (size_t i = 0; i < l->n_cells; i++) {
		free(l->cell[i].text);
		free(l->cell[i].json);
	}
	free(l->cell);
	l->cell = NULL;
	l->n_cells = l->cap = 0;
}
