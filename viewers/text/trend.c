/*
 * trend.c - a trend over several profiles as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text_int.h"

#include "base/buf.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "report/over_time.h"
#include "viewers/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
	WIDTH_VALUE = 9,
	WIDTH_CHANGE = 11,
	WIDTH_PERCENT = 8,
	WIDTH_SHARE = 7,
	WIDTH_SLOPE = 13,
	WIDTH_STEPS = 9,
	WIDTH_DAY = 12,
	WIDTH_SINCE = 25
};

/* Columns of values. */
struct trend_widths {
	size_t first, last, change, slope;
};

/* Slopes are small compared with values, so each has its own unit. */
static void text_trend_add_slope(const struct head *h, int64_t value, struct buf *out)
{
	struct head own = *h;

	own.out_unit = "auto";
	text_compare_add_value(&own, value, true, out);
	buf_addz(out, h->compare->has_times ? "/h" : "/step");
}

static void text_trend_add_span(const struct compare *c, struct buf *out)
{
	int64_t span;

	if (__builtin_sub_overflow(c->after.time_ns, c->before.time_ns, &span))
		span = INT64_MAX;
	buf_addf(out, "%zu profiles", c->n_profiles);
	if (c->has_times) {
		buf_addz(out, " over ");
		unit_add_label(out, span, "ns", "auto");
	}
	if (strcmp(c->normalize, "none") == 0)
		return;
	buf_addz(out, ", normalized to the first by ");
	utf8_add_safe(out, c->normalize, strlen(c->normalize));
}

static void text_trend_add_head(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;
	const struct compare *c = h->compare;

	text_compare_add_side("FIRST: ", &c->before, out);
	text_compare_add_side("LAST:  ", &c->after, out);
	buf_addz(out, "Type: ");
	utf8_add_safe(out, h->type, strlen(h->type));
	buf_addz(out, ", ");
	text_trend_add_span(c, out);
	buf_add(out, "\n", 1);
	text_add_filters(h, true, out);
	text_compare_add_total(h, out);
	buf_addz(out, ", ");
	text_trend_add_slope(h, c->total_slope, out);
	buf_addz(out, "\n");
	if (c->time)
		over_time_add_text(c->time, out);
	buf_addz(out, "Showing ");
	unit_add_count(out, r->table.n_rows);
	buf_addz(out, " of ");
	unit_add_count(out, (uint64_t)h->n_before_limit + h->n_dropped);
	buf_addf(out, " rows%s, by the slope of %s\n",
		 c->all                    ? ""
		 : c->time && c->time->row ? " that grew and never fell, or changed over time"
					   : " that grew and never fell",
		 c->by_cum ? "cum" : "flat");
}

static void text_trend_add_titles(const struct compare *c, const struct trend_widths *w, bool color, struct buf *out)
{
	buf_addz(out, color ? "\033[1m" : "");
	text_compare_add_title(c->by_cum ? "cum" : "flat", w->first, out);
	buf_add(out, "\n", 1);
	text_compare_add_title("first", w->first, out);
	text_compare_add_title("last", w->last, out);
	text_compare_add_title("change", w->change, out);
	text_compare_add_title("change%", WIDTH_PERCENT, out);
	text_compare_add_title("last%", WIDTH_SHARE, out);
	text_compare_add_title("slope", w->slope, out);
	if (c->all)
		text_compare_add_title("grew", WIDTH_STEPS, out);
	if (c->time && c->time->row) {
		double days;
		struct buf title = { 0 };

		buf_addf(&title, "per %s", over_time_unit(c->time, &days));
		text_compare_add_title(buf_text(&title), WIDTH_DAY, out);
		buf_release(&title);
		text_compare_add_title("change over time", WIDTH_SINCE, out);
	}
	buf_addz(out, "  name");
	buf_addz(out, color ? "\033[0m\n" : "\n");
}

static void text_trend_add_right(struct buf *text, size_t width, struct buf *out)
{
	text_compare_add_right(text, width, out);
	text->len = 0;
}

static int64_t text_trend_slope_of(const struct report *r, uint32_t row)
{
	uint32_t col = r->head.compare->has_times ? TREND_SLOPE_HOUR : TREND_SLOPE_STEP;

	return r->table.cell[(size_t)row * r->table.n_cols + col].value;
}

