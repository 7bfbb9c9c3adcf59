/*
 * trend.c - the trend report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/trend.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/time.h"
#include "engine/query.h"
#include "report/diff.h"
#include "report/head.h"
#include "report/over_time.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct column flat_columns[TREND_COLS] = {
	[TREND_NAME] = { "name", "name", CELL_NAME },
	[TREND_FILE] = { "file", "file", CELL_NAME },
	[TREND_FIRST] = { "flat_first", "flat first", CELL_VALUE },
	[TREND_LAST] = { "flat_last", "flat last", CELL_VALUE },
	[TREND_DELTA] = { "flat_change", "flat change", CELL_VALUE },
	[TREND_DELTA_PCT] = { "flat_change_percent", "flat change%", CELL_CHANGE },
	[TREND_SHARE_LAST] = { "flat_percent_last", "flat last%", CELL_RATIO },
	[TREND_STEPS_GROWN] = { "steps_grown", "steps grown", CELL_COUNT },
	[TREND_SLOPE_STEP] = { "flat_slope_per_step", "flat per step", CELL_VALUE },
	[TREND_SLOPE_HOUR] = { "flat_slope_per_hour", "flat per hour", CELL_VALUE },
	[TREND_DAY] = { "flat_percent_per_day", "% a day", CELL_CHANGE },
	[TREND_DAY_LO] = { "flat_percent_per_day_low", "from", CELL_CHANGE },
	[TREND_DAY_HI] = { "flat_percent_per_day_high", "to", CELL_CHANGE },
	[TREND_OVER_TIME] = { "over_time", "over time", CELL_WORD },
	[TREND_SINCE] = { "since", "since", CELL_WORD },
	[TREND_SINCE_LO] = { "since_earliest", "earliest", CELL_WORD },
	[TREND_SINCE_HI] = { "since_latest", "latest", CELL_WORD },
	[TREND_SINCE_PCT] = { "since_change_percent", "change since", CELL_CHANGE },
};

static const struct column cum_columns[TREND_COLS] = {
	[TREND_NAME] = { "name", "name", CELL_NAME },
	[TREND_FILE] = { "file", "file", CELL_NAME },
	[TREND_FIRST] = { "cum_first", "cum first", CELL_VALUE },
	[TREND_LAST] = { "cum_last", "cum last", CELL_VALUE },
	[TREND_DELTA] = { "cum_change", "cum change", CELL_VALUE },
	[TREND_DELTA_PCT] = { "cum_change_percent", "cum change%", CELL_CHANGE },
	[TREND_SHARE_LAST] = { "cum_percent_last", "cum last%", CELL_RATIO },
	[TREND_STEPS_GROWN] = { "steps_grown", "steps grown", CELL_COUNT },
	[TREND_SLOPE_STEP] = { "cum_slope_per_step", "cum per step", CELL_VALUE },
	[TREND_SLOPE_HOUR] = { "cum_slope_per_hour", "cum per hour", CELL_VALUE },
	[TREND_DAY] = { "cum_percent_per_day", "% a day", CELL_CHANGE },
	[TREND_DAY_LO] = { "cum_percent_per_day_low", "from", CELL_CHANGE },
	[TREND_DAY_HI] = { "cum_percent_per_day_high", "to", CELL_CHANGE },
	[TREND_OVER_TIME] = { "over_time", "over time", CELL_WORD },
	[TREND_SINCE] = { "since", "since", CELL_WORD },
	[TREND_SINCE_LO] = { "since_earliest", "earliest", CELL_WORD },
	[TREND_SINCE_HI] = { "since_latest", "latest", CELL_WORD },
	[TREND_SINCE_PCT] = { "since_change_percent", "change since", CELL_CHANGE },
};

struct report_trend_row {
	uint32_t id;
	struct trend_row t;
	double slope; /* sort key */
	const char *name, *file;
};

static bool report_trend_is_wanted(const struct query *q, const struct trend_row *r,
				   const struct over_time_change *change)
{
	if (r->first == 0 && r->last == 0 && r->max == 0)
		return false;
	return q->all || over_time_change_is_shown(change) || (r->n_grown > 0 && r->n_fallen == 0);
}

