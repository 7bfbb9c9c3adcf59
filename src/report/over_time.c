/*
 * over_time.c - slope and change point of the values of a trend over time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps of less than a day are compared with those of the same time of day. Steps of a day are compared with days of the same
 * kind, weekend or not, in UTC. So a cycle of a day is no change, and neither are weekends.
 */
#include "config.h"

#include "report/over_time.h"

#include "base/mem.h"
#include "base/time.h"
#include "engine/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_MIN 0.01 /* of the totals, for a function to be tested */
#define PART_MAX 0.95  /* of a step: a shorter one is left out */

static bool is_about(int64_t length, int64_t unit)
{
	return llabs(length - unit) <= unit / 20;
}

/* The number of steps in a day, whose cycle is removed; 1 if there is no such cycle in steps of this length. */
static uint32_t steps_of_day(int64_t length, int64_t span)
{
	if (length > NS_PER_DAY * 3 / 4 || span < 2 * NS_PER_DAY)
		return 1;
	return (uint32_t)((NS_PER_DAY + length / 2) / length);
}

static bool over_time_is_weekend(int64_t ns)
{
	int64_t day = ns / NS_PER_DAY; /* 1970-01-01 was a Thursday */

	return (day + 3) % 7 >= 5;
}

/* Find the phase of each step. Returns the cycle that is removed. */
static enum trend_cycle find_phases(const struct trend_steps *s, uint32_t *phase)
{
	int64_t span = s->n ? s->t0[s->n - 1] + s->length_ns - s->t0[0] : 0;
	uint32_t of_day = steps_of_day(s->length_ns, span);
	bool is_day = is_about(s->length_ns, NS_PER_DAY);

	for (uint32_t i = 0; i < s->n; i++) {
		int64_t at = (s->t0[i] - s->t0[0]) % NS_PER_DAY;

		phase[i] = 0;
		if (is_day)
			phase[i] = over_time_is_weekend(s->t0[i] + s->length_ns / 2);
		else if (of_day > 1)
			phase[i] = (uint32_t)llround((double)at * of_day / NS_PER_DAY) % of_day;
	}
	return is_day ? TREND_CYCLE_WEEKENDS : of_day > 1 ? TREND_CYCLE_HOURS : TREND_CYCLE_NONE;
}

/* Are there steps without profiles between most steps? Then shorter ones would not be more. */
static bool over_time_is_sparse(const struct trend_steps *s)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < s->n; i++)
		n += s->t0[i] - s->t0[i - 1] > s->length_ns + s->length_ns / 2;
	return 2 * n > s->n;
}

/* The longest usual step below that of the steps with which their span could show a change; 0 if there is none. */
static int64_t advise_step(const struct trend_steps *s)
{
	static const int64_t minutes[] = { 1440, 720, 480, 360, 240, 180, 120, 60, 30, 20, 15, 10, 5, 2, 1 };
	int64_t span = s->n ? s->t0[s->n - 1] + s->length_ns - s->t0[0] : 0;

	if (over_time_is_sparse(s))
		return 0;
	for (size_t i = 0; i < sizeof(minutes) / sizeof(minutes[0]); i++) {
		int64_t start[STATS_CHANGE_MAX], step = minutes[i] * NS_PER_MINUTE;
		uint32_t phase[STATS_CHANGE_MAX];
		struct trend_steps own = { 0, start, step };

		if (step >= s->length_ns)
			continue;
		for (; own.n < STATS_CHANGE_MAX && (own.n + 1) * step <= span; own.n++)
			start[own.n] = s->t0[0] + own.n * step;
		find_phases(&own, phase);
		if (stats_change_can_decide(phase, own.n))
			return step;
	}
	return 0;
}

/* The plan of the steps; it is empty if there are too many. */
static struct stats_change_plan *make_plan(const struct trend_steps *s, struct over_time *out)
{
	double days[STATS_CHANGE_MAX] = { 0 };
	uint32_t phase[STATS_CHANGE_MAX] = { 0 };

	out->n_steps = s->n;
	out->step_ns = s->length_ns;
	out->has_too_many = s->n > STATS_CHANGE_MAX;
	if (out->has_too_many)
		return stats_change_plan_new(days, phase, 0);
	out->cycle = find_phases(s, phase);
	out->span_ns = s->n ? s->t0[s->n - 1] + s->length_ns - s->t0[0] : 0;
	for (uint32_t i = 0; i < s->n; i++)
		days[i] = (double)(s->t0[i] - s->t0[0]) / NS_PER_DAY;
	if (!stats_change_can_decide(phase, s->n))
		out->advice_ns = advise_step(s);
	return stats_change_plan_new(days, phase, s->n);
}

static void over_time_find_change(const struct stats_change_plan *plan, const struct trend_steps *s,
				  const double *value, double p, struct over_time_change *out)
{
	double copy[STATS_CHANGE_MAX];

	stats_change_find(plan, value, p, &out->found);
	out->median = NAN;
	if (s->n <= STATS_CHANGE_MAX) {
		memcpy(copy, value, s->n * sizeof(*copy));
		out->median = stats_change_median(copy, s->n);
	}
	if (out->found.kind != STATS_CHANGE_POINT && out->found.kind != STATS_CHANGE_EITHER)
		return;
	out->at = s->t0[out->found.at];
	out->at_lo = s->t0[out->found.at_lo];
	out->at_hi = s->t0[out->found.at_hi];
}

