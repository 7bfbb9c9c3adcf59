/*
 * calls_lines.c - the lines of callers and callees of the Callers view
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines that callers and callees do not need show their own callers and callees. All get the same number of lines, as
 * many as fit; what does not fit is one line with its sum, so that the values always add up.
 */
#include "config.h"

#include "front/shell/views/calls.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "front/shell/widgets/number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- which lines ---- */

static uint32_t calls_grand_count(const struct calls_rows *c, uint32_t row)
{
	return c->grand.off[row + 1] - c->grand.off[row];
}

static uint32_t span_first(struct calls_span span)
{
	return span.is_callees ? span.group->node + 1 : span.group->first;
}

static uint32_t span_end(struct calls_span span)
{
	return span.is_callees ? span.group->end : span.group->node;
}

uint32_t shell_calls_span_rows(struct calls_span span)
{
	return span_end(span) - span_first(span);
}

/* Number of further lines if each caller or callee gets at most this many. */
static uint32_t lines_needed(const struct calls_rows *c, struct calls_span span, uint32_t each)
{
	uint64_t n = 0;

	for (uint32_t row = span_first(span); row < span_end(span); row++)
		n += calls_grand_count(c, row) < each ? calls_grand_count(c, row) : each;
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

uint32_t shell_calls_span_wish(const struct calls_rows *all, struct calls_span span)
{
	return lines_needed(all, span, UINT32_MAX);
}

static void calls_add_line(struct calls_side *side, enum calls_line_kind kind, uint32_t row, uint32_t grand)
{
	side->line[side->n_lines++] = (struct calls_line){ kind, row, grand };
}

/* Add a caller or callee, with at most this many lines of its own callers or callees. */
static void calls_add_lines(struct calls_side *side, uint32_t row, uint32_t each)
{
	uint32_t n = calls_grand_count(side->all, row), first = side->all->grand.off[row];
	uint32_t shown = n <= each ? n : each < 2 ? 0 : each - 1; /* a rest alone would repeat the row */

	calls_add_line(side, CALLS_LINE, row, 0);
	for (uint32_t i = 0; i < shown; i++)
		calls_add_line(side, CALLS_LINE_GRAND, row, first + i);
	if (shown > 0 && shown < n)
		calls_add_line(side, CALLS_LINE_REST, row, first + shown);
}

void shell_calls_side_set(struct calls_side *side, const struct calls_rows *all, struct calls_span span, uint32_t spare)
{
	uint32_t each = 0;

	while (each < spare && lines_needed(all, span, each + 1) <= spare)
		each++;
	free(side->line);
	*side = (struct calls_side){ .all = all, .n_rows = shell_calls_span_rows(span) };
	side->cum = all->r->table.cell[(size_t)span.group->node * N_CALLS_COLS + CALLS_CUM].value;
	side->line = mem_alloc((size_t)side->n_rows + spare, sizeof(*side->line));
	for (uint32_t row = span_first(span); row < span_end(span); row++)
		calls_add_lines(side, row, each);
	assert(side->n_lines <= side->n_rows + spare);
}

/* ---- columns ---- */

#define CALLS_COLUMNS(title)                                                                                           \
	{                                                                                                              \
		[CALLS_SHEET_CUM] = { "cum", "cum", "", 1, 9, false, false }, [CALLS_SHEET_CALLS_PCT] = { "calls%",    \
													  "calls%",    \
													  "",          \
													  2,           \
													  7,           \
													  false,       \
													  false },     \
		[CALLS_SHEET_CUM_PCT] = { "cum%", "cum%", "", 3, 7, false, false }, [CALLS_SHEET_NAME] = { "name",     \
													   title,      \
													   "",         \
													   0,          \
													   0,          \
													   true,       \
													   false },    \
	}

static const struct sheet_column callers[] = CALLS_COLUMNS("callers"), callees[] = CALLS_COLUMNS("callees");

static const struct calls_line *calls_line_of(const struct calls_side *side, uint32_t line)
{
	assert(line < side->n_lines);
	return &side->line[line];
}

/* The cells of a line; of a rest those of its first row. */
static const union cell *calls_cells_of(const struct calls_side *side, uint32_t line)
{
	const struct calls_line *l = calls_line_of(side, line);
	const struct table *t = l->kind == CALLS_LINE ? &side->all->r->table : &side->all->grand.table;

	return &t->cell[(size_t)(l->kind == CALLS_LINE ? l->row : l->grand) * N_CALLS_COLS];
}

/* Is a line about a caller or callee of its caller or callee? */
static bool has_own_function(const struct calls_side *side, uint32_t line)
{
	const struct calls_line *l = calls_line_of(side, line);

	return l->kind == CALLS_LINE_GRAND && side->all->grand.table.role[l->grand] != ROW_PLAIN;
}

const char *shell_calls_side_near(const struct calls_side *side, uint32_t line)
{
	return side->all->r->table.cell[(size_t)calls_line_of(side, line)->row * N_CALLS_COLS + CALLS_NAME].text;
}

const char *shell_calls_side_function(const struct calls_side *side, uint32_t line)
{
	return has_own_function(side, line) ? calls_cells_of(side, line)[CALLS_NAME].text
					    : shell_calls_side_near(side, line);
}

const struct row_place *shell_calls_side_place(const struct calls_side *side, uint32_t line)
{
	const struct calls_line *l = calls_line_of(side, line);

	return has_own_function(side, line) ? &side->all->grand.table.place[l->grand]
					    : &side->all->r->table.place[l->row];
}

/* The end of the rows of a rest. */
static uint32_t rest_end(const struct calls_side *side, const struct calls_line *l)
{
	return side->all->grand.off[l->row + 1];
}

static int64_t view_calls_lines_value_of(const struct calls_side *side, uint32_t line)
{
	const struct calls_line *l = calls_line_of(side, line);
	int64_t sum = 0;

	if (l->kind != CALLS_LINE_REST)
		return calls_cells_of(side, line)[CALLS_WEIGHT].value;
	for (uint32_t i = l->grand; i < rest_end(side, l); i++)
		sum += side->all->grand.table.cell[(size_t)i * N_CALLS_COLS + CALLS_WEIGHT].value;
	return sum;
}

/* The text that is searched; a rest has none. */
static const char *view_calls_lines_text(const struct sheet *s, uint32_t row, uint32_t col)
{
	const struct calls_side *side = s->rows;

	(void)col;
	return calls_line_of(side, row)->kind == CALLS_LINE_REST ? "" : calls_cells_of(side, row)[CALLS_NAME].text;
}

static double row_value(const struct sheet *s, uint32_t row, uint32_t col)
{
	(void)col;
	return (double)num_abs(view_calls_lines_value_of(s->rows, row));
}

void shell_calls_add_value(const struct calls_rows *c, int64_t value, struct buf *out, struct style *style)
{
	if (c->is_net && value > 0)
		buf_addz(out, "+");
	shell_number_add_brief(&c->r->head, value, out);
	if (c->is_net && value)
		*style = theme_style(value > 0 ? ROLE_GREW : ROLE_SHRANK);
}

static void view_calls_lines_cell(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out,
				  struct style *style)
{
	const struct calls_side *side = s->rows;
	const struct calls_rows *c = side->all;
	const struct calls_line *l = calls_line_of(side, s->row[at]);
	int64_t value = view_calls_lines_value_of(side, s->row[at]);

	switch ((enum calls_column)col) {
	case CALLS_SHEET_CUM:
		shell_calls_add_value(c, value, out, style);
		break;
	case CALLS_SHEET_CALLS_PCT:
		unit_add_share(out, unit_percent(value, side->cum));
		break;
	case CALLS_SHEET_CUM_PCT:
		unit_add_percent(out, value, c->r->head.total);
		*style = c->is_net ? *style : theme_heat(unit_percent(value, c->r->head.total));
		break;
	case CALLS_SHEET_NAME:
		if (l->kind == CALLS_LINE_REST)
			buf_addf(out, "%" PRIu32 " others", rest_end(side, l) - l->grand);
		else
			buf_addz(out, view_calls_lines_text(s, s->row[at], col));
		if (l->kind != CALLS_LINE && !has_own_function(side, s->row[at]))
			*style = theme_style(ROLE_MUTED);
		break;
	}
}

static const char *view_calls_lines_mark(const struct sheet *s, uint32_t row)
{
	const struct calls_side *side = s->rows;

	return calls_line_of(side, row)->kind == CALLS_LINE_REST ? "" : calls_cells_of(side, row)[CALLS_INLINED].text;
}

static int calls_indent(const struct sheet *s, uint32_t row)
{
	return calls_line_of(s->rows, row)->kind == CALLS_LINE ? 0 : 2;
}

#define CALLS_SHEET(columns)                                                                                           \
	{                                                                                                              \
		columns, 4, CALLS_SHEET_NAME, view_calls_lines_cell, row_value, view_calls_lines_text,                 \
			view_calls_lines_mark, calls_indent                                                            \
	}

const struct sheet_class shell_callers_sheet = CALLS_SHEET(callers), shell_callees_sheet = CALLS_SHEET(callees);
