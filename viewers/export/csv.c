/*
 * csv.c - a report as comma-separated values
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Control characters are spelt out as in text. A cell that a spreadsheet would take for a formula
 * (it begins with = + - @) is a real name in some languages and stays as it is, in quotes.
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/unit.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void csv_add_quoted(struct buf *out, const char *s)
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

static void add_cell(const struct head *h, const struct column *c, const union cell *cell, struct buf *out)
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

static bool has_values(const struct table *t)
{
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (t->col[c].kind == CELL_VALUE)
			return true;
	return false;
}

void csv_draw(const struct report *r, struct buf *out)
{
	const struct table *t = &r->table;
	bool unit = has_values(t);

	if (t->role)
		buf_addz(out, "role,");
	for (uint32_t c = 0; c < t->n_cols; c++)
		buf_addf(out, "%s%s", c ? "," : "", t->col[c].key);
	buf_addz(out, unit ? ",unit\n" : "\n");
	for (uint32_t i = 0; i < t->n_rows; i++) {
		if (t->role)
			buf_addf(out, "%s,", report_role(t, i));
		for (uint32_t c = 0; c < t->n_cols; c++) {
			buf_add(out, ",", c > 0);
			if (report_has(t, i, c))
				add_cell(&r->head, &t->col[c], &t->cell[(size_t)i * t->n_cols + c], out);
		}
		if (unit) {
			buf_add(out, ",", 1);
			csv_add_quoted(out, r->head.unit);
		}
		buf_add(out, "\n", 1);
	}
}
