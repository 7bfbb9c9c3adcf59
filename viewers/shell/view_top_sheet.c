/*
 * view_top_sheet.c - the columns of Top
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_top.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/num.h"
#include "base/unit.h"
#include "report/top.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct sheet_column columns[] = {
	[SHEET_FLAT] = { "flat", "flat", "in the row itself", 1, 8, false, false },
	[SHEET_FLAT_PCT] = { "flat%", "flat%", "flat of the total", 3, 6, false, false },
	[SHEET_SUM_PCT] = { "sum%", "sum%", "flat% down to here", 5, 6, false, false },
	[SHEET_CUM] = { "cum", "cum", "in the row and what it calls", 2, 8, false, false },
	[SHEET_CUM_PCT] = { "cum%", "cum%", "cum of the total", 4, 6, false, false },
	[SHEET_NAME] = { "name", "name", "what the row is", 0, 0, true, false },
	[SHEET_INLINED] = { "inlined", "inlined", "was it inlined into its callers?", 6, 16, true, true },
	[SHEET_FILE] = { "file", "file", "source file", 7, 30, true, true },
	[SHEET_LINE] = { "line", "line", "in the file; of functions where they start", 8, 4, false, true },
};

static const struct top_rows *rows_of(const struct sheet *s)
{
	return s->rows;
}

static const union cell *cell_of(const struct sheet *s, uint32_t row, uint32_t col)
{
	return &rows_of(s)->r->table.cell[(size_t)row * N_TOP_COLS + col];
}

static const struct row_place *place_of(const struct sheet *s, uint32_t row)
{
	return &rows_of(s)->place[row];
}

static const char *text(const struct sheet *s, uint32_t row, uint32_t col)
{
	if (col == SHEET_FILE)
		return place_of(s, row)->file;
	return cell_of(s, row, col == SHEET_INLINED ? TOP_INLINED : TOP_NAME)->text;
}

static double weight(const struct sheet *s, uint32_t row, uint32_t col)
{
	if (col == SHEET_LINE)
		return (double)place_of(s, row)->line;
	return (double)num_abs(cell_of(s, row, col == SHEET_CUM || col == SHEET_CUM_PCT ? TOP_CUM : TOP_FLAT)->value);
}

static void add_value(const struct top_rows *t, int64_t value, struct buf *out, struct look *look)
{
	report_add_value(&t->r->head, value, out);
	if (t->is_net && value)
		*look = theme_look(value > 0 ? LOOK_GREW : LOOK_SHRANK);
}

static void add_percent(const struct top_rows *t, int64_t value, struct buf *out, struct look *look)
{
	unit_add_percent(out, value, t->r->head.total);
	if (!t->is_net)
		*look = theme_heat(unit_percent(value, t->r->head.total));
}

static void cell(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct look *look)
{
	const struct top_rows *t = s->rows;
	uint32_t row = s->row[at];

	switch ((enum top_column)col) {
	case SHEET_FLAT:
	case SHEET_CUM:
		add_value(t, cell_of(s, row, col == SHEET_FLAT ? TOP_FLAT : TOP_CUM)->value, out, look);
		break;
	case SHEET_FLAT_PCT:
	case SHEET_CUM_PCT:
		add_percent(t, cell_of(s, row, col == SHEET_FLAT_PCT ? TOP_FLAT : TOP_CUM)->value, out, look);
		break;
	case SHEET_SUM_PCT:
		unit_add_percent(out, t->sum[at], t->r->head.total);
		break;
	case SHEET_LINE:
		if (place_of(s, row)->line)
			buf_addf(out, "%" PRId64, place_of(s, row)->line);
		break;
	case SHEET_NAME:
	case SHEET_INLINED:
	case SHEET_FILE:
		buf_addz(out, text(s, row, col));
		break;
	}
}

/* Behind the name unless it has a column of its own. */
static const char *mark(const struct sheet *s, uint32_t row)
{
	return sheet_is_shown(s, SHEET_INLINED) ? "" : text(s, row, SHEET_INLINED);
}

const struct sheet_class shell_top_sheet = {
	.column = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.name = SHEET_NAME,
	.cell = cell,
	.weight = weight,
	.text = text,
	.mark = mark,
};

void shell_top_add_up(const struct sheet *s)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->list.n; i++) {
		sum += cell_of(s, s->row[i], TOP_FLAT)->value;
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
