/*
 * test_stats_change.c - test slopes and change points, on values by hand and on simulated series
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * CHANGE_SERIES=N simulates N series of each kind and prints the rates that docs/gate-statistics.md states.
 */
#include "config.h"

#include "engine/stats/change.h"
#include "engine/stats/change_int.h"
#include "engine/stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { UNCHANGED_SERIES = 400, CHANGED_SERIES = 100, DAY_STEPS = 8 };

static double x[STATS_CHANGE_MAX];

/* A kind of simulated series: noise, a cycle, and a step or a growth. */
struct made {
	const char *name;
	uint32_t n;
	uint32_t by_day; /* steps of a day; 0: a step is a day, and weekends are phases */
	double noise;    /* of the logarithm */
	double cycle;    /* amplitude of the logarithm of a cycle of a day, or the loss of weekends */
	double step;     /* from step_at on */
	uint32_t step_at;
	double growth;   /* over the whole series */
	bool has_spikes; /* one value in 20 is three times as large */
};

static uint32_t phase_of(const struct made *m, uint32_t i)
{
	return m->by_day ? i % m->by_day : (i % 7) / 5;
}

static void make_series(const struct made *m, uint64_t *random, double *y)
{
	for (uint32_t i = 0; i < m->n; i++) {
		double noise = stats_normal_quantile(1 - stats_random_real(random)) * m->noise;
		double cycle = m->by_day ? m->cycle * sin(2 * M_PI * i / m->by_day) : i % 7 >= 5 ? -m->cycle : 0;

		y[i] = exp(noise + cycle) * (1 + (i >= m->step_at ? m->step : 0)) * (1 + m->growth * i / m->n);
		if (m->has_spikes && stats_random_real(random) < 0.05)
			y[i] *= 3;
	}
}

static struct stats_change_plan *make_plan(const struct made *m)
{
	uint32_t phase[STATS_CHANGE_MAX];

	for (uint32_t i = 0; i < m->n; i++) {
		phase[i] = phase_of(m, i);
		x[i] = i;
	}
	return stats_change_plan_new(x, phase, m->n);
}

/* Rates over simulated series. */
struct rates {
	double kind[STATS_CHANGE_SEVERAL + 1], inside, slope_inside, width;
};

/* Series without a change are judged quickly, so there are more of them. */
static uint32_t n_series(const struct made *m)
{
	const char *n = getenv("CHANGE_SERIES");

	return n ? (uint32_t)strtoul(n, NULL, 10) : m->step_at || m->growth > 0 ? CHANGED_SERIES : UNCHANGED_SERIES;
}

static struct rates simulate(const struct made *m, double slope)
{
	struct stats_change_plan *plan = make_plan(m);
	uint64_t random = 42;
	struct rates r = { .width = 0 };
	uint32_t n = n_series(m), n_points = 0;

	for (uint32_t i = 0; i < n; i++) {
		double y[STATS_CHANGE_MAX];
		struct stats_change c;

		make_series(m, &random, y);
		stats_change_find(plan, y, stats_change_p(plan, y), &c);
		r.kind[c.kind] += 1.0 / n;
		r.slope_inside += (c.slope_lo <= slope && slope <= c.slope_hi) * 1.0 / n;
		if (c.kind != STATS_CHANGE_POINT && c.kind != STATS_CHANGE_EITHER)
			continue;
		n_points++;
		r.inside += c.at_lo <= m->step_at && m->step_at <= c.at_hi;
		r.width += c.at_hi - c.at_lo + 1;
	}
	r.inside /= n_points ? n_points : 1;
	r.width /= n_points ? n_points : 1;
	if (getenv("CHANGE_SERIES"))
		printf("%-32s none %5.2f%% point %5.1f%% steady %5.1f%% either %5.1f%% several %5.1f%%  position "
		       "inside "
		       "%5.1f%% width %4.1f  slope inside %5.1f%%\n",
		       m->name, 100 * r.kind[STATS_CHANGE_NONE], 100 * r.kind[STATS_CHANGE_POINT],
		       100 * r.kind[STATS_CHANGE_STEADY], 100 * r.kind[STATS_CHANGE_EITHER],
		       100 * r.kind[STATS_CHANGE_SEVERAL], 100 * r.inside, r.width, 100 * r.slope_inside);
	stats_change_plan_free(plan);
	return r;
}

