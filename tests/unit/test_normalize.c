/*
 * test_normalize.c - factors that scale a profile to the size of another
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/normalize.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

static struct err err;

static enum normalize_by mode(const char *word)
{
	struct normalize_options how;

	if (normalize_parse(word, &how, &err) < 0)
		fail_msg("%s", err.msg);
	return how.by;
}

static void a_boolean_true_means_total(void **state)
{
	(void)state;
	assert_int_equal(mode("true"), NORMALIZE_TOTAL);
	assert_int_equal(mode("T"), NORMALIZE_TOTAL);
	assert_int_equal(mode("1"), NORMALIZE_TOTAL);
	assert_int_equal(mode("total"), NORMALIZE_TOTAL);
}

static void a_boolean_false_means_none(void **state)
{
	(void)state;
	assert_int_equal(mode(""), NORMALIZE_NONE);
	assert_int_equal(mode("0"), NORMALIZE_NONE);
	assert_int_equal(mode("FALSE"), NORMALIZE_NONE);
	assert_int_equal(mode("none"), NORMALIZE_NONE);
}

static void a_label_key_follows_the_colon(void **state)
{
	struct normalize_options how;

	(void)state;
	assert_int_equal(normalize_parse("label:requests", &how, &err), 0);
	assert_int_equal(how.by, NORMALIZE_LABEL);
	assert_string_equal(how.key, "requests");
}

static void other_words_are_refused(void **state)
{
	struct normalize_options how;

	(void)state;
	assert_int_equal(normalize_parse("yes", &how, &err), ERR_USAGE);
	assert_int_equal(normalize_parse("label:", &how, &err), ERR_USAGE);
}

static struct profile *with_rows(const char *types, int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
	struct make m = make_start(types);

	ROW(&m, "a", a0, a1);
	ROW(&m, "b", b0, b1);
	return make_end(&m);
}

static int ratios(const char *word, struct profile *p, struct profile *base, double out[2])
{
	struct normalize_options how;
	int rc;

	assert_int_equal(normalize_parse(word, &how, &err), 0);
	rc = normalize_ratios(&how, p, base, out, &err);
	profile_free(p);
	profile_free(base);
	return rc;
}

static void each_type_is_scaled_by_the_ratio_of_its_sums(void **state)
{
	double ratio[2];

	(void)state;
	assert_int_equal(ratios("total", with_rows("n/count cpu/ns", 1, -10, 3, 50),
				with_rows("n/count cpu/ns", 4, 10, 4, 10), ratio),
			 0);
	assert_true(ratio[0] == 2);
	assert_true(ratio[1] == 0.5);
}

static void a_sum_of_zero_has_ratio_zero(void **state)
{
	double ratio[2];

	(void)state;
	assert_int_equal(ratios("total", with_rows("n/count cpu/ns", 1, -5, 3, 5),
				with_rows("n/count cpu/ns", 4, 10, 4, 10), ratio),
			 0);
	assert_true(ratio[1] == 0);
}

static void profiles_with_other_types_are_refused(void **state)
{
	double ratio[2];

	(void)state;
	assert_int_equal(ratios("total", with_rows("n/count cpu/ns", 1, 1, 1, 1),
				with_rows("n/count cpu/ms", 1, 1, 1, 1), ratio),
			 ERR_FORMAT);
	assert_non_null(strstr(err.msg, "sample type 2 is cpu in ns, but cpu in ms in the base"));
}

static void a_sum_that_overflows_64_bits_is_refused(void **state)
{
	double ratio[2];

	(void)state;
	assert_int_equal(ratios("total", with_rows("n/count cpu/ns", 1, INT64_MAX, 1, 1),
				with_rows("n/count cpu/ns", 1, 1, 1, 1), ratio),
			 ERR_RANGE);
}

static void durations_scale_values_to_equal_time(void **state)
{
	struct profile *p = with_rows("n/count cpu/ns", 1, 1, 1, 1), *base = with_rows("n/count cpu/ms", 1, 1, 1, 1);
	double ratio[2];

	(void)state;
	p->meta.duration_ns = 40;
	base->meta.duration_ns = 10;
	assert_int_equal(ratios("duration", p, base, ratio), 0);
	assert_true(ratio[0] == 0.25 && ratio[1] == 0.25);
}

static void a_missing_duration_is_refused(void **state)
{
	struct profile *p = with_rows("n/count cpu/ns", 1, 1, 1, 1), *base = with_rows("n/count cpu/ns", 1, 1, 1, 1);
	double ratio[2];

	(void)state;
	p->meta.duration_ns = 40;
	assert_int_equal(ratios("duration", p, base, ratio), ERR_FORMAT);
	assert_non_null(strstr(err.msg, "the base has no duration"));
}

/* Build two rows, each with a number that has a unit. */
static struct profile *with_label(const char *key, int64_t first, int64_t second, const char *unit)
{
	struct make m = make_start("cpu/ns");
	struct builder_label l = { .key = make_text(&m, key, strlen(key)), .unit = make_text(&m, unit, strlen(unit)) };
	const int64_t value = 1, number[] = { first, second };
	uint32_t id = 0;

	for (int i = 0; i < 2; i++) {
		l.num = number[i];
		assert_int_equal(builder_label(m.b, &l, &id, &err), 0);
		make_row(&m, "a", &value, &id, 1);
	}
	return make_end(&m);
}

static void labels_are_summed_over_samples(void **state)
{
	double ratio[2];

	(void)state;
	assert_int_equal(
		ratios("label:requests", with_label("requests", 3, 5, ""), with_label("requests", 2, 2, ""), ratio), 0);
	assert_true(ratio[0] == 0.5);
}

static void labels_with_compatible_units_are_converted(void **state)
{
	double ratio[2];

	(void)state;
	assert_int_equal(
		ratios("label:sent", with_label("sent", 1, 1, "kb"), with_label("sent", 512, 512, "bytes"), ratio), 0);
	assert_true(ratio[0] == 0.5);
	assert_int_equal(ratios("label:sent", with_label("sent", 1, 1, "kb"), with_label("sent", 5, 5, "ms"), ratio),
			 ERR_FORMAT);
}

static void a_missing_label_is_refused(void **state)
{
	double ratio[2];

	(void)state;
	assert_int_equal(
		ratios("label:requests", with_label("requests", 3, 5, ""), with_label("other", 2, 2, ""), ratio),
		ERR_FORMAT);
	assert_non_null(strstr(err.msg, "label:requests: the base has no such label"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_boolean_true_means_total),
		cmocka_unit_test(a_boolean_false_means_none),
		cmocka_unit_test(a_label_key_follows_the_colon),
		cmocka_unit_test(other_words_are_refused),
		cmocka_unit_test(each_type_is_scaled_by_the_ratio_of_its_sums),
		cmocka_unit_test(a_sum_of_zero_has_ratio_zero),
		cmocka_unit_test(profiles_with_other_types_are_refused),
		cmocka_unit_test(a_sum_that_overflows_64_bits_is_refused),
		cmocka_unit_test(durations_scale_values_to_equal_time),
		cmocka_unit_test(a_missing_duration_is_refused),
		cmocka_unit_test(labels_are_summed_over_samples),
		cmocka_unit_test(labels_with_compatible_units_are_converted),
		cmocka_unit_test(a_missing_label_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
