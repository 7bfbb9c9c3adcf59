/*
 * make_report.h - reports as input of viewers, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_REPORT_H
#define TESTS_UNIT_MAKE_REPORT_H

#include "report/report.h"

#include <stddef.h>
#include <stdint.h>

enum { SHEET_COLS = 4, SHEET_ROWS_MAX = 8 };

/* A table with one column of each kind; r is the report. */
struct sheet {
	struct report r;
	union cell cell[SHEET_ROWS_MAX * SHEET_COLS];
};

static const struct column sheet_columns[SHEET_COLS] = {
	{ "flat", "flat", CELL_VALUE },
	{ "flat_percent", "flat%", CELL_PERCENT },
	{ "name", "", CELL_NAME },
	{ "inlined", "", CELL_NOTE },
};

/* Start an empty table in milliseconds, without metadata. s must not move afterwards. */
static inline void sheet_start(struct sheet *s, int64_t total)
{
	*s = (struct sheet){ .r.head = { .command = "top",
					 .file = "",
					 .build_id = "",
					 .doc_url = "",
					 .type = "cpu",
					 .unit = "milliseconds",
					 .total = total,
					 .shown = total,
					 .out_unit = "ms",
					 .ratio = 1 } };
	s->r.table = (struct table){ .n_cols = SHEET_COLS, .col = sheet_columns, .cell = s->cell };
}

static inline void sheet_row(struct sheet *s, int64_t value, const char *name, const char *note)
{
	union cell *c = s->cell + (size_t)s->r.table.n_rows++ * SHEET_COLS;

	c[0].value = c[1].value = value;
	c[2].text = name;
	c[3].text = note;
	s->r.head.n_before_limit++;
}

#endif