static size_t slope_width(const struct report *r)
{
	size_t max = WIDTH_SLOPE;
	struct buf text = { 0 };

	for (uint32_t row = 0; row < r->table.n_rows && !buf_is_stopped(); row++) {
		text.len = 0;
		text_trend_add_slope(&r->head, text_trend_slope_of(r, row), &text);
		max = text.len > max ? text.len : max;
	}
	buf_release(&text);
	return max;
}

/* Append the slope in percent, and since when the level is another: "+20.1% 2026-11-25T00:00". */
static void text_trend_add_over_time(const struct over_time *time, const union cell *cell, struct buf *out)
{
	const char *word = cell[TREND_OVER_TIME].text, *since = cell[TREND_SINCE].text;
	struct buf text = { 0 };
	double days;

	over_time_unit(time, &days);
	if (isfinite(cell[TREND_DAY].real))
		buf_addf(&text, "%+.2f%%", days * cell[TREND_DAY].real);
	text_trend_add_right(&text, WIDTH_DAY, out);
	if (strcmp(word, "either") == 0)
		buf_addz(&text, "~");
	if (*since && isfinite(cell[TREND_SINCE_PCT].real))
		buf_addf(&text, "%+.1f%% ", cell[TREND_SINCE_PCT].real);
	if (*since)
		buf_addf(&text, "%.16s", since);
	else if (strcmp(word, "none") != 0)
		buf_addz(&text, word);
	text_trend_add_right(&text, WIDTH_SINCE, out);
	buf_release(&text);
}

static void text_trend_add_row(const struct report *r, uint32_t row, const struct trend_widths *w, bool color,
			       struct buf *out)
{
	const struct head *h = &r->head;
	const struct table *t = &r->table;
	const union cell *cell = t->cell + (size_t)row * t->n_cols;
	int64_t first = cell[TREND_FIRST].value, last = cell[TREND_LAST].value, by = cell[TREND_DELTA].value;
	const char *state = first == 0 ? "new" : last == 0 ? "gone" : "";
	struct buf text = { 0 };

	text_compare_add_cell(h, &t->col[TREND_FIRST], &cell[TREND_FIRST], w->first, out);
	text_compare_add_cell(h, &t->col[TREND_LAST], &cell[TREND_LAST], w->last, out);
	text_compare_add_color(color, by, out);
	text_compare_add_value(h, by, true, &text);
	text_trend_add_right(&text, w->change, out);
	text_compare_add_change(first, last, cell[TREND_DELTA_PCT].real, state, WIDTH_PERCENT, out);
	text_compare_end_color(color, by, out);
	text_compare_add_cell(h, &t->col[TREND_SHARE_LAST], &cell[TREND_SHARE_LAST], WIDTH_SHARE, out);
	text_trend_add_slope(h, text_trend_slope_of(r, row), &text);
	text_trend_add_right(&text, w->slope, out);
	if (h->compare->all) {
		buf_addf(&text, "%" PRId64 "/%zu", cell[TREND_STEPS_GROWN].value, h->compare->n_profiles - 1);
		text_trend_add_right(&text, WIDTH_STEPS, out);
	}
	if (h->compare->time && h->compare->time->row)
		text_trend_add_over_time(h->compare->time, cell, out);
	buf_addz(out, "  ");
	text_add_name(h, cell[TREND_NAME].text, 0, out);
	buf_add(out, "\n", 1);
	buf_release(&text);
}

void text_draw_trend(const struct report *r, bool color, struct buf *out)
{
	const struct trend_widths w = { .first = text_compare_width(r, TREND_FIRST, false, WIDTH_VALUE),
					.last = text_compare_width(r, TREND_LAST, false, WIDTH_VALUE),
					.change = text_compare_width(r, TREND_DELTA, true, WIDTH_CHANGE),
					.slope = slope_width(r) };

	text_trend_add_head(r, out);
	text_trend_add_titles(r->head.compare, &w, color, out);
	for (uint32_t i = 0; i < r->table.n_rows && !buf_is_stopped(); i++)
		text_trend_add_row(r, i, &w, color, out);
}
