/*
 * test_query.c - the query of a command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct query default_query(void)
{
	struct query q;

	query_init(&q);
	return q;
}

static const char *finish(struct query *q)
{
	const char *ignored = "untouched";
	struct err err;

	if (query_finish(q, &ignored, &err) < 0)
		fail_msg("%s", err.msg);
	return ignored;
}

static void expect_refused(struct query *q, const char *sentence)
{
	const char *ignored;
	struct err err;

	assert_int_equal(query_finish(q, &ignored, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
}

static void the_defaults_are_those_of_pprof(void **state)
{
	struct query q = default_query();

	(void)state;
	assert_true(q.nodecount == -1);
	assert_float_equal(q.nodefraction, 0.005, 0);
	assert_float_equal(q.edgefraction, 0.001, 0);
	assert_true(q.trim);
	assert_int_equal(q.sort, SORT_FLAT);
	assert_int_equal(q.granularity, GRAIN_FUNCTIONS);
	assert_string_equal(q.unit, "minimum");
	assert_string_equal(q.sample_index, "");
	assert_float_equal(q.divide_by, 1, 0);
	assert_false(q.noinlines || q.showcolumns || q.mean || q.compact_labels);
}

static void the_defaults_are_valid(void **state)
{
	struct query q = default_query();

	(void)state;
	assert_null(finish(&q));
}

static void no_two_options_share_a_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < query_n_options; i++)
		for (size_t k = i + 1; k < query_n_options; k++)
			assert_string_not_equal(query_options[i].name, query_options[k].name);
}

static void every_option_belongs_to_a_group_with_a_title(void **state)
{
	(void)state;
	for (size_t i = 0; i < query_n_options; i++) {
		assert_in_range(query_options[i].group, 0, N_GROUPS - 1);
		assert_non_null(query_group_title[query_options[i].group]);
		assert_true(*query_options[i].help);
	}
}

static void each_sample_type_flag_names_its_type(void **state)
{
	static const char *const flag[][2] = {
		{ "total_delay", "delay" },           { "mean_delay", "delay" },
		{ "contentions", "contentions" },     { "inuse_space", "inuse_space" },
		{ "inuse_objects", "inuse_objects" }, { "alloc_space", "alloc_space" },
		{ "alloc_objects", "alloc_objects" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(flag) / sizeof(flag[0]); i++) {
		struct query q = default_query();
		const struct opt *o = opt_find(query_options, query_n_options, flag[i][0], strlen(flag[i][0]));

		assert_non_null(o);
		assert_int_equal(opt_set(o, &q, NULL, NULL), 0);
		assert_null(finish(&q));
		assert_string_equal(q.sample_index, flag[i][1]);
		assert_int_equal(q.mean, strcmp(flag[i][0], "mean_delay") == 0);
	}
}

static void a_sample_index_overrides_a_flag_and_reports_it(void **state)
{
	struct query q = default_query();

	(void)state;
	q.sample_index = "cpu";
	q.inuse_space = true;
	assert_string_equal(finish(&q), "inuse_space");
	assert_string_equal(q.sample_index, "cpu");
}

static void of_two_sample_type_flags_the_first_in_pprofs_order_is_used(void **state)
{
	struct query q = default_query();

	(void)state;
	q.alloc_objects = true;
	q.contentions = true;
	assert_string_equal(finish(&q), "alloc_objects");
	assert_string_equal(q.sample_index, "contentions");
}

static void without_trimming_even_a_given_nodecount_is_cleared(void **state)
{
	struct query q = default_query();

	(void)state;
	q.trim = false;
	q.nodecount = 7;
	q.nodefraction = 0.5;
	finish(&q);
	query_apply_defaults(&q, &(struct query_defaults){ 0 });
	assert_int_equal(q.nodecount, 0);
	assert_float_equal(q.nodefraction, 0, 0);
	assert_float_equal(q.edgefraction, 0, 0);
}

static void explicit_trimming_options_keep_their_values(void **state)
{
	struct query q = default_query();

	(void)state;
	q.nodecount = 7;
	q.nodefraction = 1;
	q.edgefraction = 0;
	finish(&q);
	assert_int_equal(q.nodecount, 7);
	assert_float_equal(q.nodefraction, 1, 0);
}

static void only_nodecount_minus_1_uses_the_default_of_the_report(void **state)
{
	const struct {
		int64_t given, tree;
	} each[] = { { -1, 80 }, { -2, 0 }, { 0, 0 }, { 3, 3 } };

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct query q;

		query_init(&q);
		q.nodecount = each[i].given;
		query_apply_defaults(&q, &(struct query_defaults){ .nodecount = 80 });
		assert_int_equal(q.nodecount, each[i].tree);
	}
}

static void flame_uses_nodefraction_only_if_it_is_given(void **state)
{
	struct query q = default_query();

	(void)state;
	q.nodecount = 7;
	query_apply_defaults(&q, &(struct query_defaults){ .trims_by_width = true });
	assert_int_equal(q.nodecount, 7);
	assert_float_equal(q.nodefraction, 0, 0);
	q = default_query();
	q.has_nodefraction = true; /* set by -nodefraction=0.005 */
	query_apply_defaults(&q, &(struct query_defaults){ .trims_by_width = true });
	assert_float_equal(q.nodefraction, 0.005, 0);
	assert_int_equal(q.nodecount, -1);
	assert_true(q.trim);
}

static void rejects_a_fraction_outside_0_to_1(void **state)
{
	static const char sentence[] = "-nodefraction and -edgefraction must lie between 0 and 1";
	const double bad[] = { -0.1, 1.5, (double)NAN, (double)INFINITY };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct query q = default_query();

		q.nodefraction = bad[i];
		expect_refused(&q, sentence);
		q = default_query();
		q.edgefraction = bad[i];
		expect_refused(&q, sentence);
	}
}