static uint32_t report_trend_collect(const struct trend *t, const struct trend_summary *all, const struct query *q,
				     const struct over_time *time, struct report_trend_row *rows, struct head *h)
{
	uint32_t n = 0, n_rows = match_count(trend_match(t));

	for (uint32_t id = 0; id < n_rows; id++) {
		struct trend_row r = trend_row(t, id);

		if (!report_trend_is_wanted(q, &r, over_time_row(time, id)))
			continue;
		if ((double)num_abs(r.last) < fabs((double)all->total.last) * q->nodefraction &&
		    (double)num_abs(r.max) < fabs((double)all->total.last) * q->nodefraction) {
			h->n_dropped++;
			continue;
		}
		rows[n++] = (struct report_trend_row){ id, r, all->has_times ? r.slope_hour : r.slope_step,
						       match_name(trend_match(t), id), match_file(trend_match(t), id) };
	}
	return n;
}

static int report_trend_compare_rows(const void *a, const void *b)
{
	const struct report_trend_row *l = a, *r = b;
	int c;

	if (l->slope != r->slope)
		return l->slope > r->slope ? -1 : 1;
	c = strcmp(l->name, r->name);
	if (c == 0)
		c = strcmp(l->file, r->file);
	return c ? c : (l->id > r->id) - (l->id < r->id);
}

static int64_t rounded(double v)
{
	v = round(v);
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

static const char *report_trend_copy(struct arena *mem, const char *text)
{
	return arena_strndup(mem, text, strlen(text));
}

static const char *report_trend_time_text(int64_t ns, struct arena *mem)
{
	struct buf text = { 0 };
	const char *copy;

	if (ns)
		time_add_utc(&text, ns, TIME_ISO);
	copy = report_trend_copy(mem, buf_text(&text));
	buf_release(&text);
	return copy;
}

/* Fill in the statistics of a row; c is NULL if it was not tested. */
static void fill_over_time(const struct over_time_change *c, struct arena *mem, union cell *cell)
{
	static const struct over_time_change none = { .found = { .slope = NAN } };
	const struct over_time_change *own = c ? c : &none;
	const struct stats_change *f = &own->found;
	double lo = over_time_change_percent(f->slope_lo, own->median),
	       hi = over_time_change_percent(f->slope_hi, own->median);

	cell[TREND_DAY].real = over_time_change_percent(f->slope, own->median);
	cell[TREND_DAY_LO].real = isfinite(lo) ? lo : NAN;
	cell[TREND_DAY_HI].real = isfinite(hi) ? hi : NAN;
	cell[TREND_OVER_TIME].text = over_time_change_word(c);
	cell[TREND_SINCE].text = report_trend_time_text(own->at, mem);
	cell[TREND_SINCE_LO].text = report_trend_time_text(own->at_lo, mem);
	cell[TREND_SINCE_HI].text = report_trend_time_text(own->at_hi, mem);
	cell[TREND_SINCE_PCT].real = own->at ? over_time_change_percent(f->after - f->before, f->before) : NAN;
}

static void report_trend_fill_row(struct report *r, const struct trend *t, const struct report_trend_row *row,
				  int64_t total, union cell *cell)
{
	const struct match *m = trend_match(t);
	struct buf label = { 0 };

	match_add_label(m, row->id, false, &label);
	cell[TREND_NAME].text = report_trend_copy(r->mem, buf_text(&label));
	cell[TREND_FILE].text = report_trend_copy(r->mem, row->file);
	cell[TREND_FIRST].value = row->t.first;
	cell[TREND_LAST].value = row->t.last;
	cell[TREND_DELTA].value = diff_subtract(row->t.last, row->t.first);
	cell[TREND_DELTA_PCT].real = report_diff_percent(row->t.first, row->t.last);
	cell[TREND_SHARE_LAST].real = report_diff_share(row->t.last, total);
	cell[TREND_STEPS_GROWN].value = row->t.n_grown;
	cell[TREND_SLOPE_STEP].value = rounded(row->t.slope_step);
	if (r->table.n_cols > TREND_SLOPE_HOUR)
		cell[TREND_SLOPE_HOUR].value = rounded(row->t.slope_hour);
	if (r->table.n_cols > TREND_DAY)
		fill_over_time(over_time_row(r->head.compare->time, row->id), r->mem, cell);
	buf_release(&label);
}

static void report_trend_fill_table(struct report *r, const struct trend *t, const struct trend_summary *all,
				    const struct report_trend_row *rows, uint32_t n, bool by_cum)
{
	struct table *table = &r->table;
	uint64_t min = 0;

	table->n_cols = r->head.compare->time && r->head.compare->time->row ? TREND_COLS
			: all->has_times                                    ? TREND_DAY
									    : TREND_SLOPE_HOUR;
	assert(n <= match_count(trend_match(t)));
	table->n_rows = n;
	table->col = by_cum ? cum_columns : flat_columns;
	table->cell = arena_alloc(r->mem, (size_t)n * table->n_cols, sizeof(*table->cell));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t size = num_abs(rows[i].t.last);

		report_trend_fill_row(r, t, &rows[i], all->total.last, table->cell + (size_t)i * table->n_cols);
		r->head.shown = diff_subtract(r->head.shown, diff_subtract(0, rows[i].t.last));
		if (size && (min == 0 || size < min))
			min = size;
	}
	report_head_choose_unit_for(&r->head, (int64_t)min, false);
}