void over_time_judge(const struct trend_steps *s, const double *value, struct over_time *out)
{
	struct stats_change_plan *plan = make_plan(s, out);

	out->is_stored = out->total.is_tested = true;
	over_time_find_change(plan, s, value, stats_change_p(plan, value), &out->total);
	stats_change_plan_free(plan);
}

/* --- functions --- */

/* The steps of a trend that are compared. */
struct over_time_input {
	const struct trend *t;
	struct trend_steps steps;
	uint32_t *profile; /* [steps.n] */
};

static int over_time_compare(const void *a, const void *b)
{
	int64_t l = *(const int64_t *)a, r = *(const int64_t *)b;

	return (l > r) - (l < r);
}

/* The length of a step: of a store the longest, else the median distance of the profiles. */
static int64_t step_length(const struct trend *t, uint32_t n)
{
	int64_t *length = mem_alloc(n + (size_t)1, sizeof(*length)), out = 0;

	for (uint32_t i = 0; i + 1 < n && !trend_has_spans(t); i++)
		length[i] = trend_span(t, i + 1).t0 - trend_span(t, i).t0;
	if (!trend_has_spans(t) && n > 1) {
		qsort(length, n - 1, sizeof(*length), over_time_compare);
		out = length[(n - 1) / 2];
	}
	for (uint32_t i = 0; i < n && trend_has_spans(t); i++) {
		int64_t own = trend_span(t, i).t1 - trend_span(t, i).t0;

		out = own > out ? own : out;
	}
	free(length);
	return out > 0 ? out : 1;
}

static void find_steps(struct over_time_input *in, struct arena *mem)
{
	uint32_t n = trend_summary(in->t).n_profiles;
	int64_t *t0 = arena_alloc(mem, n, sizeof(*t0));

	in->profile = arena_alloc(mem, n, sizeof(*in->profile));
	in->steps.t0 = t0;
	in->steps.length_ns = step_length(in->t, n);
	for (uint32_t i = 0; i < n; i++) {
		struct trend_span span = trend_span(in->t, i);

		if (trend_has_spans(in->t) && (double)(span.t1 - span.t0) < PART_MAX * (double)in->steps.length_ns)
			continue;
		t0[in->steps.n] = span.t0;
		in->profile[in->steps.n++] = i;
	}
}

/* Fill in the values of a row. Returns the sum of their sizes. */
static double over_time_read_row(const struct over_time_input *in, uint32_t row, double *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < in->steps.n; i++) {
		out[i] = (double)trend_value(in->t, row, in->profile[i]);
		sum += fabs(out[i]);
	}
	return sum;
}

/* Test all rows that are large enough. */
static void over_time_test_rows(const struct over_time_input *in, const struct stats_change_plan *plan, double total,
				struct arena *mem, struct over_time *out)
{
	uint32_t n_rows = match_count(trend_match(in->t));
	double *p = arena_alloc(mem, n_rows, sizeof(*p)), value[STATS_CHANGE_MAX];

	out->n_rows = n_rows;
	out->row = arena_zalloc(mem, n_rows, sizeof(*out->row));
	for (uint32_t row = 0; row < n_rows; row++) {
		out->row[row].is_tested = over_time_read_row(in, row, value) >= SHARE_MIN * total && total > 0;
		p[row] = out->row[row].is_tested ? stats_change_p(plan, value) : NAN;
		out->n_tested += out->row[row].is_tested;
	}
	stats_holm(p, n_rows);
	for (uint32_t row = 0; row < n_rows; row++) {
		if (!out->row[row].is_tested)
			continue;
		over_time_read_row(in, row, value);
		over_time_find_change(plan, &in->steps, value, p[row], &out->row[row]);
	}
}

struct over_time *over_time_make(const struct trend *t, struct arena *mem)
{
	struct trend_summary all = trend_summary(t);
	struct over_time_input in = { .t = t };
	struct stats_change_plan *plan;
	struct over_time *out;
	double *value, sum = 0;

	if (!all.has_times || (all.n_profiles < OVER_TIME_MIN && !trend_has_spans(t)))
		return NULL;
	out = arena_zalloc(mem, 1, sizeof(*out));
	find_steps(&in, mem);
	out->n_left_out = all.n_profiles - in.steps.n;
	out->is_stored = trend_has_spans(t);
	value = arena_alloc(mem, in.steps.n, sizeof(*value));
	for (uint32_t i = 0; i < in.steps.n; i++) {
		value[i] = (double)trend_total(t, in.profile[i]);
		sum += fabs(value[i]);
	}
	plan = make_plan(&in.steps, out);
	out->total.is_tested = true;
	over_time_find_change(plan, &in.steps, value, stats_change_p(plan, value), &out->total);
	out->has_no_values = !trend_has_values(t);
	if (!out->has_no_values && out->total.found.kind != STATS_CHANGE_TOO_FEW)
		over_time_test_rows(&in, plan, sum, mem, out);
	stats_change_plan_free(plan);
	return out;
}

const struct over_time_change *over_time_row(const struct over_time *time, uint32_t row)
{
	return time && row < time->n_rows && time->row[row].is_tested ? &time->row[row] : NULL;
}
