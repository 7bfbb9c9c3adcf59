/*
 * test_means.c - sums of means that are rounded so that parts add up to the whole
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/means.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int64_t take(struct means *m)
{
	int64_t v = -1;

	assert_false(means_take(m, &v));
	return v;
}

static void parts_add_up_to_the_rounded_sum(void **state)
{
	struct means m = { 0 };
	size_t four = means_class(&m, 4);
	int64_t sum = 0;

	(void)state;
	for (int i = 0; i < 12; i++) { /* 12 quarters */
		int64_t v;

		means_add(&m, four, 1);
		v = take(&m);
		assert_in_range(v, 0, 1);
		sum += v;
	}
	assert_int_equal(sum, 3);
	means_add(&m, four, 8);
	assert_int_equal(take(&m), 2); /* a whole number is unchanged */
	means_add(&m, four, 1);
	take(&m);
	means_add(&m, four, 8);
	assert_int_equal(take(&m), 2);
	means_release(&m);
}

/* 1/2 + 1/3 + 1/6 + 1/2 is 1.5 in every order, and not a little less. */
static void halves_are_rounded_up_in_every_order(void **state)
{
	static const uint64_t counts[][4] = { { 2, 3, 6, 2 }, { 3, 2, 2, 6 }, { 6, 2, 3, 2 }, { 2, 2, 6, 3 } };

	(void)state;
	for (int k = 0; k < 4; k++) {
		struct means m = { 0 };

		for (int i = 0; i < 4; i++)
			means_add(&m, means_class(&m, counts[k][i]), 1);
		assert_int_equal(take(&m), 2);
		for (int i = 0; i < 4; i++)
			means_add(&m, means_class(&m, counts[k][i]), -1);
		assert_int_equal(take(&m), -2);
		assert_int_equal(take(&m), 0);
		means_release(&m);
	}
}

static void large_values_are_exact(void **state)
{
	struct means m = { 0 };
	size_t seven = means_class(&m, 7), one = means_class(&m, 1);
	int64_t v;

	(void)state;
	means_add(&m, seven, INT64_MAX); /* 7 divides it */
	assert_int_equal(take(&m), INT64_MAX / 7);
	means_add(&m, one, INT64_MAX / 2);
	assert_int_equal(take(&m), INT64_MAX / 2);
	means_add(&m, one, INT64_MAX);
	means_add(&m, one, INT64_MAX);
	assert_true(means_take(&m, &v));
	means_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up_to_the_rounded_sum),
		cmocka_unit_test(halves_are_rounded_up_in_every_order),
		cmocka_unit_test(large_values_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
