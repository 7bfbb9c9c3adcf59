/*
 * test_gate_json.c - the result of a gate as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/json/report_json.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_gate_answer.h"

static void expect_part(const struct answer *a, const char *part)
{
	struct buf b = { 0 };

	json_draw_gate(&a->g, &b);
	if (!strstr(b.data, part))
		fail_msg("\"%s\" is not in \"%s\"", part, b.data);
	buf_release(&b);
}

static void expect_no(const struct answer *a, const char *part)
{
	struct buf b = { 0 };

	json_draw_gate(&a->g, &b);
	if (strstr(b.data, part))
		fail_msg("\"%s\" is in \"%s\"", part, b.data);
	buf_release(&b);
}

static void the_whole_object_is_as_expected(void **state)
{
	static struct answer a;
	struct gate_row *r;
	struct buf b = { 0 };

	(void)state;
	answer_start(&a);
	answer_side(&a, SIDE_BASE, 1, 1000);
	answer_side(&a, SIDE_NEW, 1, 1000.5);
	a.g.outcome = GATE_FAILED;
	a.g.status = 1;
	a.g.n_power = 1;
	r = answer_tested(&a, GATE_FAIL, "main.f", ANSWER_SHARES(.25, .5), ANSWER_RATIO(2.1, 1.75, 2.5), 3e-9);
	r->file = "f.go";
	r->line = 7;
	answer_warn(&a, "one_pair", "say \"it\"");
	json_draw_gate(&a.g, &b);
	assert_string_equal(
		b.data, "{\n"
			"  \"schema_version\": 2,\n"
			"  \"report\": \"gate\",\n"
			"  \"verdict\": \"fail\",\n"
			"  \"exit_status\": 1,\n"
			"  \"missing\": null,\n"
			"  \"threshold\": 0.2,\n"
			"  \"confidence\": 0.99,\n"
			"  \"evidence\": \"change\",\n"
			"  \"normalize\": \"bulk\",\n"
			"  \"adjust\": \"holm\",\n"
			"  \"look\": 1,\n"
			"  \"looks\": 1,\n"
			"  \"sample_type\": {\n"
			"    \"type\": \"samples\",\n"
			"    \"unit\": \"count\"\n"
			"  },\n"
			"  \"period_unit\": \"nanoseconds\",\n"
			"  \"base\": {\n"
			"    \"profiles\": 1,\n"
			"    \"sources\": [\n"
			"      \"base-1.pb.gz\"\n"
			"    ],\n"
			"    \"samples\": 1000,\n"
			"    \"total\": 1000,\n"
			"    \"period\": 10000000,\n"
			"    \"duration_ns\": 3500000000,\n"
			"    \"preempted_share\": 0,\n"
			"    \"busy_share\": 0,\n"
			"    \"build_id\": null,\n"
			"    \"host\": null\n"
			"  },\n"
			"  \"new\": {\n"
			"    \"profiles\": 1,\n"
			"    \"sources\": [\n"
			"      \"new-1.pb.gz\"\n"
			"    ],\n"
			"    \"samples\": 1000.5,\n"
			"    \"total\": 1000.5,\n"
			"    \"period\": 10000000,\n"
			"    \"duration_ns\": 3500000000,\n"
			"    \"preempted_share\": 0,\n"
			"    \"busy_share\": 0,\n"
			"    \"build_id\": null,\n"
			"    \"host\": null\n"
			"  },\n"
			"  \"total_ratio\": 1.0039,\n"
			"  \"tested_rows\": 1,\n"
			"  \"verdict_counts\": {\n"
			"    \"fail\": 1,\n"
			"    \"suspect\": 0,\n"
			"    \"moved\": 0,\n"
			"    \"new\": 0,\n"
			"    \"improved\": 0,\n"
			"    \"unresolved\": 0,\n"
			"    \"ok\": 0,\n"
			"    \"gone\": 0,\n"
			"    \"skipped\": 0\n"
			"  },\n"
			"  \"rows\": [\n"
			"    {\"verdict\": \"fail\", \"kind\": \"cum\", \"name\": \"main.f\", \"aliases\": [], "
			"\"name_before\": null, "
			"\"file\": \"f.go\", \"line\": 7, \"before\": 250, \"after\": 500.25, \"samples_before\": 250, "
			"\"samples_after\": 500.25, \"share_before\": 0.25, \"share_after\": 0.5, \"ratio\": 2.1, "
			"\"ratio_low\": 1.75, "
			"\"ratio_high\": 2.5, \"p\": 1e-10, \"p_adjusted\": 3e-09, \"limit\": 0.2, \"dispersion\": 1, "
			"\"reason\": "
			"null}\n"
			"  ],\n"
			"  \"renames\": [],\n"
			"  \"notes\": [],\n"
			"  \"power\": [\n"
			"    {\"share\": 0.2, \"detectable_change\": 0.254}\n"
			"  ],\n"
			"  \"need\": {\"share\": 0.05, \"ratio\": 1.3, \"samples\": 14105.3, \"seconds\": 56.42, "
			"\"needs_replicates\": false},\n"
			"  \"warnings\": [\n"
			"    {\"id\": \"one_pair\", \"text\": \"say \\\"it\\\"\"}\n"
			"  ]\n"
			"}\n");
	buf_release(&b);
}

static void unknown_values_are_null(void **state)
{
	static struct answer a;

	(void)state;
	answer_red(&a);
	a.g.total_ratio = NAN;
	a.g.need_samples = INFINITY;
	a.g.need_seconds = 0;
	a.g.period_unit = "";
	a.g.side[SIDE_BASE].seconds = 0;
	a.g.side[SIDE_BASE].period = 0;
	a.power[3].ratio = INFINITY;
	a.row[0].hi = INFINITY;
	expect_part(&a, "\"total_ratio\": null,");
	expect_part(&a, "\"samples\": null, \"seconds\": null, \"needs_replicates\": true");
	expect_part(&a, "\"period_unit\": null,");
	expect_part(&a, "\"period\": null,\n    \"duration_ns\": null,");
	expect_part(&a, "{\"share\": 0.01, \"detectable_change\": null}");
	expect_part(&a, "\"ratio_low\": 1.184, \"ratio_high\": null, ");
	expect_part(&a,
		    "\"ratio\": null, \"ratio_low\": null, \"ratio_high\": null, \"p\": null, \"p_adjusted\": null, ");
	expect_no(&a, "nan");
	expect_no(&a, "inf,");
}

static void outcomes_and_options_are_printed_as_words(void **state)
{
	static struct answer a;

	(void)state;
	answer_pass(&a);
	expect_part(&a, "\"verdict\": \"pass\"");
	a.options.strict = true;
	a.options.adjust = STATS_BH;
	a.options.normalize = GATE_DURATION;
	expect_part(&a, "\"evidence\": \"threshold\",\n  \"normalize\": \"duration\",\n  \"adjust\": \"bh\"");
	a.g.outcome = GATE_INCONCLUSIVE;
	a.g.status = 3;
	expect_part(&a, "\"verdict\": \"inconclusive\",\n  \"exit_status\": 3,");
}

static void names_are_escaped(void **state)
{
	static struct answer a;
	static const char *const alias[] = { "\"}]\n</script>" };
	struct gate_row *r;

	(void)state;
	answer_start(&a);
	r = answer_row(&a, GATE_NEW, "f\",\"p\":0\033[31m", 0, .1);
	r->alias = alias;
	r->n_aliases = 1;
	expect_part(&a, "\"name\": \"f\\\",\\\"p\\\":0\\u001b[31m\", "
			"\"aliases\": [\"\\\"}]\\u000a\\u003c/script\\u003e\"], ");
}

static void an_error_contains_only_its_message(void **state)
{
	static struct answer a = { .g = { .outcome = GATE_ERROR, .status = 2, .error = "a.pb: \"no\"\n" } };
	struct buf b = { 0 };

	(void)state;
	json_draw_gate(&a.g, &b);
	assert_string_equal(b.data, "{\n"
				    "  \"schema_version\": 2,\n"
				    "  \"report\": \"gate\",\n"
				    "  \"verdict\": \"error\",\n"
				    "  \"exit_status\": 2,\n"
				    "  \"error\": \"a.pb: \\\"no\\\"\\u000a\"\n"
				    "}\n");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_object_is_as_expected),           cmocka_unit_test(unknown_values_are_null),
		cmocka_unit_test(outcomes_and_options_are_printed_as_words), cmocka_unit_test(names_are_escaped),
		cmocka_unit_test(an_error_contains_only_its_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
