/*
 * series.c - totals over time, and the report of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/series.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/time.h"
#include "report/head.h"

#include <stdlib.h>
#include <string.h>

enum { COL_TIME, COL_TOTAL, COL_SAMPLES, COL_PROFILES, COL_INSTANCES, N_FIXED };

static const struct column fixed[N_FIXED] = {
	[COL_TIME] = { "time", "time", CELL_WORD },
	[COL_TOTAL] = { "total", "total", CELL_VALUE },
	[COL_SAMPLES] = { "samples", "samples", CELL_COUNT },
	[COL_PROFILES] = { "profiles", "profiles", CELL_COUNT },
	[COL_INSTANCES] = { "instances", "instances", CELL_COUNT },
};

/* The cell of a fixed column. */
static union cell series_cell(const struct series *s, uint32_t col, uint32_t step)
{
	struct buf time = { 0 };
	union cell cell = { .value = 0 };

	switch (col) {
	case COL_TIME:
		time_add_exact(&time, s->t0 + step * s->step_ns);
		cell.text = arena_strndup(s->mem, buf_text(&time), time.len);
		buf_release(&time);
		break;
	case COL_TOTAL:
		cell.value = s->total[step];
		break;
	case COL_SAMPLES:
		cell.value = s->n_samples[step];
		break;
	case COL_PROFILES:
		cell.value = (int64_t)s->profiles[step];
		break;
	default:
		cell.value = s->instances[step];
		break;
	}
	return cell;
}

static void series_fill_table(const struct series *s, struct table *t)
{
	struct column *col = arena_alloc(s->mem, N_FIXED + s->n_columns + 1, sizeof(*col));
	uint32_t of[N_FIXED], n_fixed = 0;

	for (uint32_t c = 0; c < N_FIXED; c++) {
		if (c == COL_SAMPLES && !s->has_samples)
			continue;
		of[n_fixed] = c;
		col[n_fixed++] = fixed[c];
	}
	t->n_cols = n_fixed;
	for (size_t i = 0; i < s->n_columns; i++)
		col[t->n_cols++] = (struct column){ s->column[i].key, s->column[i].title, CELL_VALUE };
	if (s->mark)
		col[t->n_cols++] = (struct column){ "marks", "marks", CELL_NAME };
	t->col = col;
	t->n_rows = s->n_steps;
	t->cell = arena_alloc(s->mem, (size_t)t->n_rows * t->n_cols, sizeof(*t->cell));
	for (uint32_t i = 0; i < t->n_rows; i++) {
		union cell *cell = t->cell + (size_t)i * t->n_cols;

		for (uint32_t c = 0; c < n_fixed; c++)
			cell[c] = series_cell(s, of[c], i);
		for (size_t c = 0; c < s->n_columns; c++)
			cell[n_fixed + c].value = s->column[c].value[i];
		if (s->mark)
			cell[t->n_cols - 1].text = s->mark[i] ? s->mark[i] : "";
	}
}

static void series_fill_head(const struct series *s, const struct query *q, struct head *h)
{
	struct query own = *q;
	uint64_t min = 0;

	*h = (struct head){ .command = "series",
			    .file = "",
			    .build_id = "",
			    .doc_url = "",
			    .type = s->type,
			    .unit = s->unit,
			    .time_ns = s->t0,
			    .duration_ns = s->duration_ns,
			    .out_unit = q->unit,
			    .ratio = query_ratio(q),
			    .total = s->window,
			    .is_mean_total = s->is_mean,
			    .n_comments = 2,
			    .is_whole = true };
	for (uint32_t i = 0; i < s->n_steps; i++) {
		uint64_t size = num_abs(s->total[i]);

		min = size && (min == 0 || size < min) ? size : min;
	}
	h->comment = arena_alloc(s->mem, h->n_comments, sizeof(*h->comment));
	memcpy(h->comment, s->comment, sizeof(s->comment));
	own.tagroot = *q->by ? "" : q->tagroot; /* --by makes columns, not frames */
	report_head_fill_filters(h, &own, s->mem);
	report_head_choose_unit_for(h, (int64_t)min, false);
}

void report_series_make(struct series *s, const struct query *q, struct report *out)
{
	series_fill_head(s, q, &out->head);
	series_fill_table(s, &out->table);
	out->mem = s->mem;
	s->mem = NULL;
}

void report_series_release(struct series *s)
{
	arena_free(s->mem);
	free(s->column);
	*s = (struct series){ 0 };
}
