/*
 * list.c - the list report as text, as pprof prints it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text.h"

#include "base/buf.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "report/list.h"
#include "viewers/text/text_int.h"

#include <inttypes.h>
#include <string.h>

enum { VALUE_WIDTH = 10, LINE_WIDTH = 6 };

static void text_list_add_safe(struct buf *out, const char *text)
{
	utf8_add_safe(out, text, strlen(text));
}

static void add_value_or_dot(const struct head *h, int64_t value, struct buf *out)
{
	if (value)
		text_add_value(h, value, VALUE_WIDTH, out);
	else
		buf_addf(out, "%*s", VALUE_WIDTH, ".");
}

static void text_list_add_routine(const struct head *h, const union cell *cell, bool color, struct buf *out)
{
	if (!*cell[LIST_FILE].text) {
		buf_addz(out, "No source information for ");
		text_list_add_safe(out, cell[LIST_FUNCTION].text);
		buf_addz(out, "\n");
		return;
	}
	buf_addf(out, "%sROUTINE ======================== ", color ? STYLE_TITLE : "");
	text_list_add_safe(out, cell[LIST_FUNCTION].text);
	buf_addz(out, " in ");
	text_list_add_safe(out, cell[LIST_FILE].text);
	buf_addz(out, color ? STYLE_END "\n" : "\n");
	text_add_value(h, cell[LIST_FLAT].value, VALUE_WIDTH, out);
	buf_addz(out, " ");
	text_add_value(h, cell[LIST_CUM].value, VALUE_WIDTH, out);
	buf_addz(out, " (flat, cum) ");
	unit_add_percent(out, cell[LIST_CUM_PCT].value, h->total);
	buf_addz(out, " of Total\n");
	if (*cell[LIST_ERROR].text) {
		buf_addz(out, " Error: ");
		text_list_add_safe(out, cell[LIST_ERROR].text);
		buf_addz(out, "\n");
	}
}

static void text_list_add_line(const struct head *h, const union cell *cell, bool color, struct buf *out)
{
	bool hot = color && unit_percent(cell[LIST_FLAT].value, h->total) >= HOT_PERCENT;

	if (hot)
		buf_addz(out, STYLE_HOT);
	add_value_or_dot(h, cell[LIST_FLAT].value, out);
	buf_addz(out, " ");
	add_value_or_dot(h, cell[LIST_CUM].value, out);
	buf_addf(out, " %*" PRId64 ":", LINE_WIDTH, cell[LIST_LINE].value);
	text_list_add_safe(out, cell[LIST_SOURCE].text);
	buf_addz(out, hot ? STYLE_END "\n" : "\n");
}

/* Append a row for an inlined call below its line, with its cum in the cum column. */
static void text_list_add_inlined(const struct head *h, const union cell *cell, bool color, struct buf *out)
{
	buf_addf(out, "%s%*s ", color ? STYLE_NOTE : "", VALUE_WIDTH, "");
	text_add_value(h, cell[LIST_CUM].value, VALUE_WIDTH, out);
	buf_addf(out, " %*s| inlined ", LINE_WIDTH, "");
	text_list_add_safe(out, cell[LIST_FUNCTION].text);
	if (*cell[LIST_FILE].text) {
		buf_addz(out, " ");
		text_list_add_safe(out, cell[LIST_FILE].text);
		if (cell[LIST_LINE].value)
			buf_addf(out, ":%" PRId64, cell[LIST_LINE].value);
	}
	buf_addz(out, color ? STYLE_END "\n" : "\n");
}

void text_draw_list(const struct report *r, bool color, struct buf *out)
{
	const struct table *t = &r->table;

	buf_addz(out, "Total: ");
	text_add_value(&r->head, r->head.total, 0, out);
	buf_addz(out, "\n");
	for (uint32_t i = 0; i < t->n_rows && !buf_is_stopped(); i++) {
		const union cell *cell = t->cell + (size_t)i * t->n_cols;

		switch ((enum row_role)t->role[i]) {
		case ROW_ROUTINE:
			text_list_add_routine(&r->head, cell, color, out);
			break;
		case ROW_LINE:
			text_list_add_line(&r->head, cell, color, out);
			break;
		default:
			text_list_add_inlined(&r->head, cell, color, out);
		}
	}
}
