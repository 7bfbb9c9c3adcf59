/*
 * test_normal.c - how two sides of a comparison are made comparable
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/normal.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

static enum normal_mode mode_of(const char *text)
{
	struct normal n;

	assert_int_equal(normal_parse(text, &n, NULL), 0);
	return n.mode;
}

static void modes_are_words_and_none_is_the_default(void **state)
{
	struct normal n;
	struct err err;

	(void)state;
	assert_int_equal(mode_of(""), NORMAL_NONE);
	assert_int_equal(mode_of("none"), NORMAL_NONE);
	assert_int_equal(mode_of("true"), NORMAL_TOTAL);
	assert_int_equal(mode_of("total"), NORMAL_TOTAL);
	assert_int_equal(mode_of("duration"), NORMAL_DURATION);
	assert_int_equal(mode_of("label:job"), NORMAL_LABEL);
	assert_int_equal(normal_parse("label:", &n, &err), ERR_USAGE);
	assert_int_equal(normal_parse("label:=x", &n, &err), ERR_USAGE);
	assert_int_equal(normal_parse("Total", &n, &err), ERR_USAGE);
}

static void a_label_may_have_a_value(void **state)
{
	struct normal n;

	(void)state;
	assert_int_equal(normal_parse("label:job=a=b", &n, NULL), 0);
	assert_int_equal(n.n_key, 3);
	assert_memory_equal(n.key, "job", 3);
	assert_string_equal(n.value, "a=b");
}

static void only_rows_with_the_label_are_summed(void **state)
{
	struct make m = make_start("samples/count");
	struct builder_label job = { 0 }, size = { .num = 7 };
	struct normal n;
	struct asked a;
	uint32_t id[2];

	(void)state;
	job.key = make_text(&m, "job", 3);
	job.text = make_text(&m, "steady", 6);
	job.is_text = true;
	size.key = make_text(&m, "size", 4);
	builder_label(m.b, &job, &id[0], NULL);
	builder_label(m.b, &size, &id[1], NULL);
	make_row(&m, "a", (int64_t[]){ 10 }, id, 1);
	make_row(&m, "b", (int64_t[]){ -5 }, id, 2);
	make_row(&m, "c", (int64_t[]){ 100 }, NULL, 0);
	a = ask_about(&m);
	ask(&a);
	normal_parse("label:job", &n, NULL);
	assert_float_equal(normal_size(&n, &a.v, 2).size, 30, 0);
	normal_parse("label:job=steady", &n, NULL);
	assert_float_equal(normal_size(&n, &a.v, 1).size, 15, 0);
	normal_parse("label:job=other", &n, NULL);
	assert_float_equal(normal_size(&n, &a.v, 1).size, 0, 0);
	normal_parse("label:size=7", &n, NULL);
	assert_float_equal(normal_size(&n, &a.v, 1).size, 5, 0);
	ask_release(&a);
}

static void a_factor_is_a_ratio_of_known_sizes(void **state)
{
	const struct normal_size base = { 30, 0 }, target = { 60, 0 }, unknown = { 0, 0 };
	const struct normal n = { .mode = NORMAL_DURATION };
	bool by_period;
	double factor;
	struct err err;

	(void)state;
	assert_int_equal(normal_factor(&n, &base, &target, &factor, &by_period, NULL), 0);
	assert_float_equal(factor, 0.5, 0);
	assert_false(by_period);
	assert_int_equal(normal_factor(&n, &base, &unknown, &factor, &by_period, &err), ERR_USAGE);
	assert_int_equal(normal_factor(&n, &unknown, &target, &factor, &by_period, &err), ERR_USAGE);
}

static void counted_samples_are_weighed_by_their_period(void **state)
{
	const struct normal_size base = { 10, 1e7 }, target = { 20, 1e6 };
	const struct normal n = { .mode = NORMAL_DURATION };
	bool by_period;
	double factor;

	(void)state;
	assert_int_equal(normal_factor(&n, &base, &target, &factor, &by_period, NULL), 0);
	assert_float_equal(factor, 0.05, 1e-12);
	assert_true(by_period);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_are_words_and_none_is_the_default),
		cmocka_unit_test(a_label_may_have_a_value),
		cmocka_unit_test(only_rows_with_the_label_are_summed),
		cmocka_unit_test(a_factor_is_a_ratio_of_known_sizes),
		cmocka_unit_test(counted_samples_are_weighed_by_their_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
