/*
 * top_columns.c - the columns of Top, without and with before and after
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/top.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/num.h"
#include "base/unit.h"
#include "profile/profile.h"
#include "report/top.h"
#include "front/shell/widgets/number.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- columns ---- */

static const struct sheet_column plain_columns[] = {
	[SHEET_FLAT] = { "flat", "flat", "cost of the row itself", 1, 8, false, false },
	[SHEET_FLAT_PCT] = { "flat%", "flat%", "flat as a percentage of the total", 3, 6, false, false },
	[SHEET_SUM_PCT] = { "sum%", "sum%", "flat% of all rows down to this one", 5, 6, false, false },
	[SHEET_CUM] = { "cum", "cum", "cost of the row and its callees", 2, 8, false, false },
	[SHEET_CUM_PCT] = { "cum%", "cum%", "cum as a percentage of the total", 4, 6, false, false },
	[SHEET_NAME] = { "name", "name", "function, file, line or address", 0, 0, true, false },
	[SHEET_INLINED] = { "inlined", "inlined", "inlined into its callers?", 6, 16, true, true },
	[SHEET_FILE] = { "file", "file", "source file", 7, 30, true, true },
	[SHEET_LINE] = { "line", "line", "line, or first line of a function", 8, 4, false, true },
};

static const struct top_rows *rows_of(const struct sheet *s)
{
	return s->rows;
}

static const union cell *view_top_columns_cell_of(const struct sheet *s, uint32_t row, uint32_t col)
{
	return &rows_of(s)->r->table.cell[(size_t)row * N_TOP_COLS + col];
}

static const struct row_place *view_top_columns_place_of(const struct sheet *s, uint32_t row)
{
	return &rows_of(s)->place[row];
}

static const char *plain_text(const struct sheet *s, uint32_t row, uint32_t col)
{
	if (col == SHEET_FILE)
		return view_top_columns_place_of(s, row)->file;
	return view_top_columns_cell_of(s, row, col == SHEET_INLINED ? TOP_INLINED : TOP_NAME)->text;
}

static double plain_value(const struct sheet *s, uint32_t row, uint32_t col)
{
	if (col == SHEET_LINE)
		return (double)view_top_columns_place_of(s, row)->line;
	return (double)num_abs(
		view_top_columns_cell_of(s, row, col == SHEET_CUM || col == SHEET_CUM_PCT ? TOP_CUM : TOP_FLAT)->value);
}

static void view_top_columns_add_value(const struct top_rows *t, int64_t value, struct buf *out, struct style *style)
{
	shell_number_add_brief(&t->r->head, value, out);
	if (t->is_net && value)
		*style = theme_style(value > 0 ? ROLE_GREW : ROLE_SHRANK);
}

static void view_top_columns_add_percent(const struct top_rows *t, int64_t value, struct buf *out, struct style *style)
{
	unit_add_percent(out, value, t->r->head.total);
	if (!t->is_net)
		*style = theme_heat(unit_percent(value, t->r->head.total));
}

static void plain_cell(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct style *style)
{
	const struct top_rows *t = s->rows;
	uint32_t row = s->row[at];

	switch ((enum top_column)col) {
	case SHEET_FLAT:
	case SHEET_CUM:
		view_top_columns_add_value(
			t, view_top_columns_cell_of(s, row, col == SHEET_FLAT ? TOP_FLAT : TOP_CUM)->value, out, style);
		break;
	case SHEET_FLAT_PCT:
	case SHEET_CUM_PCT:
		view_top_columns_add_percent(
			t, view_top_columns_cell_of(s, row, col == SHEET_FLAT_PCT ? TOP_FLAT : TOP_CUM)->value, out,
			style);
		break;
	case SHEET_SUM_PCT:
		unit_add_percent(out, t->sum[at], t->r->head.total);
		break;
	case SHEET_LINE:
		if (view_top_columns_place_of(s, row)->line)
			buf_addf(out, "%" PRId64, view_top_columns_place_of(s, row)->line);
		break;
	case SHEET_NAME:
	case SHEET_INLINED:
	case SHEET_FILE:
		buf_addz(out, plain_text(s, row, col));
		break;
	}
}

/* The mark after the name: whether the row was inlined, unless that has its own column. */
static const char *plain_mark(const struct sheet *s, uint32_t row)
{
	return sheet_is_shown(s, SHEET_INLINED) ? "" : plain_text(s, row, SHEET_INLINED);
}

const struct sheet_class shell_top_sheet = {
	.column = plain_columns,
	.n_columns = sizeof(plain_columns) / sizeof(plain_columns[0]),
	.name = SHEET_NAME,
	.cell = plain_cell,
	.value = plain_value,
	.text = plain_text,
	.mark = plain_mark,
};

void shell_top_add_up(const struct sheet *s)
{
	int64_t sum = 0;

	assert(s->class == &shell_top_sheet);
	for (uint32_t i = 0; i < s->list.n; i++) {
		sum += view_top_columns_cell_of(s, s->row[i], TOP_FLAT)->value;
		rows_of(s)->sum[i] = sum;
	}
}

struct row_place *shell_top_places(const struct profile *p, const struct report *r, struct arena *mem)
{
	uint32_t n = r->table.n_rows, id;
	struct row_place *place = arena_alloc(mem, n, sizeof(*place));
	struct idtab ids;

