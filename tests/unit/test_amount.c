/*
 * test_amount.c - sizes and durations of options
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/amount.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void sizes_have_units_in_powers_of_1024(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = { { "0", 0 },
		     { "17", 17 },
		     { "1kB", 1024 },
		     { "64MiB", 64 << 20 },
		     { "20GiB", (uint64_t)20 << 30 },
		     { "1.5g", (uint64_t)3 << 29 },
		     { "2TB", (uint64_t)2 << 40 },
		     { "5bytes", 5 } };
	static const char *const bad[] = { "", "-1", "x", "1x", "1GBx", ".", "1e3", "99999999999PB", "1 GB", "1..2" };
	uint64_t bytes;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(amount_parse_bytes("--cap", good[i].text, &bytes, &err), 0);
		assert_int_equal(bytes, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(amount_parse_bytes("--cap", bad[i], &bytes, &err), ERR_USAGE);
	assert_string_equal(err.msg, "--cap=1..2: not a size such as 256MB or 20GiB");
}

static void durations_are_sums_of_numbers_with_units(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = { { "0", 0 },
		     { "30s", 30000000000 },
		     { "10m", 600000000000 },
		     { "10min", 600000000000 },
		     { "1h30m", 5400000000000 },
		     { "1.5h", 5400000000000 },
		     { "14d", 14 * 86400000000000 },
		     { "1w", 7 * 86400000000000 },
		     { "200ms", 200000000 },
		     { "5us", 5000 } };
	static const char *const bad[] = { "", "30", "s", "-1s", "1x", "1h30", "1s ", "9999999999999w" };
	int64_t ns;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(amount_parse_duration("--every", good[i].text, &ns, &err), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(amount_parse_duration("--every", bad[i], &ns, &err), ERR_USAGE);
	assert_int_equal(amount_scan_duration("10m..5m", &ns), 3);
	assert_int_equal(amount_scan_duration("now", &ns), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_units_in_powers_of_1024),
		cmocka_unit_test(durations_are_sums_of_numbers_with_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
