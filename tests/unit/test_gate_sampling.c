/*
 * test_gate_sampling.c - sampling model of the values of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/sampling.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

/* Start a profile with types "name/unit ..." and period type "name/unit"; "" for none. */
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

static struct sampling find(const struct profile *p, const char *sample_index, struct buf *notes)
{
	struct sampling k;
	struct err err;

	if (sampling_find(p, sample_index, &k, notes, &err) < 0)
		fail_msg("%s", err.msg);
	return k;
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 5e-7 * fabs(expected)))
		fail_msg("%.9g is not %.9g", value, expected);
}

static void heap_records_have_the_variance_of_the_worked_example(void **state)
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
		struct sampling k;

		ROW(&m, "a", c[i].objects, c[i].bytes);
		p = make_end(&m);
		k = find(p, "", NULL);
		assert_int_equal(k.error, GATE_HEAP);
		assert_int_equal(k.type, 1);
		assert_int_equal(k.partner, 0);
		var = sampling_variance(&k, bytes, objects);
		near(bytes * bytes / var, c[i].k);
		if (c[i].var > 0)
			near(var, c[i].var);
		k = find(p, "alloc_objects", NULL);
		near(sampling_variance(&k, objects, bytes), objects * (1 - c[i].q) / c[i].q);
		profile_free(p);
	}
}

