/*
 * test_serve_query.c - parameters of requests; the expected values were printed by Go 1.26
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/request_query.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void integers_are_parsed_as_by_parse_int(void **state)
{
	static const struct {
		const char *text;
		int64_t n;
		bool good;
	} all[] = {
		{ "", 0, false },
		{ "5", 5, true },
		{ "+5", 5, true },
		{ "-5", -5, true },
		{ "0x10", 0, false },
		{ "1_000", 0, false },
		{ "9223372036854775807", 9223372036854775807, true },
		{ "9223372036854775808", 9223372036854775807, false },
		{ "-9223372036854775808", INT64_MIN, true },
		{ "-9223372036854775809", INT64_MIN, false },
		{ "99999999999999999999999", 9223372036854775807, false },
		{ " 5", 0, false },
		{ "5 ", 0, false },
		{ "1e3", 0, false },
		{ "+", 0, false },
		{ "-", 0, false },
		{ "--5", 0, false },
		{ "007", 7, true },
	};
	int64_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (request_query_int(all[i].text, &n) != all[i].good || n != all[i].n)
			fail_msg("\"%s\" is %lld", all[i].text, (long long)n);
	}
}

static void addresses_are_parsed_as_by_parse_uint(void **state)
{
	static const struct {
		const char *text;
		uint64_t n;
		bool good;
	} all[] = {
		{ "", 0, false },
		{ "0", 0U, true },
		{ "5", 5U, true },
		{ "0x1F", 31U, true },
		{ "0X1f", 31U, true },
		{ "0b11", 3U, true },
		{ "0o17", 15U, true },
		{ "0O17", 15U, true },
		{ "017", 15U, true },
		{ "08", 0, false },
		{ "1_000", 1000U, true },
		{ "_1", 0, false },
		{ "1_", 0, false },
		{ "1__0", 0, false },
		{ "0x_1f", 31U, true },
		{ "0_7", 7U, true },
		{ "0x", 0, false },
		{ "0b2", 0, false },
		{ "18446744073709551615", 18446744073709551615U, true },
		{ "18446744073709551616", 0, false },
		{ "0xffffffffffffffff", 18446744073709551615U, true },
		{ "0x1ffffffffffffffff", 0, false },
		{ "+1", 0, false },
		{ "-1", 0, false },
		{ "0x+1", 0, false },
		{ "0x1g", 0, false },
		{ "00", 0U, true },
		{ "0_", 0, false },
		{ "1f", 0, false },
		{ "0b", 0, false },
		{ "0x1_f", 31U, true },
		{ "0B1_0", 2U, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		uint64_t n = 0;

		if (request_query_uint(all[i].text, strlen(all[i].text), &n) != all[i].good || n != all[i].n)
			fail_msg("\"%s\" is %llu", all[i].text, (unsigned long long)n);
	}
}

static void fractions_are_parsed_as_by_parse_float(void **state)
{
	static const struct {
		const char *text;
		double n;
		bool good;
	} all[] = {
		{ "", 0, false },
		{ "1", 1, true },
		{ "1.5", 1.5, true },
		{ ".5", 0.5, true },
		{ "5.", 5, true },
		{ ".", 0, false },
		{ "1e3", 1000, true },
		{ "1E3", 1000, true },
		{ "1e+3", 1000, true },
		{ "1e-3", 0.001, true },
		{ "1e", 0, false },
		{ "1e+", 0, false },
		{ "+1.5", 1.5, true },
		{ "-1.5", -1.5, true },
		{ "0x10", 0, false },
		{ "0x1p4", 16, true },
		{ "0x1.8p1", 3, true },
		{ "0x1p-2", 0.25, true },
		{ "0x.8p1", 1, true },
		{ "inf", HUGE_VAL, true },
		{ "Inf", HUGE_VAL, true },
		{ "-inf", -HUGE_VAL, true },
		{ "+infinity", HUGE_VAL, true },
		{ "INFINITY", HUGE_VAL, true },
		{ "infi", 0, false },
		{ "nan", NAN, true },
		{ "NaN", NAN, true },
		{ "+nan", 0, false },
		{ "1e400", HUGE_VAL, false },
		{ "1e-400", 0, true },
		{ "1_000.5", 1000.5, true },
		{ "1_000", 1000, true },
		{ "0x_1p4", 16, true },
		{ "_1", 0, false },
		{ "1_", 0, false },
		{ "1e1_0", 1e+10, true },
		{ "1.2.3", 0, false },
		{ "1 ", 0, false },
		{ "0.1e1", 1, true },
		{ "100000000000000000000000", 1e+23, true },
		{ "0.000000000000000000000000001e30", 1000, true },
		{ "0e999999", 0, true },
		{ "1f", 0, false },
		{ "0x1p1_0", 1024, true },
		{ "--1", 0, false },
		{ "1__0", 0, false },
		{ "1_.5", 0, false },
		{ "0x1p5000", HUGE_VAL, false },
	};
	double n;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bool good = request_query_float(all[i].text, &n);

		if (good != all[i].good)
			fail_msg("\"%s\" is %s", all[i].text, good ? "a number" : "none");
		if (!good || n == all[i].n || (isnan(n) && isnan(all[i].n)))
			continue;
		if (!(fabs(n - all[i].n) <= fabs(n) * 1e-14))
			fail_msg("\"%s\" is %g", all[i].text, n);
	}
}

static void values_are_parsed_as_by_parse_query(void **state)
{
	static const struct {
		const char *query, *value;
		bool good;
	} all[] = {
		{ "k=1", "1", true },      { "k=1&k=2", "1", true },   { "k=%zz&k=2", "2", true },
		{ "k=1;x=2", "", false },  { "x;k=1&k=3", "3", true }, { "k", "", true },
		{ "k=", "", true },        { "k=a=b", "a=b", true },   { "%6b=7", "7", true },
		{ "k=a+b", "a b", true },  { "k=%41", "A", true },     { "&&k=1", "1", true },
		{ "K=1", "", false },      { "k=%", "", false },       { "k=%4", "", false },
		{ "k%=1&k=2", "2", true }, { "=1", "", false },        { "a=1", "", false },
		{ "k=%00x", "", true },    { "k+=1", "", false },      { "+k=2", "", false },
		{ "k=1#2", "1#2", true },
	};
	char value[QUERY_VALUE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bool good = request_query_value(all[i].query, strlen(all[i].query), "k", value);

		if (good != all[i].good || strcmp(value, all[i].value) != 0)
			fail_msg("%s has \"%s\"", all[i].query, value);
	}
}

static void a_value_that_does_not_fit_is_truncated(void **state)
{
	char query[3 * QUERY_VALUE_MAX] = "k=", value[QUERY_VALUE_MAX];

	(void)state;
	memset(query + 2, '1', sizeof(query) - 2);
	assert_true(request_query_value(query, sizeof(query), "k", value));
	assert_int_equal(strlen(value), QUERY_VALUE_MAX - 1);
	query[sizeof(query) - 1] = '%';
	assert_false(request_query_value(query, sizeof(query), "k", value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_parsed_as_by_parse_int),
		cmocka_unit_test(addresses_are_parsed_as_by_parse_uint),
		cmocka_unit_test(fractions_are_parsed_as_by_parse_float),
		cmocka_unit_test(values_are_parsed_as_by_parse_query),
		cmocka_unit_test(a_value_that_does_not_fit_is_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
