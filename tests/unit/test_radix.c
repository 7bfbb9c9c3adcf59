/*
 * test_radix.c - sort numbers by their upper halves
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/radix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Sort n elements whose upper bits are below limit, and whose lower bits count down. */
static void check(size_t n, uint64_t limit)
{
	uint64_t *v = calloc(n + 1, sizeof(*v)), x = 88172645463325252, before = 0, after = 0;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		v[i] = x % limit << 32 | (n - i);
		before += v[i] * v[i];
	}
	radix_sort_upper(v, n);
	for (size_t i = 0; i < n; i++)
		after += v[i] * v[i];
	assert_true(before == after);
	for (size_t i = 1; i < n; i++)
		assert_true(v[i - 1] >> 32 < v[i] >> 32 ||
			    (v[i - 1] >> 32 == v[i] >> 32 && (uint32_t)v[i - 1] > (uint32_t)v[i]));
	free(v);
}

static void elements_are_sorted_by_upper_bits_and_keep_their_order(void **state)
{
	static const size_t count[] = { 0, 1, 2, 17, 199, 200, 201, 5000 };
	static const uint64_t limit[] = { 1, 2, 1000, 1 << 11, (1 << 11) + 1, 1 << 23, UINT64_C(1) << 32 };

	(void)state;
	for (size_t i = 0; i < sizeof(count) / sizeof(*count); i++)
		for (size_t k = 0; k < sizeof(limit) / sizeof(*limit); k++)
			check(count[i], limit[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_sorted_by_upper_bits_and_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
