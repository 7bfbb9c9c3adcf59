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

/* The columns of the report, followed by those of places: file and line. */
static const struct sheet_column top_plain_columns[] = {
	[TOP_FLAT] = { "flat", "flat", "cost of the row itself", 1, 8, false, false },
	[TOP_FLAT_PCT] = { "flat%", "flat%", "flat as a percentage of the total", 3, 6, false, false },
	[TOP_SUM_PCT] = { "sum%", "sum%", "flat% of all rows down to this one", 5, 6, false, false },
	[TOP_CUM] = { "cum", "cum", "cost of the row and its callees", 2, 8, false, false },
	[TOP_CUM_PCT] = { "cum%", "cum%", "cum as a percentage of the total", 4, 6, false, false },
	[TOP_NAME] = { "name", "name", "function, file, line or address", 0, 0, true, false },
	[TOP_INLINED] = { "inlined", "inlined", "inlined into its callers?", 6, 16, true, true },
	{ "file", "file", "source file", 7, 30, true, true },
	{ "line", "line", "line, or first line of a function", 8, 4, false, true },
};

static const struct sheet_column top_sides_columns[] = {
	[TOP_SIDES_FLAT_BEFORE] = { "before", "before", "flat of the base", 5, 8, false, false },
	[TOP_SIDES_FLAT_AFTER] = { "after", "after", "flat of the new profile", 4, 8, false, false },
	[TOP_SIDES_FLAT_DELTA] = { "change", "change", "after minus before", 1, 8, false, false },
	[TOP_SIDES_FLAT_DELTA_PCT] = { "change%", "change%", "change as a percentage of before", 2, 8, false, false },
	[TOP_SIDES_CUM_BEFORE] = { "cum_before", "cum before", "cum of the base", 7, 8, false, true },
	[TOP_SIDES_CUM_AFTER] = { "cum_after", "cum after", "cum of the new profile", 6, 8, false, true },
	[TOP_SIDES_CUM_DELTA] = { "cum_change", "cum chg", "after minus before", 3, 8, false, false },
	[TOP_SIDES_CUM_DELTA_PCT] = { "cum_change%", "cum chg%", "change as a percentage of before", 6, 8, false,
				      true },
	[TOP_SIDES_NAME] = { "name", "name", "function, file, line or address", 0, 0, true, false },
	[TOP_SIDES_INLINED] = { "inlined", "inlined", "inlined into its callers?", 8, 16, true, true },
	{ "file", "file", "source file", 9, 30, true, true },
	{ "line", "line", "line, or first line of a function", 10, 4, false, true },
};

static const struct top_rows *rows_of(const struct sheet *s)
{
	return s->rows;
}

/* The cells of a row of the report. */
static const union cell *top_columns_cells(const struct sheet *s, uint32_t row)
{
	const struct table *t = &rows_of(s)->r->table;

	return &t->cell[(size_t)row * t->n_cols];
}

static bool top_columns_is_line(const struct sheet *s, uint32_t col)
{
	return col > rows_of(s)->r->table.n_cols;
}

static const char *top_columns_text(const struct sheet *s, uint32_t row, uint32_t col)
{
	if (col == rows_of(s)->r->table.n_cols)
		return rows_of(s)->place[row].file;
	return top_columns_cells(s, row)[col].text;
}

/* Numbers are sorted by their size; a change in percent from 0 is the largest. */
static double top_columns_value(const struct sheet *s, uint32_t row, uint32_t col)
{
	const struct top_rows *t = rows_of(s);
	const union cell *cell;

	if (top_columns_is_line(s, col))
		return (double)t->place[row].line;
	cell = top_columns_cells(s, row) + col;
	if (t->r->table.col[col].kind == CELL_CHANGE)
		return isnan(cell->real) && cell[-2].value ? INFINITY : fabs(cell->real);
	if (!t->is_sides && col == TOP_SUM_PCT)
		cell += TOP_FLAT - TOP_SUM_PCT;
	return (double)num_abs(cell->value);
}

/* Append a change in percent, whose cell follows before, after and change. A function is new if it had neither flat nor
   cum before, and gone if it has neither after. "from 0" means that only flat was 0 before. */
static void top_columns_add_change(const union cell *percent, const union cell *cum, struct buf *out)
{
	int64_t before = percent[-3].value, after = percent[-2].value;

	if (before == 0 && after == 0)
		buf_addz(out, "-");
	else if (cum[0].value == 0 && before == 0)
		buf_addz(out, "new");
	else if (cum[1].value == 0 && after == 0)
		buf_addz(out, "gone");
	else if (isnan(percent->real))
		buf_addz(out, "from 0");
	else
		buf_addf(out, "%+.*f%%", fabs(percent->real) < 1000 ? 1 : 0, percent->real);
}

/* Append a number of the report. */
static void top_columns_number(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct style *style)
{
	const struct top_rows *t = s->rows;
	const struct column *c = &t->r->table.col[col];
	const union cell *cells = top_columns_cells(s, s->row[at]), *cell = cells + col;
	int64_t change = 0;

	if (c->kind == CELL_PERCENT) {
		bool is_sum = col == TOP_SUM_PCT;
		int64_t value = is_sum ? t->sum[at] : cell->value;

		unit_add_percent(out, value, t->r->head.total);
		if (!t->is_net && !is_sum)
			*style = theme_heat(unit_percent(value, t->r->head.total));
		return;
	}
	if (c->kind == CELL_CHANGE) {
		change = cell[-1].value;
		top_columns_add_change(cell, cells + TOP_SIDES_CUM_BEFORE, out);
	} else {
		if (t->is_sides ? c[1].kind == CELL_CHANGE : t->is_net)
			change = cell->value;
		if (t->is_sides && change > 0)
			buf_addz(out, "+");
		shell_number_add_brief(&t->r->head, cell->value, out);
	}
	if (change)
		*style = theme_style(change > 0 ? ROLE_GREW : ROLE_SHRANK);
}

static void top_columns_cell(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct style *style)
{
	int64_t line = rows_of(s)->place[s->row[at]].line;

	if (s->class->column[col].is_text)
		buf_addz(out, top_columns_text(s, s->row[at], col));
	else if (!top_columns_is_line(s, col))
		top_columns_number(s, at, col, out, style);
	else if (line)
		buf_addf(out, "%" PRId64, line);
}

/* The mark after the name: whether the row was inlined, unless that has its own column. */
static const char *top_columns_mark(const struct sheet *s, uint32_t row)
{
	uint32_t col = rows_of(s)->is_sides ? TOP_SIDES_INLINED : TOP_INLINED;

	return sheet_is_shown(s, col) ? "" : top_columns_text(s, row, col);
}

#define TOP_SHEET(columns, name_column)                                                                                \
	{                                                                                                              \
		.column = (columns), .n_columns = sizeof(columns) / sizeof((columns)[0]), .name = (name_column),       \
		.cell = top_columns_cell, .value = top_columns_value, .text = top_columns_text,                        \
		.mark = top_columns_mark                                                                               \
	}

const struct sheet_class shell_top_sheet = TOP_SHEET(top_plain_columns, TOP_NAME);
const struct sheet_class shell_top_sides_sheet = TOP_SHEET(top_sides_columns, TOP_SIDES_NAME);

void shell_top_add_up(const struct sheet *s)
{
	int64_t sum = 0;

	assert(s->class == &shell_top_sheet);
	for (uint32_t i = 0; i < s->list.n; i++) {
		sum += top_columns_cells(s, s->row[i])[TOP_FLAT].value;
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
