/*
 * test_gate_kinds.c - how the values of a profile were sampled
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/kinds.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

/* A profile of types "name/unit ..." and period "name/unit", without one when that is "". */
static struct make start(const char *types, const char *period_type, int64_t period)
{
	struct make m = make_start(types);
	struct profile_meta *meta = builder_meta(m.b);
	size_t n = strcspn(period_type, "/");

	meta->has_period_type = *period_type;
	if (!*period_type)
		return m;
	meta->period_type.name = make_text(&m, period_type, n);
	meta->period_type.unit = make_text(&m, period_type + n + 1, strlen(period_type + n + 1));
	meta->period = period;
	return m;
}

static struct kinds find(const struct profile *p, const char *sample_index, struct buf *notes)
{
	struct kinds k;
	struct err err;

	if (kinds_find(p, sample_index, &k, notes, &err) < 0)
		fail_msg("%s", err.msg);
	return k;
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 5e-7 * fabs(expected)))
		fail_msg("%.9g is not %.9g", value, expected);
}

static void heap_records_have_the_error_of_the_worked_example(void **state)
{
	static const struct {
		int64_t objects, bytes;
		double q, var, k;
	} c[] = {
		{ 21845, 524300, 4.577707e-05, 2.748779e+11, 1.000046 },
		{ 455, 524864, 2.197798e-03, 0, 1.002201 },
		{ 4, 2400000, 6.815880e-01, 6.727132e+11, 8.562341 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct make m = start("alloc_objects/count alloc_space/bytes", "space/bytes", 524288);
		double objects = (double)c[i].objects, bytes = (double)c[i].bytes, var;
		struct profile *p;
		struct kinds k;

		ROW(&m, "a", c[i].objects, c[i].bytes);
		p = make_end(&m);
		k = find(p, "", NULL);
		assert_int_equal(k.error, GATE_HEAP);
		assert_int_equal(k.type, 1);
		assert_int_equal(k.partner, 0);
		var = kinds_variance(&k, bytes, objects);
		near(bytes * bytes / var, c[i].k);
		if (c[i].var > 0)
			near(var, c[i].var);
		k = find(p, "alloc_objects", NULL);
		near(kinds_variance(&k, objects, bytes), objects * (1 - c[i].q) / c[i].q);
		profile_free(p);
	}
}

/* What is compared, by types and period alone; every value is 20000000. */
static void the_type_and_its_error_follow_from_names_and_units(void **state)
{
	static const struct {
		const char *types, *period;
		int64_t of;
		const char *index, *chosen;
		enum kinds_rule rule;
		enum gate_error error;
		double step;
	} c[] = {
		{ "samples/count cpu/nanoseconds", "cpu/nanoseconds", 10000000, "", "samples", KINDS_STEPS,
		  GATE_POISSON, 1 },
		{ "samples/count cpu/nanoseconds", "cpu/nanoseconds", 10000000, "cpu", "cpu", KINDS_STEPS, GATE_POISSON,
		  1e7 },
		{ "samples/count cpu/milliseconds", "cpu/nanoseconds", 10000000, "1", "cpu", KINDS_STEPS, GATE_POISSON,
		  10 },
		{ "sample/count wall/nanoseconds cpu/nanoseconds", "wall/nanoseconds", 7, "", "sample", KINDS_STEPS,
		  GATE_POISSON, 1 },
		{ "cpu-samples/count cpu-time/nanoseconds", "", 0, "", "cpu-samples", KINDS_STEPS, GATE_POISSON, 1 },
		{ "cpu/nanoseconds", "cpu/nanoseconds", 10000000, "", "cpu", KINDS_STEPS, GATE_POISSON, 1e7 },
		{ "cycles_sample/count cycles_event/count", "cycles/count", 1000000, "", "cycles_sample", KINDS_STEPS,
		  GATE_POISSON, 1 },
		{ "cycles/count", "cycles/count", 1000000, "", "cycles", KINDS_STEPS, GATE_POISSON, 1e6 },
		{ "odd_things/count", "odd_things/count", 1000000, "", "odd_things", KINDS_STEPS, GATE_POISSON, 1e6 },
		{ "exceptions/count", "", 0, "", "exceptions", KINDS_STEPS, GATE_POISSON, 1 },
		{ "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes", "space/bytes", 512, "",
		  "inuse_space", KINDS_BYTES, GATE_HEAP, 0 },
		{ "objects/count space/bytes", "space/bytes", 512, "objects", "objects", KINDS_OBJECTS, GATE_HEAP, 0 },
		{ "objects/count space/bytes", "space/bytes", 1, "objects", "objects", KINDS_EXACT, GATE_HEAP, 0 },
		{ "objects/count space/bytes", "space/bytes", 1, "space", "space", KINDS_EXACT, GATE_HEAP, 0 },
		{ "objects/count space/bytes", "", 0, "space", "space", KINDS_WEIGHTS, GATE_POISSON, 0 },
		{ "inuse/bytes", "space/bytes", 512, "", "inuse", KINDS_STEPS, GATE_HEAP, 512 },
		{ "contentions/count delay/nanoseconds", "contentions/count", 1, "", "delay", KINDS_DELAY, GATE_DELAY,
		  0 },
		{ "mutex_count/count mutex_duration/nanoseconds", "", 0, "", "mutex_duration", KINDS_DELAY, GATE_DELAY,
		  0 },
		{ "delay/nanoseconds", "", 0, "", "delay", KINDS_WEIGHTS, GATE_DELAY, 0 },
		{ "task-clock/nanoseconds", "task-clock/nanoseconds", 10000000, "", "task-clock", KINDS_STEPS,
		  GATE_POISSON, 1e7 },
		{ "goroutine/count", "goroutine/count", 1, "", "goroutine", KINDS_STEPS, GATE_CENSUS, 1 },
		{ "threadcreate/count", "threadcreate/count", 1, "", "threadcreate", KINDS_STEPS, GATE_CENSUS, 1 },
		{ "Thread/count", "", 0, "", "Thread", KINDS_STEPS, GATE_CENSUS, 1 },
		{ "read/bytes", "", 0, "", "read", KINDS_WEIGHTS, GATE_POISSON, 0 },
		{ "heat/joules", "", 0, "", "heat", KINDS_WEIGHTS, GATE_POISSON, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct make m = start(c[i].types, c[i].period, c[i].of);
		struct buf notes = { 0 };
		struct profile *p;
		struct kinds k;

		ROW(&m, "a", 20000000, 20000000, 20000000, 20000000);
		p = make_end(&m);
		k = find(p, c[i].index, &notes);
		assert_string_equal(profile_text(p, p->type[k.type].name), c[i].chosen);
		if (k.rule != c[i].rule || k.error != c[i].error || (c[i].step > 0 && k.step != c[i].step))
			fail_msg("%s %s: rule %d error %d step %g", c[i].types, c[i].chosen, k.rule, k.error, k.step);
		profile_free(p);
		buf_release(&notes);
	}
}

/* A profile of cpu with two records. */
static struct kinds two_records(const char *unit, int64_t period, int64_t one, int64_t two, struct buf *notes)
{
	struct buf types = { 0 };
	struct profile *p;
	struct kinds k;
	struct make m;

	buf_addf(&types, "cpu/%s", unit);
	m = start(buf_text(&types), period ? buf_text(&types) : "", period);
	ROW(&m, "a", one);
	ROW(&m, "b", two);
	p = make_end(&m);
	k = find(p, "", notes);
	profile_free(p);
	buf_release(&types);
	return k;
}

static void times_that_are_no_multiples_of_the_period_show_their_own_step(void **state)
{
	struct buf notes = { 0 };
	struct kinds k = two_records("nanoseconds", 1000000000, 10000000, 30000000, &notes);

	(void)state;
	assert_int_equal(k.rule, KINDS_STEPS);
	assert_float_equal(k.step, 1e7, 0);
	k = two_records("milliseconds", 0, 4, 12, &notes);
	assert_float_equal(k.step, 4, 0);
	assert_int_equal(notes.len, 0);
	buf_release(&notes);
}

static void weights_of_unknown_make_are_a_sample_each_and_the_user_hears_of_it(void **state)
{
	struct buf notes = { 0 };
	struct kinds k = two_records("nanoseconds", 10000000, 10000001, 30000000, &notes);

	(void)state;
	assert_int_equal(k.rule, KINDS_WEIGHTS);
	assert_float_equal(kinds_variance(&k, 7, 0), 49, 0);
	assert_string_equal(buf_text(&notes),
			    "values of cpu are no multiples of the period: each record counts as one sample\n");
	k = two_records("nanoseconds", 0, 1, 30, &notes); /* what perf starts with: 1 is no step of a time */
	assert_int_equal(k.rule, KINDS_WEIGHTS);
	buf_release(&notes);
}

static void the_rate_of_mutex_profiles_shows_in_their_counts(void **state)
{
	struct make m = start("contentions/count delay/nanoseconds", "contentions/count", 1);
	struct profile *p;
	struct kinds k;

	(void)state;
	ROW(&m, "a", 50, 1000);
	ROW(&m, "b", 15, 2000);
	p = make_end(&m);
	k = find(p, "contentions", NULL);
	assert_int_equal(k.error, GATE_POISSON);
	assert_float_equal(kinds_variance(&k, 50, 0), 250, 0);
	k = find(p, "delay", NULL);
	assert_int_equal(k.partner, 0);
	assert_float_equal(kinds_variance(&k, 1000, 50), 2e6 / 10, 1e-6); /* 50 waits of which 10 were seen */
	assert_float_equal(kinds_variance(&k, 1000, 5), 1e6, 0);          /* never more than one sample's */
	profile_free(p);
}

static void bytes_without_objects_are_never_surer_than_with_them(void **state)
{
	static const double bytes[] = { 1, 1000, 524288, 600000, 1e9 };
	struct kinds with = { .rule = KINDS_BYTES, .rate = 524288 }, without = { .rule = KINDS_STEPS, .step = 524288 };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		for (double objects = 0; objects < 1e9; objects = objects * 10 + 1)
			assert_true(kinds_variance(&with, bytes[i], objects) <= kinds_variance(&without, bytes[i], 0));
	with.rule = KINDS_OBJECTS;
	assert_float_equal(kinds_variance(&with, 3, 0), 9, 0); /* objects of no size */
	assert_float_equal(kinds_variance(&with, 3, 1e12), 0, 0);
	assert_float_equal(kinds_variance(&with, 0, 100), 0, 0);
}

static void cpu_time_is_that_of_its_type_or_of_samples_and_period(void **state)
{
	static const struct {
		const char *types, *period;
		double seconds;
	} c[] = {
		{ "samples/count cpu/milliseconds", "cpu/nanoseconds", 0.5 },
		{ "samples/count wall/milliseconds", "cpu/microseconds", 300 * 1e-5 },
		{ "samples/count wall/milliseconds", "wall/microseconds", 0 },
		{ "space/bytes objects/count", "space/bytes", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct make m = start(c[i].types, c[i].period, 10);
		struct profile *p;

		ROW(&m, "a", 100, 200);
		ROW(&m, "b", 200, 300);
		p = make_end(&m);
		assert_float_equal(kinds_cpu_seconds(p), c[i].seconds, 1e-12);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_records_have_the_error_of_the_worked_example),
		cmocka_unit_test(the_type_and_its_error_follow_from_names_and_units),
		cmocka_unit_test(times_that_are_no_multiples_of_the_period_show_their_own_step),
		cmocka_unit_test(weights_of_unknown_make_are_a_sample_each_and_the_user_hears_of_it),
		cmocka_unit_test(the_rate_of_mutex_profiles_shows_in_their_counts),
		cmocka_unit_test(bytes_without_objects_are_never_surer_than_with_them),
		cmocka_unit_test(cpu_time_is_that_of_its_type_or_of_samples_and_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