/* Check the selected type and its error for types and a period; every value is 20000000. */
static void type_and_error_depend_on_names_and_units(void **state)
{
	static const struct {
		const char *types, *period;
		int64_t of;
		const char *index, *chosen;
		enum sampling_rule rule;
		enum gate_error error;
		double step;
	} c[] = {
		{ "samples/count cpu/nanoseconds", "cpu/nanoseconds", 10000000, "", "samples", SAMPLING_STEPS,
		  GATE_POISSON, 1 },
		{ "samples/count cpu/nanoseconds", "cpu/nanoseconds", 10000000, "cpu", "cpu", SAMPLING_STEPS,
		  GATE_POISSON, 1e7 },
		{ "samples/count cpu/milliseconds", "cpu/nanoseconds", 10000000, "1", "cpu", SAMPLING_STEPS,
		  GATE_POISSON, 10 },
		{ "sample/count wall/nanoseconds cpu/nanoseconds", "wall/nanoseconds", 7, "", "sample", SAMPLING_STEPS,
		  GATE_POISSON, 1 },
		{ "cpu-samples/count cpu-time/nanoseconds", "", 0, "", "cpu-samples", SAMPLING_STEPS, GATE_POISSON, 1 },
		{ "cpu/nanoseconds", "cpu/nanoseconds", 10000000, "", "cpu", SAMPLING_STEPS, GATE_POISSON, 1e7 },
		{ "cycles_sample/count cycles_event/count", "cycles/count", 1000000, "", "cycles_sample",
		  SAMPLING_STEPS, GATE_POISSON, 1 },
		{ "cycles/count", "cycles/count", 1000000, "", "cycles", SAMPLING_STEPS, GATE_POISSON, 1e6 },
		{ "odd_things/count", "odd_things/count", 1000000, "", "odd_things", SAMPLING_STEPS, GATE_POISSON,
		  1e6 },
		{ "exceptions/count", "", 0, "", "exceptions", SAMPLING_STEPS, GATE_POISSON, 1 },
		{ "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes", "space/bytes", 512, "",
		  "inuse_space", SAMPLING_BYTES, GATE_HEAP, 0 },
		{ "objects/count space/bytes", "space/bytes", 512, "objects", "objects", SAMPLING_OBJECTS, GATE_HEAP,
		  0 },
		{ "objects/count space/bytes", "space/bytes", 1, "objects", "objects", SAMPLING_EXACT, GATE_HEAP, 0 },
		{ "objects/count space/bytes", "space/bytes", 1, "space", "space", SAMPLING_EXACT, GATE_HEAP, 0 },
		{ "objects/count space/bytes", "", 0, "space", "space", SAMPLING_WEIGHTS, GATE_POISSON, 0 },
		{ "inuse/bytes", "space/bytes", 512, "", "inuse", SAMPLING_STEPS, GATE_HEAP, 512 },
		{ "contentions/count delay/nanoseconds", "contentions/count", 1, "", "delay", SAMPLING_DELAY,
		  GATE_DELAY, 0 },
		{ "mutex_count/count mutex_duration/nanoseconds", "", 0, "", "mutex_duration", SAMPLING_DELAY,
		  GATE_DELAY, 0 },
		{ "delay/nanoseconds", "", 0, "", "delay", SAMPLING_WEIGHTS, GATE_DELAY, 0 },
		{ "task-clock/nanoseconds", "task-clock/nanoseconds", 10000000, "", "task-clock", SAMPLING_STEPS,
		  GATE_POISSON, 1e7 },
		{ "goroutine/count", "goroutine/count", 1, "", "goroutine", SAMPLING_STEPS, GATE_CENSUS, 1 },
		{ "threadcreate/count", "threadcreate/count", 1, "", "threadcreate", SAMPLING_STEPS, GATE_CENSUS, 1 },
		{ "Thread/count", "", 0, "", "Thread", SAMPLING_STEPS, GATE_CENSUS, 1 },
		{ "read/bytes", "", 0, "", "read", SAMPLING_WEIGHTS, GATE_POISSON, 0 },
		{ "heat/joules", "", 0, "", "heat", SAMPLING_WEIGHTS, GATE_POISSON, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct make m = start(c[i].types, c[i].period, c[i].of);
		struct buf notes = { 0 };
		struct profile *p;
		struct sampling k;

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

/* A profile of cpu with two records of one stack. */
static struct sampling two_records(const char *unit, int64_t period, int64_t one, int64_t two, struct buf *notes)
{
	struct buf types = { 0 };
	struct profile *p;
	struct sampling k;
	struct make m;

	buf_addf(&types, "cpu/%s", unit);
	m = start(buf_text(&types), period ? buf_text(&types) : "", period);
	ROW(&m, "a", one);
	ROW(&m, "a", two);
	p = make_end(&m);
	k = find(p, "", notes);
	profile_free(p);
	buf_release(&types);
	return k;
}

static void times_that_are_not_multiples_of_the_period_have_their_own_step(void **state)
{
	struct buf notes = { 0 };
	struct sampling k = two_records("nanoseconds", 1000000000, 10000000, 30000000, &notes);

	(void)state;
	assert_int_equal(k.rule, SAMPLING_STEPS);
	assert_float_equal(k.step, 1e7, 0);
	k = two_records("milliseconds", 0, 4, 12, &notes);
	assert_float_equal(k.step, 4, 0);
	assert_int_equal(notes.len, 0);
	buf_release(&notes);
}

static void unknown_weights_count_as_one_sample_each_with_a_note(void **state)
{
	struct buf notes = { 0 };
	struct sampling k = two_records("nanoseconds", 10000000, 10000001, 30000000, &notes);

	(void)state;
	assert_int_equal(k.rule, SAMPLING_WEIGHTS);
	assert_float_equal(sampling_variance(&k, 7, 0), 49, 0);
	assert_string_equal(buf_text(&notes),
			    "values of cpu are not multiples of the period: each record counts as one sample\n");
	k = two_records("nanoseconds", 0, 1, 30,
			&notes); /* perf starts with a period of 1, which is too short to be the step of times */
	assert_int_equal(k.rule, SAMPLING_WEIGHTS);
	buf_release(&notes);
}

/* A profile of cpa with two rows and comments. */
static struct profile *made_by_cpa(const char *const *comment, int64_t stacks, int64_t periods)
{
	struct make m = start("samples/count cpu/nanoseconds", "cpu/nanoseconds", 1000000);

	for (; *comment; comment++)
		builder_comment(m.b, make_text(&m, *comment, strlen(*comment)));
	ROW(&m, "a", stacks, periods * 1000000);
	ROW(&m, "b", 1, 1000000);
	return make_end(&m);
}

static void samples_of_cpa_have_the_variance_of_their_stacks(void **state)
{
	static const struct {
		const char *comment[3], *index;
		enum sampling_rule rule;
		double var; /* variance of 8 periods in two stacks */
		bool is_unknown;
	} c[] = {
		{ { "cpa 0.1.0: pid 7, timers of threads", "1000 Hz asked, 250.0 stacks per second of CPU time; "
							   "samples are stacks, nanoseconds are CPU time" },
		  "",
		  SAMPLING_STEPS,
		  2,
		  false },
		{ { "1000 Hz asked, 250.0 stacks per second of CPU time; samples are stacks, nanoseconds are CPU "
		    "time" },
		  "cpu",
		  SAMPLING_STACKS,
		  32e12 * (2 - 1 / 3.),
		  false },
		{ { "asked for 1000 Hz, got 250.0 stacks per second of CPU time; samples are stacks, nanoseconds are "
		    "CPU time" },
		  "cpu",
		  SAMPLING_STACKS,
		  32e12 * (2 - 1 / 3.),
		  false },
		{ { "asked for 1000 Hz, got 250.0 stacks per second of CPU time; samples are stacks, nanoseconds are "
		    "CPU time",
		    "1000 Hz asked, 500.0 stacks per second of CPU time; samples weigh by the periods they stand for" },
		  "",
		  SAMPLING_STEPS,
		  24e12,
		  false },
		{ { "1000 Hz asked, 250.0 stacks per second of CPU time; samples weigh by the periods they stand for" },
		  "",
		  SAMPLING_STEPS,
		  56e12,
		  false },
		{ { "1000 Hz asked, 250.0 stacks per second of CPU time; samples weigh by the periods they stand for" },
		  "cpu",
		  SAMPLING_STEPS,
		  56e12,
		  false },
		{ { "1000 Hz asked, 250.0 stacks per second of CPU time; samples are stacks, nanoseconds are CPU time",
		    "1000 Hz asked, 500.0 stacks per second of CPU time; samples weigh by the periods they stand for" },
		  "",
		  SAMPLING_STEPS,
		  24e12,
		  false },
		{ { "100 Hz asked, 100.1 stacks per second of CPU time; samples weigh by the periods they stand for" },
		  "",
		  SAMPLING_STEPS,
		  8e12,
		  false },
		{ { "100 Hz asked, 0.0 stacks per second of CPU time; samples weigh by the periods they stand for" },
		  "",
		  SAMPLING_STEPS,
		  8e12,
		  true },
		{ { "100 Hz asked, nan stacks per second of CPU time; samples weigh by the periods they stand for" },
		  "",
		  SAMPLING_STEPS,
		  8e12,
		  true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct profile *p = made_by_cpa(c[i].comment, 2, 8);
		struct sampling k = find(p, c[i].index, NULL);
		bool is_count = i == 0;

		assert_string_equal(profile_text(p, p->type[k.named_type].name), *c[i].index ? "cpu" : "samples");
		assert_string_equal(profile_text(p, p->type[k.type].name), is_count ? "samples" : "cpu");
		assert_float_equal(k.worth, is_count ? 3e6 : 0, 1e-3); /* 9 periods of 1 ms, 3 stacks */
		assert_int_equal(k.rule, c[i].rule);
		assert_float_equal(sampling_variance(&k, is_count ? 2 : 8e6, 2), c[i].var, 1);
		assert_int_equal(k.unknown_reason != NULL, c[i].is_unknown);
		profile_free(p);
	}
}

static void the_share_of_a_busy_machine_is_the_largest_of_the_comments(void **state)
{
	static const char *const comment[] = {
		"the machine was busy: programs waited for a processor for 12% of the time",
		"the machine was busy: programs waited for a processor for 63% of the time",
		"the machine was busy: programs waited", NULL
	};
	struct profile *p = made_by_cpa(comment, 2, 2);

	(void)state;
	assert_true(weights_busy_share(p) > 0.6299 && weights_busy_share(p) < 0.6301);
	profile_free(p);
	p = made_by_cpa(comment + 2, 2, 2);
	assert_true(weights_busy_share(p) <= 0);
	profile_free(p);
}

static void other_comments_are_ignored(void **state)
{
	static const char *const comment[][2] = {
		{ NULL },
		{ "" },
		{ "1000 Hz asked, " },
		{ "Hz asked, 1 stacks per second of CPU time; samples " },
		{ "1000 Hz asked, 250.0 stacks" },
		{ "asked for 1000 Hz, " },
		{ "asked for Hz, got 1 stacks per second of CPU time; samples " },
		{ "asked for 1000 Hz asked, 250.0 stacks per second of CPU time; samples are stacks" },
		{ "1000 Hz, got 250.0 stacks per second of CPU time; samples are stacks" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(comment) / sizeof(comment[0]); i++) {
		struct profile *p = made_by_cpa(comment[i], 2, 2);
		struct sampling k = find(p, "", NULL);

		assert_string_equal(profile_text(p, p->type[k.type].name), "samples");
		assert_int_equal(k.rule, SAMPLING_STEPS);
		assert_float_equal(k.step, 1, 0);
		assert_null(k.unknown_reason);
		profile_free(p);
	}
}

/* Detect the sampling of n counts: least, then multiples of step. */
static struct sampling counts(int n, int64_t least, int64_t step)
{
	struct make m = start("samples/count", "", 0);
	struct profile *p;
	struct sampling k;

	for (int i = 0; i < n; i++)
		ROW(&m, i % 2 ? "a" : "b", i ? step * (i + 2) : least);
	p = make_end(&m);
	k = find(p, "", NULL);
	profile_free(p);
	return k;
}

static void counts_that_are_weights_are_detected(void **state)
{
	(void)state;
	assert_float_equal(counts(20, 7, 7).step, 7, 0);
	assert_null(counts(20, 7, 7).unknown_reason);
	assert_float_equal(counts(19, 7, 7).step, 1, 0);
	assert_non_null(counts(20, 14, 7).unknown_reason);
	assert_null(counts(19, 14, 7).unknown_reason);
	assert_null(counts(50, 2, 1).unknown_reason); /* most counts are far above the smallest */
	assert_null(counts(5000, 1, 1).unknown_reason);
	assert_float_equal(counts(5000, 1, 1).step, 1, 0);
}

/* Counts of n rows, most of which are slightly above the smallest. */
static struct sampling close_counts(int n, int64_t least)
{
	struct make m = start("samples/count", "", 0);
	struct profile *p;
	struct sampling k;

	for (int i = 0; i < n; i++)
		ROW(&m, i % 2 ? "a" : "b", i % 10 == 9 ? 10 * least : least + i % 3 % least);
	p = make_end(&m);
	k = find(p, "", NULL);
	profile_free(p);
	return k;
}

static void counts_are_weights_if_most_are_close_to_the_smallest(void **state)
{
	(void)state;
	assert_non_null(close_counts(50, 4).unknown_reason);
	assert_null(close_counts(49, 4).unknown_reason);
	assert_null(close_counts(50, 1).unknown_reason);
	assert_null(close_counts(50, 65).unknown_reason);
}

/* Returns true if the number of samples is unknown for rows of CPU time that are not multiples of a step. */
static bool is_unknown(const char *types, const char *const stack[3], const int64_t count[3], const int64_t label[3])
{
	struct make m = start(types, "cpu/nanoseconds", 10000000);
	struct profile *p;
	bool unknown;

	for (int i = 0; i < 3; i++) {
		struct builder_label l = { .key = make_text(&m, "at", 2), .num = label[i] };
		uint32_t id;

		builder_label(m.b, &l, &id, NULL);
		make_row(&m, stack[i], (const int64_t[]){ 7 + i, count[i] }, &id, label[i] ? 1 : 0);
	}
	p = make_end(&m);
	unknown = find(p, "0", NULL).unknown_reason;
	profile_free(p);
	return unknown;
}

static void rows_that_are_one_sample_each_are_detected(void **state)
{
	static const char *const own[] = { "a", "b", "c" }, *const shared[] = { "a", "b", "a" };
	static const int64_t none[3] = { 0 }, some[] = { 1, 2, 3 }, one[] = { 1, 1, 1 };

	(void)state;
	assert_true(is_unknown("cpu/nanoseconds x/count", own, none, none));
	assert_false(is_unknown("cpu/nanoseconds x/count", shared, none, none));
	assert_false(is_unknown("cpu/nanoseconds samples/count", own, one, none));
	assert_true(is_unknown("cpu/nanoseconds samples/count", own, some, none));
	assert_false(is_unknown("cpu/nanoseconds x/count", shared, none, some));
	assert_true(is_unknown("cpu/nanoseconds x/count", own, none, some)); /* the values may be numbers of threads */
}

static void the_rate_of_mutex_profiles_is_the_step_of_their_counts(void **state)
{
	struct make m = start("contentions/count delay/nanoseconds", "contentions/count", 1);
	struct profile *p;
	struct sampling k;

	(void)state;
	ROW(&m, "a", 50, 1000);
	ROW(&m, "b", 15, 2000);
	p = make_end(&m);
	k = find(p, "contentions", NULL);
	assert_int_equal(k.error, GATE_POISSON);
	assert_float_equal(sampling_variance(&k, 50, 0), 250, 0);
	k = find(p, "delay", NULL);
	assert_int_equal(k.partner, 0);
	assert_float_equal(sampling_variance(&k, 1000, 50), 2e6 / 10, 1e-6); /* 50 waits, of which 10 were sampled */
	assert_float_equal(sampling_variance(&k, 1000, 5), 1e6, 0);          /* at most the variance of one sample */
	profile_free(p);
}

static void variance_of_bytes_is_not_smaller_when_object_counts_are_missing(void **state)
{
	static const double bytes[] = { 1, 1000, 524288, 600000, 1e9 };
	struct sampling with = { .rule = SAMPLING_BYTES, .rate = 524288 },
			without = { .rule = SAMPLING_STEPS, .step = 524288 };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		for (double objects = 0; objects < 1e9; objects = objects * 10 + 1)
			assert_true(sampling_variance(&with, bytes[i], objects) <=
				    sampling_variance(&without, bytes[i], 0));
	with.rule = SAMPLING_OBJECTS;
	assert_float_equal(sampling_variance(&with, 3, 0), 9, 0); /* objects of size 0 */
	assert_float_equal(sampling_variance(&with, 3, 1e12), 0, 0);
	assert_float_equal(sampling_variance(&with, 0, 100), 0, 0);
}

static void cpu_time_comes_from_its_type_or_from_samples_and_period(void **state)
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
		assert_float_equal(sampling_cpu_seconds(p), c[i].seconds, 1e-12);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_records_have_the_variance_of_the_worked_example),
		cmocka_unit_test(type_and_error_depend_on_names_and_units),
		cmocka_unit_test(times_that_are_not_multiples_of_the_period_have_their_own_step),
		cmocka_unit_test(unknown_weights_count_as_one_sample_each_with_a_note),
		cmocka_unit_test(samples_of_cpa_have_the_variance_of_their_stacks),
		cmocka_unit_test(the_share_of_a_busy_machine_is_the_largest_of_the_comments),
		cmocka_unit_test(other_comments_are_ignored),
		cmocka_unit_test(counts_that_are_weights_are_detected),
		cmocka_unit_test(counts_are_weights_if_most_are_close_to_the_smallest),
		cmocka_unit_test(rows_that_are_one_sample_each_are_detected),
		cmocka_unit_test(the_rate_of_mutex_profiles_is_the_step_of_their_counts),
		cmocka_unit_test(variance_of_bytes_is_not_smaller_when_object_counts_are_missing),
		cmocka_unit_test(cpu_time_comes_from_its_type_or_from_samples_and_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
