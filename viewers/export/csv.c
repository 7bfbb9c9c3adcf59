/*
 * csv.c - reports and traces as comma-separated values
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Control characters are escaped as in text. A cell that a spreadsheet would take for a formula (it starts with
 * = + - @) can be a real function name; it is quoted, but not changed.
 */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/string_list.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Append a text in quotes, on one line. */
static void csv_add_quoted(struct buf *out, const char *s)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, s, strlen(s));
	buf_add(out, "\"", 1);
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.data[i] == '"')
			buf_add(out, "\"", 1);
		buf_add(out, safe.data + i, 1);
	}
	buf_add(out, "\"", 1);
	buf_release(&safe);
}

static void csv_add_cell(const struct head *h, const struct column *c, const union cell *cell, struct buf *out)
{
	switch (c->kind) {
	case CELL_VALUE:
		buf_addf(out, "%" PRId64, report_value(h, cell->value));
		break;
	case CELL_PERCENT:
		buf_addf(out, "%.4f", unit_percent(cell->value, h->total));
		break;
	case CELL_NAME:
		csv_add_quoted(out, cell->text);
		break;
	case CELL_WORD:
		buf_addz(out, cell->text);
		break;
	case CELL_RATIO:
	case CELL_CHANGE:
		if (!isnan(cell->real))
			buf_addf(out, "%.4f", cell->real);
		break;
	case CELL_COUNT:
		buf_addf(out, "%" PRId64, cell->value);
		break;
	case CELL_NOTE:
		buf_add(out, cell->text + 1 - !*cell->text, *cell->text ? strlen(cell->text) - 2 : 0);
		break;
	}
}

static bool csv_has_values(const struct table *t)
{
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (t->col[c].kind == CELL_VALUE)
			return true;
	return false;
}

void csv_draw(const struct report *r, struct buf *out)
{
	const struct table *t = &r->table;
	bool unit = csv_has_values(t);

	if (t->role)
		buf_addz(out, "role,");
	for (uint32_t c = 0; c < t->n_cols; c++) {
		buf_add(out, ",", c > 0);
		if (t->col[c].key[strcspn(t->col[c].key, ",\"")]) /* has the value of a label */
			csv_add_quoted(out, t->col[c].key);
		else
			buf_addz(out, t->col[c].key);
	}
	buf_addz(out, unit ? ",unit\n" : "\n");
	for (uint32_t i = 0; i < t->n_rows && !buf_is_stopped(); i++) {
		if (t->role)
			buf_addf(out, "%s,", report_role(t, i));
		for (uint32_t c = 0; c < t->n_cols; c++) {
			buf_add(out, ",", c > 0);
			if (report_has(t, i, c))
				csv_add_cell(&r->head, &t->col[c], &t->cell[(size_t)i * t->n_cols + c], out);
		}
		if (unit) {
			buf_add(out, ",", 1);
			csv_add_quoted(out, r->head.unit);
		}
		buf_add(out, "\n", 1);
	}
}

struct traces_writer {
	const struct report *r;
	struct string_list frames; /* for each frame of each location, the part of its line that samples share */
};

static void *csv_start(const struct report *r)
{
	struct traces_writer *d = mem_zalloc(1, sizeof(*d));
	const struct traces *t = r->traces;

	d->r = r;
	for (uint32_t loc = 0; loc < t->frames.n; loc++) {
		for (uint32_t i = t->frames.off[loc]; i < t->frames.off[loc + 1]; i++) {
			csv_add_quoted(&d->frames.all, t->name[t->frames.item[i]]);
			buf_addz(&d->frames.all, i + 1 < t->frames.off[loc + 1] ? ",inline," : ",,");
			csv_add_quoted(&d->frames.all, r->head.unit);
			buf_add(&d->frames.all, "\n", 1);
			string_list_end(&d->frames);
		}
	}
	return d;
}

/* Faster than printf, which matters because many lines have little else. */
static void csv_add_number(struct buf *out, uint32_t n)
{
	char digits[10], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	buf_add(out, at, (size_t)(digits + sizeof(digits) - at));
}

static void csv_add_sample(const struct traces_writer *d, uint32_t sample, struct buf *out)
{
	const struct traces *t = d->r->traces;
	uint32_t stack = t->stack[sample], depth = 0;
	char number[64];
	int n = snprintf(number, sizeof(number), "%" PRIu32 ",%" PRId64 ",", sample + 1,
			 report_value(&d->r->head, t->value[sample]));

	for (uint32_t k = t->stacks->off[stack]; k < t->stacks->off[stack + 1]; k++) {
		uint32_t loc = stack_id_at(t->stacks, k);

		for (uint32_t i = t->frames.off[loc]; i < t->frames.off[loc + 1]; i++) {
			size_t len;
			const char *text = string_list_get(&d->frames, i, &len);

			buf_add(out, number, (size_t)n);
			csv_add_number(out, depth++);
			buf_add(out, ",", 1);
			buf_add(out, text, len);
		}
	}
}

static void export_csv_draw(const void *writer, uint32_t lo, uint32_t hi, struct buf *out)
{
	if (lo == 0)
		buf_addz(out, "sample,flat,depth,name,inlined,unit\n");
	for (uint32_t i = lo; i < hi && !buf_is_stopped(); i++)
		csv_add_sample(writer, i, out);
}

static void csv_end(void *writer)
{
	struct traces_writer *d = writer;

	string_list_release(&d->frames);
	free(d);
}

const struct traces_viewer csv_traces = { csv_start, export_csv_draw, csv_end };
