/*
 * test_temporality.c - the kinds of profiles, and the meaning of values over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/temporality.h"

#include "make_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct err err;

static struct profile *with_types(const char *types, const char *default_type, int64_t duration_ns)
{
	struct make m = make_start(types);

	builder_meta(m.b)->duration_ns = duration_ns;
	builder_meta(m.b)->default_type = make_text(&m, default_type, strlen(default_type));
	return make_end(&m);
}

static void the_kind_follows_from_the_sample_types(void **state)
{
	static const char *const cases[][3] = {
		{ "samples/count cpu/nanoseconds", "", "cpu" },
		{ "sample/count wall/nanoseconds cpu/nanoseconds", "", "wall" },
		{ "samples/count time/nanoseconds", "", "fgprof" },
		{ "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes", "", "heap" },
		{ "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes", "alloc_space",
		  "allocs" },
		{ "objects/count space/bytes", "", "heap" },
		{ "goroutine/count", "", "goroutine" },
		{ "threads/count", "", "threads" },
		{ "goroutineleak/count", "", "goroutineleak" },
		{ "threadcreate/count", "", "threadcreate" },
		{ "contentions/count delay/nanoseconds", "", "mutex" },
		{ "cpu/count alloc_samples/count contentions/count delay/nanoseconds", "cpu", "cpu" },
		{ "samples/count", "", "cpu" },
		{ "orders/count refunds/count", "", "refunds" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = with_types(cases[i][0], cases[i][1], 0);

		assert_string_equal(profile_kind(p), cases[i][2]);
		assert_int_equal(profile_check_kind(p, cases[i][2], &err), 0);
		profile_free(p);
	}
}

static void contentions_fit_mutex_and_block(void **state)
{
	struct profile *p = with_types("contentions/count delay/nanoseconds", "", 0);

	(void)state;
	assert_int_equal(profile_check_kind(p, "block", &err), 0);
	assert_int_equal(profile_check_kind(p, "mine", &err), 0);
	assert_int_equal(profile_check_kind(p, "heap", &err), ERR_FORMAT);
	assert_string_equal(err.msg, "another kind of profile, with sample types: contentions, delay");
	profile_free(p);
}

static void only_differences_of_cumulative_profiles_have_a_duration(void **state)
{
	struct profile *snapshot = with_types("alloc_space/bytes inuse_space/bytes cpu/nanoseconds x/count", "", 0);
	struct profile *difference = with_types("alloc_space/bytes inuse_space/bytes cpu/nanoseconds x/count", "", 1);

	(void)state;
	assert_int_equal(profile_temporality(snapshot, 0), TEMPORALITY_CUMULATIVE);
	assert_int_equal(profile_temporality(snapshot, 1), TEMPORALITY_GAUGE);
	assert_int_equal(profile_temporality(snapshot, 2), TEMPORALITY_DELTA);
	assert_int_equal(profile_temporality(snapshot, 3), TEMPORALITY_DELTA);
	assert_int_equal(profile_temporality(difference, 0), TEMPORALITY_DELTA);
	assert_int_equal(profile_temporality(difference, 1), TEMPORALITY_GAUGE);
	profile_free(snapshot);
	profile_free(difference);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kind_follows_from_the_sample_types),
		cmocka_unit_test(contentions_fit_mutex_and_block),
		cmocka_unit_test(only_differences_of_cumulative_profiles_have_a_duration),
	};

	return cmocka_run_group_tests_name("temporality", tests, NULL, NULL);
}
