/*
 * calls.c - tree and peek as pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/unit.h"
#include "report/calls.h"
#include "viewers/text/text.h"
#include "viewers/text/text_int.h"

#include <string.h>

static const char rule[] = "----------------------------------------------------------+-------------\n";
static const char titles[] = "      flat  flat%   sum%        cum   cum%   calls calls% + context ";
static const char titles_end[] = "\t \t \n"; /* trailing blanks, as in pprof */

enum { VALUE_WIDTH = 10, CALLS_WIDTH = 50 };

static void text_calls_add_call(const struct head *h, const union cell *cell, bool color, struct buf *out)
{
	const char *mark = cell[CALLS_INLINED].text;

	text_add_value(h, cell[CALLS_WEIGHT].value, CALLS_WIDTH, out);
	buf_add(out, " ", 1);
	unit_add_share(out, cell[CALLS_WEIGHT_PCT].real);
	buf_addz(out, " |   ");
	text_add_name(h, cell[CALLS_NAME].text, *mark ? strlen(mark) + 1 : 0, out);
	if (*mark)
		buf_addf(out, " %s%s%s", color ? STYLE_NOTE : "", mark, color ? STYLE_END : "");
	buf_add(out, "\n", 1);
}

static void text_calls_add_node(const struct head *h, const union cell *cell, bool color, struct buf *out)
{
	bool hot = color && unit_percent(cell[CALLS_FLAT].value, h->total) >= HOT_PERCENT;

	buf_addz(out, hot ? STYLE_HOT : color ? STYLE_TITLE : "");
	text_add_value(h, cell[CALLS_FLAT].value, VALUE_WIDTH, out);
	buf_add(out, " ", 1);
	unit_add_percent(out, cell[CALLS_FLAT_PCT].value, h->total);
	buf_add(out, " ", 1);
	unit_add_percent(out, cell[CALLS_SUM_PCT].value, h->total);
	buf_add(out, " ", 1);
	text_add_value(h, cell[CALLS_CUM].value, VALUE_WIDTH, out);
	buf_add(out, " ", 1);
	unit_add_percent(out, cell[CALLS_CUM_PCT].value, h->total);
	buf_addz(out, "                | ");
	text_add_name(h, cell[CALLS_NAME].text, 0, out);
	buf_addz(out, color ? STYLE_END "\n" : "\n");
}

/* Returns true if a new node begins in this row. */
static bool begins(const struct table *t, uint32_t row)
{
	return row == 0 || (t->role[row] < t->role[row - 1]) ||
	       (t->role[row] == ROW_NODE && t->role[row - 1] == ROW_NODE);
}

void text_draw_calls(const struct report *r, bool color, struct buf *out)
{
	const struct table *t = &r->table;

	text_add_head(r, false, out);
	buf_addz(out, rule);
	buf_addf(out, "%s%s%s%s", color ? STYLE_TITLE : "", titles, color ? STYLE_END : "", titles_end);
	for (uint32_t i = 0; i < t->n_rows && !buf_is_stopped(); i++) {
		const union cell *cell = t->cell + (size_t)i * t->n_cols;

		if (begins(t, i))
			buf_addz(out, rule);
		if (t->role[i] == ROW_NODE)
			text_calls_add_node(&r->head, cell, color, out);
		else
			text_calls_add_call(&r->head, cell, color, out);
	}
	if (r->head.n_shown)
		buf_addz(out, rule);
}