	idtab_init(&ids, n);
	for (uint32_t i = 0; i < n; i++) {
		place[i] = r->table.place[i];
		if (*place[i].function && !*place[i].file)
			idtab_put(&ids, hash_bytes(place[i].function, strlen(place[i].function)), i);
	}
	for (uint32_t f = 0; ids.n && f < p->n_funcs; f++) {
		const char *name = profile_text(p, p->func_name[f]);
		uint64_t hash = hash_bytes(name, strlen(name));

		for (size_t pos = idtab_start(&ids, hash); idtab_next(&ids, hash, &pos, &id);)
			if (!*place[id].file && strcmp(place[id].function, name) == 0) {
				place[id].file = profile_text(p, p->func_file[f]);
				place[id].line = p->func_start[f];
			}
	}
	idtab_release(&ids);
	return place;
}

/* ---- columns of a comparison ---- */

static const struct sheet_column sides_columns[] = {
	[SIDES_BEFORE] = { "before", "before", "flat of the base", 5, 8, false, false },
	[SIDES_AFTER] = { "after", "after", "flat of the new profile", 4, 8, false, false },
	[SIDES_DELTA] = { "change", "change", "after minus before", 1, 8, false, false },
	[SIDES_DELTA_PCT] = { "change%", "change%", "change as a percentage of before", 2, 8, false, false },
	[SIDES_CUM_BEFORE] = { "cum_before", "cum before", "cum of the base", 7, 8, false, true },
	[SIDES_CUM_AFTER] = { "cum_after", "cum after", "cum of the new profile", 6, 8, false, true },
	[SIDES_CUM_DELTA] = { "cum_change", "cum chg", "after minus before", 3, 8, false, false },
	[SIDES_CUM_DELTA_PCT] = { "cum_change%", "cum chg%", "change as a percentage of before", 6, 8, false, true },
	[SIDES_NAME] = { "name", "name", "function, file, line or address", 0, 0, true, false },
	[SIDES_INLINED] = { "inlined", "inlined", "inlined into its callers?", 8, 16, true, true },
	[SIDES_FILE] = { "file", "file", "source file", 9, 30, true, true },
	[SIDES_LINE] = { "line", "line", "line, or first line of a function", 10, 4, false, true },
};

static const union cell *cells_of(const struct sheet *s, uint32_t row)
{
	const struct top_rows *t = s->rows;

	return &t->r->table.cell[(size_t)row * N_TOP_SIDES_COLS];
}

static const char *sides_text(const struct sheet *s, uint32_t row, uint32_t col)
{
	if (col == SIDES_FILE)
		return view_top_columns_place_of(s, row)->file;
	return cells_of(s, row)[col == SIDES_INLINED ? TOP_SIDES_INLINED : TOP_SIDES_NAME].text;
}

/* The first of the four columns of the report for flat, or of the four for cum. */
static const union cell *half_of(const struct sheet *s, uint32_t row, uint32_t col)
{
	return cells_of(s, row) + (col < SIDES_CUM_BEFORE ? TOP_SIDES_FLAT_BEFORE : TOP_SIDES_CUM_BEFORE);
}

enum { BEFORE, AFTER, DELTA, DELTA_PCT, N_HALF };

static double sides_value(const struct sheet *s, uint32_t row, uint32_t col)
{
	const union cell *half = half_of(s, row, col);

	if (col == SIDES_LINE)
		return (double)view_top_columns_place_of(s, row)->line;
	if (col % N_HALF != DELTA_PCT)
		return fabs((double)half[col % N_HALF].value);
	return isnan(half[DELTA_PCT].real) && half[AFTER].value ? INFINITY : fabs(half[DELTA_PCT].real);
}

/* A function is new if it had neither flat nor cum before, and gone if it has neither after. "from 0" means that
   only flat was 0 before. */
static void view_top_columns_add_change(const union cell *half, const union cell *cum, struct buf *out)
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

static void view_top_columns_add_number(const struct sheet *s, uint32_t row, uint32_t col, struct buf *out,
					struct style *style)
{
	const struct top_rows *t = s->rows;
	const union cell *half = half_of(s, row, col);
	int64_t delta = half[DELTA].value;

	if (col % N_HALF == DELTA_PCT) {
		view_top_columns_add_change(half, cells_of(s, row) + TOP_SIDES_CUM_BEFORE, out);
	} else {
		if (col % N_HALF == DELTA && delta > 0)
			buf_addz(out, "+");
		shell_number_add_brief(&t->r->head, half[col % N_HALF].value, out);
	}
	if (col % N_HALF >= DELTA && delta)
		*style = theme_style(delta > 0 ? ROLE_GREW : ROLE_SHRANK);
}

static void sides_cell(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct style *style)
{
	uint32_t row = s->row[at];

	if (col < SIDES_NAME)
		view_top_columns_add_number(s, row, col, out, style);
	else if (col != SIDES_LINE)
		buf_addz(out, sides_text(s, row, col));
	else if (view_top_columns_place_of(s, row)->line)
		buf_addf(out, "%" PRId64, view_top_columns_place_of(s, row)->line);
}

/* The mark after the name: whether the row was inlined, unless that has its own column. */
static const char *sides_mark(const struct sheet *s, uint32_t row)
{
	return sheet_is_shown(s, SIDES_INLINED) ? "" : sides_text(s, row, SIDES_INLINED);
}

const struct sheet_class shell_top_sides_sheet = {
	.column = sides_columns,
	.n_columns = sizeof(sides_columns) / sizeof(sides_columns[0]),
	.name = SIDES_NAME,
	.cell = sides_cell,
	.value = sides_value,
	.text = sides_text,
	.mark = sides_mark,
};
