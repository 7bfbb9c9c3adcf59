/*
 * view_top_sides.c - the columns of Top in a comparison: before, after, and the change
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_top.h"

#include "report/top.h"

#include <inttypes.h>
#include <math.h>

static const struct sheet_column columns[] = {
	[SIDES_BEFORE] = { "before", "before", "flat of the base", 5, 8, false, false },
	[SIDES_AFTER] = { "after", "after", "flat of this profile", 4, 8, false, false },
	[SIDES_DELTA] = { "change", "change", "after without before", 1, 8, false, false },
	[SIDES_DELTA_PCT] = { "change%", "change%", "the change of what was before", 2, 8, false, false },
	[SIDES_CUM_BEFORE] = { "cum_before", "cum before", "cum of the base", 7, 8, false, true },
	[SIDES_CUM_AFTER] = { "cum_after", "cum after", "cum of this profile", 6, 8, false, true },
	[SIDES_CUM_DELTA] = { "cum_change", "cum chg", "after without before", 3, 8, false, false },
	[SIDES_CUM_DELTA_PCT] = { "cum_change%", "cum chg%", "the change of what was before", 6, 8, false, true },
	[SIDES_NAME] = { "name", "name", "what the row is", 0, 0, true, false },
	[SIDES_INLINED] = { "inlined", "inlined", "was it inlined into its callers?", 8, 16, true, true },
	[SIDES_FILE] = { "file", "file", "source file", 9, 30, true, true },
	[SIDES_LINE] = { "line", "line", "in the file; of functions where they start", 10, 4, false, true },
};

static const union cell *cells_of(const struct sheet *s, uint32_t row)
{
	const struct top_rows *t = s->rows;

	return &t->r->table.cell[(size_t)row * N_TOP_SIDES_COLS];
}

static const struct row_place *place_of(const struct sheet *s, uint32_t row)
{
	const struct top_rows *t = s->rows;

	return &t->place[row];
}

static const char *text(const struct sheet *s, uint32_t row, uint32_t col)
{
	if (col == SIDES_FILE)
		return place_of(s, row)->file;
	return cells_of(s, row)[col == SIDES_INLINED ? TOP_SIDES_INLINED : TOP_SIDES_NAME].text;
}

/* The first of the four columns, of flat or of cum, in the report. */
static const union cell *half_of(const struct sheet *s, uint32_t row, uint32_t col)
{
	return cells_of(s, row) + (col < SIDES_CUM_BEFORE ? TOP_SIDES_FLAT_BEFORE : TOP_SIDES_CUM_BEFORE);
}

enum { BEFORE, AFTER, DELTA, DELTA_PCT, N_HALF };

static double weight(const struct sheet *s, uint32_t row, uint32_t col)
{
	const union cell *half = half_of(s, row, col);

	if (col == SIDES_LINE)
		return (double)place_of(s, row)->line;
	if (col % N_HALF != DELTA_PCT)
		return fabs((double)half[col % N_HALF].value);
	return isnan(half[DELTA_PCT].real) && half[AFTER].value ? INFINITY : fabs(half[DELTA_PCT].real);
}

/* New is what was nowhere before, gone what is nowhere now; flat alone can come from 0 too. */
static void add_change(const union cell *half, const union cell *cum, struct buf *out)
{
	if (half[BEFORE].value == 0 && half[AFTER].value == 0)
		buf_addz(out, "-");
	else if (cum[BEFORE].value == 0 && half[BEFORE].value == 0)
		buf_addz(out, "new");
	else if (cum[AFTER].value == 0 && half[AFTER].value == 0)
		buf_addz(out, "gone");
	else if (isnan(half[DELTA_PCT].real))
		buf_addz(out, "from 0");
	else
		buf_addf(out, "%+.*f%%", fabs(half[DELTA_PCT].real) < 1000 ? 1 : 0, half[DELTA_PCT].real);
}

static void add_number(const struct sheet *s, uint32_t row, uint32_t col, struct buf *out, struct look *look)
{
	const struct top_rows *t = s->rows;
	const union cell *half = half_of(s, row, col);
	int64_t delta = half[DELTA].value;

	if (col % N_HALF == DELTA_PCT) {
		add_change(half, cells_of(s, row) + TOP_SIDES_CUM_BEFORE, out);
	} else {
		if (col % N_HALF == DELTA && delta > 0)
			buf_addz(out, "+");
		report_add_value(&t->r->head, half[col % N_HALF].value, out);
	}
	if (col % N_HALF >= DELTA && delta)
		*look = theme_look(delta > 0 ? LOOK_GREW : LOOK_SHRANK);
}

static void cell(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct look *look)
{
	uint32_t row = s->row[at];

	if (col < SIDES_NAME)
		add_number(s, row, col, out, look);
	else if (col != SIDES_LINE)
		buf_addz(out, text(s, row, col));
	else if (place_of(s, row)->line)
		buf_addf(out, "%" PRId64, place_of(s, row)->line);
}

/* Behind the name unless it has a column of its own. */
static const char *mark(const struct sheet *s, uint32_t row)
{
	return sheet_is_shown(s, SIDES_INLINED) ? "" : text(s, row, SIDES_INLINED);
}

const struct sheet_class shell_top_sides_sheet = {
	.column = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.name = SIDES_NAME,
	.cell = cell,
	.weight = weight,
	.text = text,
	.mark = mark,
};