static void rejects_a_divisor_of_0(void **state)
{
	struct query q = default_query();

	(void)state;
	q.divide_by = 0;
	expect_refused(&q, "-divide_by=0: zero divisor specified");
}

static void rejects_a_negative_limit_by_name(void **state)
{
	struct query q = default_query();

	(void)state;
	q.max_count = -1;
	expect_refused(&q, "--max-count must not be negative");
}

static void accepts_a_limit_of_0(void **state)
{
	struct query q = default_query();

	(void)state;
	q.max_input = q.max_inflated = q.max_ratio = q.max_count = q.max_depth = q.max_nesting = 0;
	finish(&q);
}

static void rejects_an_unknown_color(void **state)
{
	struct query q = default_query();

	(void)state;
	q.color = "red";
	expect_refused(&q, "--color=red: choose auto, always or never");
}

static void the_ratio_is_one_over_divide_by(void **state)
{
	struct query q = default_query();

	(void)state;
	assert_float_equal(query_ratio(&q), 1, 0);
	q.divide_by = 4;
	assert_float_equal(query_ratio(&q), 0.25, 0);
	q.divide_by = 0.5;
	assert_float_equal(query_ratio(&q), 2, 0);
}

static void an_invalid_divisor_is_treated_as_1(void **state)
{
	struct query q = default_query();

	(void)state;
	q.divide_by = -2;
	assert_float_equal(query_ratio(&q), 1, 0);
	q.divide_by = (double)INFINITY;
	assert_float_equal(query_ratio(&q), 1, 0);
	q.divide_by = (double)NAN;
	assert_float_equal(query_ratio(&q), 1, 0);
}

static int64_t rows_of(const struct query_defaults *d, enum format format)
{
	struct query q = default_query();

	q.shape = (int)format;
	query_apply_defaults(&q, d);
	return q.nodecount;
}

static void comparisons_show_30_rows_as_text_and_all_rows_as_json_or_csv(void **state)
{
	const struct query_defaults diff = { .nodecount = 30, .all_rows_for_tools = true };

	(void)state;
	assert_int_equal(rows_of(&diff, FORMAT_TEXT), 30);
	assert_int_equal(rows_of(&diff, FORMAT_MARKDOWN), 30);
	assert_int_equal(rows_of(&diff, FORMAT_JSON), 0);
	assert_int_equal(rows_of(&diff, FORMAT_CSV), 0);
}

static const struct opt *option(const char *name)
{
	return opt_find(query_options, query_n_options, name, strlen(name));
}

static void ignores_bases_without_a_name(void **state)
{
	struct query q = default_query();

	(void)state;
	assert_int_equal(opt_set(option("base"), &q, "", NULL), 0);
	assert_int_equal(opt_set(option("diff_base"), &q, "a.pb.gz", NULL), 0);
	assert_int_equal(opt_set(option("diff_base"), &q, "", NULL), 0);
	finish(&q);
	assert_int_equal(q.base.n, 0);
	assert_int_equal(q.diff_base.n, 1);
	assert_string_equal(q.diff_base.item[0], "a.pb.gz");
	query_release(&q);
}

static void rejects_base_together_with_diff_base(void **state)
{
	struct query q = default_query();

	(void)state;
	assert_int_equal(opt_set(option("base"), &q, "a.pb.gz", NULL), 0);
	assert_int_equal(opt_set(option("diff_base"), &q, "b.pb.gz", NULL), 0);
	expect_refused(&q, "-base and -diff_base flags cannot both be specified");
	query_release(&q);
}

static void rejects_an_unknown_normalization(void **state)
{
	struct query q = default_query();

	(void)state;
	assert_int_equal(opt_set(option("normalize"), &q, "size", NULL), 0);
	expect_refused(&q, "-normalize=size: must be none, total, duration or label:KEY[=VALUE]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons_show_30_rows_as_text_and_all_rows_as_json_or_csv),
		cmocka_unit_test(the_defaults_are_those_of_pprof),
		cmocka_unit_test(the_defaults_are_valid),
		cmocka_unit_test(no_two_options_share_a_name),
		cmocka_unit_test(every_option_belongs_to_a_group_with_a_title),
		cmocka_unit_test(each_sample_type_flag_names_its_type),
		cmocka_unit_test(a_sample_index_overrides_a_flag_and_reports_it),
		cmocka_unit_test(of_two_sample_type_flags_the_first_in_pprofs_order_is_used),
		cmocka_unit_test(without_trimming_even_a_given_nodecount_is_cleared),
		cmocka_unit_test(only_nodecount_minus_1_uses_the_default_of_the_report),
		cmocka_unit_test(flame_uses_nodefraction_only_if_it_is_given),
		cmocka_unit_test(explicit_trimming_options_keep_their_values),
		cmocka_unit_test(rejects_a_fraction_outside_0_to_1),
		cmocka_unit_test(rejects_a_divisor_of_0),
		cmocka_unit_test(rejects_a_negative_limit_by_name),
		cmocka_unit_test(accepts_a_limit_of_0),
		cmocka_unit_test(rejects_an_unknown_color),
		cmocka_unit_test(the_ratio_is_one_over_divide_by),
		cmocka_unit_test(an_invalid_divisor_is_treated_as_1),
		cmocka_unit_test(ignores_bases_without_a_name),
		cmocka_unit_test(rejects_base_together_with_diff_base),
		cmocka_unit_test(rejects_an_unknown_normalization),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