static void report_trend_fill_compare(const struct trend_summary *all, const struct compare_side *first,
				      const struct compare_side *last, const struct query *q, struct compare *c)
{
	struct normalize_options normal = { 0 };

	normalize_parse(q->normalize, &normal, NULL); /* trend_add has checked that it parses */
	c->before = *first;
	c->after = *last;
	c->before.total = all->total.first;
	c->after.total = all->total.last;
	c->total_slope = rounded(all->has_times ? all->total.slope_hour : all->total.slope_step);
	c->is_series = true;
	c->n_profiles = all->n_profiles;
	c->normalize = normal.by == NORMALIZE_LABEL ? q->normalize : normalize_modes[normal.by];
	c->factor = 1;
	c->by_cum = q->sort == SORT_CUM;
	c->all = q->all;
	c->has_times = all->has_times;
}

void report_trend(const struct trend *t, const struct compare_side *first, const struct compare_side *last,
		  const struct query *q, struct report *out, struct buf *notes)
{
	struct report r = {
		.mem = arena_new(),
		.head = { .command = "trend", .columns = q->columns, .file = "", .build_id = "", .doc_url = "" }
	};
	struct compare *c = arena_zalloc(r.mem, 1, sizeof(*c));
	struct trend_summary all = trend_summary(t);
	struct report_trend_row *rows = mem_alloc(match_count(trend_match(t)), sizeof(*rows));
	const struct over_time *time = over_time_make(t, r.mem);
	uint32_t n = report_trend_collect(t, &all, q, time, rows, &r.head);

	assert(all.n_profiles > 0 && all.type && all.unit);
	if (all.out_of_order)
		buf_addz(notes, "the profiles are not sorted by time\n");
	if (time)
		over_time_add_notes(time, notes);
	c->time = time;
	r.head.file = last->file;
	r.head.build_id = last->build_id;
	r.head.time_ns = last->time_ns;
	r.head.duration_ns = last->duration_ns;
	r.head.type = all.type;
	r.head.unit = all.unit;
	r.head.total = all.total.last;
	r.head.out_unit = q->unit;
	r.head.ratio = query_ratio(q);
	r.head.compact = q->compact_labels;
	r.head.n_before_limit = n;
	r.head.compare = c;
	report_head_fill_filters(&r.head, q, r.mem);
	report_trend_fill_compare(&all, first, last, q, c);
	if (n)
		qsort(rows, n, sizeof(*rows), report_trend_compare_rows);
	report_trend_fill_table(&r, t, &all, rows, q->nodecount > 0 && q->nodecount < n ? (uint32_t)q->nodecount : n,
				q->sort == SORT_CUM);
	free(rows);
	*out = r;
}