/* An upper limit of an observed rate, if the true one is p: 4 standard deviations. */
static double at_most(const struct made *m, double p)
{
	return p + 4 * sqrt(p * (1 - p) / n_series(m));
}

static void unchanged_series_have_no_change(void **state)
{
	static const struct made all[] = {
		{ .name = "30 days", .n = 30, .noise = 0.05 },
		{ .name = "30 days, weekends half", .n = 30, .noise = 0.05, .cycle = 0.7 },
		{ .name = "30 days, outliers", .n = 30, .noise = 0.05, .has_spikes = true },
		{ .name = "90 days, weekends half", .n = 90, .noise = 0.1, .cycle = 0.7 },
		{ .name = "5 days of 8 steps, day and night", .n = 40, .by_day = DAY_STEPS, .noise = 0.05, .cycle = 1 },
		{ .name = "the same, not whole days", .n = 37, .by_day = DAY_STEPS, .noise = 0.05, .cycle = 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct rates r = simulate(&all[i], 0);

		assert_true(1 - r.kind[STATS_CHANGE_NONE] <= at_most(&all[i], STATS_CHANGE_ALPHA));
		assert_true(1 - r.slope_inside <= at_most(&all[i], 1 - STATS_CHANGE_INTERVAL + 0.01));
	}
}

static void planted_steps_are_found_with_their_position_in_the_interval(void **state)
{
	static const struct made all[] = {
		{ .name = "30 days, +20 % at 20", .n = 30, .noise = 0.05, .step = 0.2, .step_at = 20 },
		{ .name = "30 days, +20 % at 24", .n = 30, .noise = 0.05, .step = 0.2, .step_at = 24 },
		{ .name = "30 days, -20 % at 10, outliers",
		  .n = 30,
		  .noise = 0.05,
		  .step = -0.2,
		  .step_at = 10,
		  .has_spikes = true },
		{ .name = "90 days, weekends half, +20 % at 60",
		  .n = 90,
		  .noise = 0.1,
		  .cycle = 0.7,
		  .step = 0.2,
		  .step_at = 60 },
		{ .name = "5 days of 8 steps, night, +20 %",
		  .n = 40,
		  .by_day = DAY_STEPS,
		  .noise = 0.05,
		  .cycle = 1,
		  .step = 0.2,
		  .step_at = 22 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct rates r = simulate(&all[i], 0);

		assert_true(r.kind[STATS_CHANGE_NONE] < 0.2);
		assert_true(1 - r.inside <= at_most(&all[i], 1 - STATS_CHANGE_INTERVAL));
		assert_true(r.kind[STATS_CHANGE_STEADY] <= at_most(&all[i], 1 - STATS_CHANGE_INTERVAL));
	}
}

static void a_steady_growth_is_no_change_point(void **state)
{
	static const struct made all[] = {
		{ .name = "60 days, growth of 40 %", .n = 60, .noise = 0.03, .growth = 0.4 },
		{ .name = "30 days, growth of 20 %", .n = 30, .noise = 0.05, .growth = 0.2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct rates r = simulate(&all[i], all[i].growth / all[i].n);

		assert_true(r.kind[STATS_CHANGE_POINT] <= at_most(&all[i], STATS_CHANGE_ALPHA));
		assert_true(1 - r.slope_inside <= at_most(&all[i], 1 - STATS_CHANGE_INTERVAL + 0.02));
	}
}

static void a_step_of_the_detectable_size_is_found(void **state)
{
	struct made m = { .name = "30 days, a detectable step", .n = 30, .noise = 0.05, .step_at = 15 };
	struct stats_change_plan *plan = make_plan(&m);
	uint64_t random = 7;
	double y[STATS_CHANGE_MAX], sum = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct stats_change c;

		make_series(&m, &random, y);
		stats_change_find(plan, y, 1, &c);
		sum += c.detectable / 200;
	}
	stats_change_plan_free(plan);
	m.step = sum;
	assert_true(fabs(sum - 0.09) < 0.03);
	assert_true(fabs(simulate(&m, 0).kind[STATS_CHANGE_NONE] - 0.2) < 0.1);
}

static void numbers_of_a_series_by_hand(void **state)
{
	static const double y[12] = { 1, 3, 2, 4, 5, 3.5, 11, 12, 10, 13, 14, 11.5 };
	struct stats_change_plan *plan;
	struct stats_change c;

	(void)state;
	for (uint32_t i = 0; i < 12; i++)
		x[i] = i;
	plan = stats_change_plan_new(x, NULL, 12);
	stats_change_find(plan, y, stats_change_p(plan, y), &c);
	/* 2 of the 924 ways to choose 6 of 12 */
	assert_true(c.p > 1.5 / 924 && c.p < 2.5 / 924);
	assert_true(c.kind == STATS_CHANGE_POINT || c.kind == STATS_CHANGE_EITHER);
	assert_int_equal(c.at, 6);
	assert_true(c.at_lo <= 6 && c.at_hi >= 6);
	assert_true(fabs(c.before - 3.25) < 1e-12);
	assert_true(fabs(c.after - 11.75) < 1e-12);
	assert_true(c.slope_lo < c.slope && c.slope < c.slope_hi);
	stats_change_plan_free(plan);
}

static void few_values_cannot_show_a_change(void **state)
{
	uint32_t phase[16];
	struct stats_change_plan *plan;
	struct stats_change c;
	double y[9] = { 1, 1, 1, 1, 9, 9, 9, 9, 9 };

	(void)state;
	assert_false(stats_change_can_decide(NULL, 9)); /* 2 / 126 */
	assert_true(stats_change_can_decide(NULL, 10)); /* 2 / 252 */
	for (uint32_t i = 0; i < 16; i++)
		phase[i] = i % 8;
	assert_false(stats_change_can_decide(phase, 0));
	assert_true(stats_change_can_decide(phase, 16));  /* 2 / 2^8: each of 8 hours was exchanged or not */
	assert_false(stats_change_can_decide(phase, 15)); /* 2 / 2^7 */
	plan = stats_change_plan_new(x, NULL, 9);
	stats_change_find(plan, y, stats_change_p(plan, y), &c);
	assert_int_equal(c.kind, STATS_CHANGE_TOO_FEW);
	assert_true(isnan(c.detectable));
	stats_change_plan_free(plan);
	for (uint32_t n = 0; n < 2; n++) {
		plan = stats_change_plan_new(x, NULL, n);
		stats_change_find(plan, y, stats_change_p(plan, y), &c);
		assert_int_equal(c.kind, STATS_CHANGE_TOO_FEW);
		stats_change_plan_free(plan);
	}
}

static void equal_values_have_no_change(void **state)
{
	struct made m = { .n = STATS_CHANGE_MAX };
	struct stats_change_plan *plan = make_plan(&m);
	double y[STATS_CHANGE_MAX] = { 0 };
	struct stats_change c;

	(void)state;
	stats_change_find(plan, y, stats_change_p(plan, y), &c);
	assert_int_equal(c.kind, STATS_CHANGE_NONE);
	assert_true(c.p >= 1 && c.slope >= 0 && c.slope <= 0);
	y[200] = 5; /* one value is not a level */
	assert_true(stats_change_p(plan, y) > STATS_CHANGE_ALPHA);
	for (uint32_t i = 100; i < STATS_CHANGE_MAX; i++)
		y[i] = 1; /* only two different values */
	stats_change_find(plan, y, stats_change_p(plan, y), &c);
	assert_int_equal(c.kind, STATS_CHANGE_POINT);
	assert_int_equal(c.at, 100);
	stats_change_plan_free(plan);
}

static void the_same_values_give_the_same_result(void **state)
{
	struct made m = { .n = 30, .noise = 0.1, .step = 0.3, .step_at = 12 };
	struct stats_change c[2];
	double y[STATS_CHANGE_MAX];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct stats_change_plan *plan = make_plan(&m);
		uint64_t random = 3;

		make_series(&m, &random, y);
		stats_change_find(plan, y, stats_change_p(plan, y), &c[i]);
		stats_change_plan_free(plan);
	}
	assert_memory_equal(&c[0], &c[1], sizeof(c[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_a_series_by_hand),
		cmocka_unit_test(few_values_cannot_show_a_change),
		cmocka_unit_test(equal_values_have_no_change),
		cmocka_unit_test(the_same_values_give_the_same_result),
		cmocka_unit_test(unchanged_series_have_no_change),
		cmocka_unit_test(planted_steps_are_found_with_their_position_in_the_interval),
		cmocka_unit_test(a_steady_growth_is_no_change_point),
		cmocka_unit_test(a_step_of_the_detectable_size_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
