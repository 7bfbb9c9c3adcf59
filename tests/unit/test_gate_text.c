/*
 * test_gate_text.c - the result of a gate as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/gate.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_gate_answer.h"

static void expect_text(const struct answer *a, const char *text)
{
	struct buf b = { 0 };

	text_draw_gate(&a->g, false, false, &b);
	assert_string_equal(b.data, text);
	buf_release(&b);
}

/* Number of occurrences of a part in the text. */
static size_t count_part(const struct answer *a, bool color, bool all, const char *part)
{
	struct buf b = { 0 };
	size_t n = 0;

	text_draw_gate(&a->g, color, all, &b);
	for (const char *at = b.data; (at = strstr(at, part)); at += strlen(part))
		n++;
	buf_release(&b);
	return n;
}

static void expect_part(const struct answer *a, const char *part)
{
	struct buf b = { 0 };

	text_draw_gate(&a->g, false, false, &b);
	if (!strstr(b.data, part))
		fail_msg("\"%s\" is not in \"%s\"", part, b.data);
	buf_release(&b);
}

static void expect_add(struct buf *b, const char *text)
{
	assert_string_equal(buf_text(b), text);
	buf_release(b);
	*b = (struct buf){ 0 };
}

static void a_failed_row_shows_name_change_and_interval(void **state)
{
	static struct answer a;

	(void)state;
	answer_red(&a);
	expect_text(&a, "cpa gate: FAIL  2 regressions, 1 suspect, 9 within +20%, 46 unresolved, 1 new\n"
			"\n"
			"base  3,163 samples in 4 profiles, 14s: base-1.pb.gz, base-2.pb.gz and 2 more\n"
			"new   3,248 samples in 4 profiles, 14s: new-1.pb.gz, new-2.pb.gz and 2 more\n"
			"type  samples; relative to the unchanged part of the program (total: x1.00)\n"
			"\n"
			"verdict   change     90% interval   base    new  kind  function\n"
			"FAIL      +26.5% +18.4% to +35.1%  15.7%  18.9%  cum   main.scoreA\n"
			"          497 -> 614 samples, p=4e-07, score.go:4\n"
			"FAIL      +53.1% +26.3% to +83.3%   6.1%   9.1%  flat  compress/gzip.(*Writer).Close\n"
			"          194 -> 297 samples, p=8.9e-05, /usr/local/go/src/compress/gzip/gzip.go:226\n"
			"          = compress/flate.(*compressor).close and 3 more\n"
			"SUSPECT   +28.0%  +2.0% to +61.0%   4.3%   5.3%  cum   main.parseOrder\n"
			"          136 -> 171 samples, p=0.047, parse.go:31\n"
			"MOVED      +150%  +90.0% to +230%   2.0%   5.0%  flat  main.(*table).grow\n"
			"          its callees shrank by 80% of what it grew\n"
			"NEW            -                -      -   9.7%  cum   main.audit\n"
			"          2.1% is allowed\n"
			"IMPROVED  -34.8% -39.0% to -29.0%  12.0%   8.0%  cum   main.walkTable\n"
			"          was main.walk\n"
			"GONE           -                -   1.3%      -  cum   main.oldAudit\n"
			"SKIPPED    +100%  +70.0% to +136%   3.0%   6.0%  cum   main.render\n"
			"          allowed until 2026-12-31 by gate.cpa:3: new fonts\n"
			"\n"
			"warning: base is contended (7.8% preempted samples against 1.1%)\n"
			"\n"
			"FAIL: costs more with 99% confidence over all 61 tests; estimate beyond +20%\n"
			"SUSPECT: costs more with 90% confidence over all 61 tests; estimate beyond +20%\n"
			"UNRESOLVED: too few samples to tell; --all lists every row\n"
			"80% power to detect: +25% at 20% share, +27% at 10%, +36% at 5%, +88% at 1%\n"
			"to detect +30% at 5% share: 14,106 samples (57s) per side; you have 3,205\n"
			"note: renamed? main.scoreB -> main.rankOrders (x1.02)\n"
			"note: renamed: main.oldSum -> main.sum\n"
			"note: cheaper than before: main.walkTable; update the base to keep it so\n");
}

static void a_pass_claims_no_more_than_was_tested(void **state)
{
	static struct answer a;

	(void)state;
	answer_pass(&a);
	expect_text(&a, "cpa gate: PASS  no evidence of regression; 9 proved within +20%, 46 unresolved\n"
			"\n"
			"base  3,163 samples in 4 profiles, 14s: base-1.pb.gz, base-2.pb.gz and 2 more\n"
			"new   3,248 samples in 4 profiles, 14s: new-1.pb.gz, new-2.pb.gz and 2 more\n"
			"type  samples; relative to the unchanged part of the program (total: x1.00)\n"
			"\n"
			"UNRESOLVED: too few samples to tell; --all lists every row\n"
			"80% power to detect: +25% at 20% share, +27% at 10%, +36% at 5%, +88% at 1%\n"
			"to detect +30% at 5% share: 14,106 samples (57s) per side; you have 3,205\n");
}

static void an_inconclusive_result_shows_a_reason_and_advice(void **state)
{
	static struct answer a;

	(void)state;
	answer_unsure(&a);
	expect_text(&a, "cpa gate: INCONCLUSIVE: 304 samples per side, 14,106 needed (57 s at 250 Hz); 1 suspect\n"
			"A function with 5% of the total that becomes 30% more expensive could be missed.\n"
			"Capture longer or more runs, and pass all profiles; or relax --need.\n"
			"\n"
			"base  310 samples, 3.50s: base-1.pb.gz\n"
			"new   298 samples, 3.50s: new-1.pb.gz\n"
			"type  samples; relative to the unchanged part of the program (total: x1.00)\n"
			"\n"
			"verdict   change     90% interval   base    new  kind  function\n"
			"SUSPECT   +92.0%  +38.0% to +170%  15.0%  26.0%  cum   main.scoreA\n"
			"          46 -> 77 samples, p=0.031, score.go:4\n"
			"\n"
			"warning: variation between runs is unknown: pass at least 3 profiles per side\n"
			"\n"
			"SUSPECT: costs more with 90% confidence over all 13 tests; estimate beyond +20%\n"
			"UNRESOLVED: too few samples to tell; --all lists every row\n"
			"80% power to detect: +120% at 20% share, +210% at 10%, +540% at 5%, nothing at 1%\n"
			"to detect +30% at 5% share: 14,106 samples (57s) per side; you have 304\n");
}

static void a_result_without_tests_begins_with_the_reason(void **state)
{
	static struct gate_rule only = { .kind = GATE_ONLY };
	static struct answer a;

	(void)state;
	answer_start(&a);
	a.g.outcome = GATE_INCONCLUSIVE;
	a.g.missing = "no function has enough samples to be tested";
	expect_part(&a, "cpa gate: INCONCLUSIVE: no function has enough samples to be tested\n"
			"Capture longer or more runs, and pass all profiles.\n\n");
	a.options.rule = &only;
	a.options.n_rules = 1;
	expect_part(&a, "\nCheck the gate lines, or capture longer or more runs and pass all profiles.\n\n");
	a.g.n_verdict[GATE_UNRESOLVED] = 3;
	expect_part(&a, "\nFilter less, or pass --normalize=none if both sides did the same work.\n\n");
	answer_pass(&a);
	a.g.outcome = GATE_INCONCLUSIVE;
	a.g.n_tests = 0;
	expect_part(&a, "no power: no function was tested\n");
}

static void exact_counts_are_printed_without_a_number_of_samples(void **state)
{
	static struct answer a;

	(void)state;
	answer_red(&a);
	a.g.unit = "bytes";
	for (int side = 0; side < N_SIDES; side++)
		a.g.side[side].samples = a.row[0].count[side] = STATS_COUNT_MAX;
	expect_part(&a, "base  exact counts in 4 profiles, 14s: ");
	expect_part(&a, "B, exact counts, p=4e-07, score.go:4\n");
	expect_part(&a, "14,106 samples (57s) per side; you have exact counts, enough\n");
}

static void different_programs_are_reported(void **state)
{
	static struct answer a;

	(void)state;
	answer_pass(&a);
	a.g.outcome = GATE_INCONCLUSIVE;
	a.g.is_disjoint = true;
	a.g.missing = "the sides have little in common";
	expect_part(&a,
		    "cpa gate: INCONCLUSIVE: the sides have little in common\nCheck that both sides are from the same "
		    "program. Functions that only one side has are not tested; use --rename for renamed ones.\n");
}

static void names_of_23_characters_fit_into_80_columns(void **state)
{
	static struct answer a;
	struct buf b = { 0 };
	size_t n;

	(void)state;
	answer_red(&a);
	a.g.n_renames = a.g.n_notes = a.g.n_warnings = 0;
	for (uint32_t i = 0; i < a.g.n_rows; i++) {
		a.row[i].name = "main.(*Table).growSlots";
		a.row[i].file = a.row[i].reason = "";
		a.row[i].n_aliases = 0;
		a.row[i].hi = 98.3; /* +9730% */
	}
	text_draw_gate(&a.g, false, true, &b);
	for (const char *at = b.data; *at; at += n + 1) {
		n = strcspn(at, "\n");
		assert_true(n <= 80);
	}
	buf_release(&b);
}

static void passing_rows_are_listed_only_with_all(void **state)
{
	static struct answer a;

	(void)state;
	answer_red(&a);
	assert_int_equal(count_part(&a, false, false, "main.small"), 0);
	assert_int_equal(count_part(&a, false, false, "--all lists every row"), 1);
	assert_int_equal(
		count_part(&a, false, true, "UNRESOLVED   +9.0% -22.0% to +50.0%   1.1%   1.2%  cum   main.small\n"),
		46);
	assert_int_equal(
		count_part(&a, false, true, "OK           -3.0%   -7.0% to +1.0%  30.0%  29.0%  cum   main.big\n"), 9);
	assert_int_equal(count_part(&a, false, true, "--all"), 0);
	assert_int_equal(count_part(&a, false, true, "compress/gzip.(*Writer).Write, main.pack\n"), 1);
}

static void new_rows_are_limited_but_every_fail_is_listed(void **state)
{
	static struct answer a;

	(void)state;
	answer_start(&a);
	a.g.outcome = GATE_FAILED;
	for (int i = 0; i < 15; i++)
		answer_tested(&a, GATE_FAIL, "main.slow", ANSWER_SHARES(.1, .2), ANSWER_RATIO(2, 1.8, 2.3), 1e-9);
	for (int i = 0; i < 13; i++)
		answer_row(&a, GATE_NEW, "main.fresh", 0, .02);
	assert_int_equal(count_part(&a, false, false, "main.slow"), 15);
	assert_int_equal(count_part(&a, false, false, "main.fresh"), 10);
	assert_int_equal(count_part(&a, false, false, "... and 3 more NEW rows; --all lists them\n"), 1);
	assert_int_equal(count_part(&a, false, true, "main.fresh"), 13);
	assert_int_equal(count_part(&a, false, true, "... and"), 0);
}

static void the_name_of_a_fail_is_never_shortened(void **state)
{
	static struct answer a;
	static char name[4001];

	(void)state;
	memset(name, 'n', 4000);
	answer_red(&a);
	a.row[0].name = name;
	assert_int_equal(count_part(&a, false, false, name), 1);
	a.row[0].verdict = GATE_IMPROVED;
	assert_int_equal(count_part(&a, false, false, name), 0);
	assert_int_equal(count_part(&a, false, true, name), 1);
	assert_int_equal(count_part(&a, false, false, "nnn\u2026nnn"), 1);
}

static void colour_marks_verdicts_and_changes(void **state)
{
	static struct answer a;
	struct buf plain = { 0 }, color = { 0 };
	size_t n = 0;

	(void)state;
	answer_red(&a);
	assert_int_equal(count_part(&a, true, false, "cpa gate: \033[1;31mFAIL\033[0m  2"), 1);
	assert_int_equal(count_part(&a, true, false, "\033[1;31mFAIL\033[0m    \033[1;31m  +26.5%\033[0m +18.4%"), 1);
	assert_int_equal(count_part(&a, true, false, "\033[32mIMPROVED\033[0m"), 1);
	text_draw_gate(&a.g, false, false, &plain);
	text_draw_gate(&a.g, true, false, &color);
	for (size_t i = 0; i < color.len; i++)
		if (color.data[i] == '\033')
			i += strcspn(color.data + i, "m");
		else
			color.data[n++] = color.data[i];
	color.data[n] = 0;
	assert_string_equal(color.data, plain.data);
	buf_release(&plain);
	buf_release(&color);
}

static void text_from_profiles_is_escaped(void **state)
{
	static struct answer a;
	static const char bad[] = "x\033[2J\n\xff\u202e", *const list[] = { bad, bad };
	struct buf b = { 0 };
	struct gate_row *r;

	(void)state;
	answer_red(&a);
	for (uint32_t i = 0; i < a.g.n_rows; i++) {
		r = &a.row[i];
		r->name = r->file = r->old_name = r->reason = bad;
		r->alias = list;
		r->n_aliases = 2;
	}
	a.g.type = a.g.unit = a.rename[0].from = a.rename[1].to = a.note[0].text = a.warning[0].text = bad;
	a.g.side[SIDE_BASE].source = list;
	a.g.side[SIDE_BASE].n_files = 2;
	text_draw_gate(&a.g, false, true, &b);
	assert_null(strchr(b.data, '\033'));
	assert_null(strchr(b.data, '\xff'));
	assert_null(strstr(b.data, "\u202e"));
	assert_null(strstr(b.data, "\nx"));
	assert_non_null(strstr(b.data, "x\\x1b[2J\\n\\xff\\u{202e}"));
	buf_release(&b);
}

static void bytes_are_printed_with_samples(void **state)
{
	static struct answer a;
	struct gate_row *r;

	(void)state;
	answer_red(&a);
	a.g.type = "alloc_space";
	a.g.unit = "bytes";
	a.options.normalize = GATE_NONE;
	a.g.total_ratio = NAN;
	r = &a.row[0];
	r->value[SIDE_BASE] = 12 << 20;
	r->value[SIDE_NEW] = 15.5 * (1 << 20);
	expect_part(&a, "type  alloc_space in bytes; relative to the number of profiles\n");
	expect_part(&a, "          12MB -> 15.50MB, 497 -> 614 samples, p=4e-07, score.go:4\n");
}

static void the_meaning_of_a_fail_depends_on_the_options(void **state)
{
	static struct answer a;

	(void)state;
	answer_red(&a);
	a.options.strict = true;
	expect_part(&a, "FAIL: costs more by more than its limit, with 99% confidence over all 61 tests\n");
	a.options.strict = false;
	a.options.adjust = STATS_BH;
	expect_part(&a, "FAIL: costs more except for 1% of such rows; estimate beyond +20%\n");
	a.options.adjust = STATS_UNADJUSTED;
	expect_part(&a, "FAIL: costs more with 99% confidence in each of 61 tests separately; estimate beyond +20%\n");
	a.row[1].limit = .5;
	expect_part(&a, "61 tests separately; estimate beyond its limit\n");
	expect_part(&a, ", 9 within their limits, ");
	a.g.n_tests = 1;
	expect_part(&a, "FAIL: costs more with 99% confidence; estimate");
}

static void an_exceeded_budget_is_not_counted_as_regression(void **state)
{
	static struct answer a;
	struct gate_row *r;

	(void)state;
	answer_start(&a);
	a.g.outcome = GATE_FAILED;
	r = answer_tested(&a, GATE_FAIL, "main.odd", ANSWER_SHARES(.08, .11), ANSWER_RATIO(1.4, .9, 2.1), .3);
	r->reason = "11% is more than its budget of 10% (gate.cpa:3)";
	r = answer_row(&a, GATE_FAIL, "main.fresh", 0, .0973);
	r->reason = "takes more than the 5% that --max-new allows";
	r = answer_row(&a, GATE_OK, "main.tiny", .001, .001);
	r->reason = "below the floors of the test; within its budget";
	expect_part(&a, "cpa gate: FAIL  2 over budget, 0 suspect, 0 within +20%, 0 unresolved\n");
	expect_part(&a, "FAIL           -                -      -   9.7%  cum   main.fresh\n"
			"          0 -> 316 samples\n"
			"          takes more than the 5% that --max-new allows\n\n");
	assert_int_equal(count_part(&a, false, false, "FAIL: costs more"), 0);
}

static void advises_several_runs_if_one_run_is_not_enough(void **state)
{
	static struct answer a;

	(void)state;
	answer_pass(&a);
	a.g.need_samples = INFINITY;
	for (int side = 0; side < N_SIDES; side++)
		a.g.side[side].n_files = 1;
	expect_part(&a, "to detect +30% at 5% share: no length of one run is enough; pass several runs per side\n");
	for (int side = 0; side < N_SIDES; side++)
		a.g.side[side].n_files = 2;
	expect_part(&a, "to detect +30% at 5% share: no length of these runs is enough; pass more runs per side\n");
	a.g.need_samples = 3000;
	a.g.need_seconds = 0;
	expect_part(&a, "to detect +30% at 5% share: 3,000 samples per side; you have 3,205, enough\n");
}

static void changes_have_few_digits_and_are_finite(void **state)
{
	static const struct {
		double ratio;
		const char *text;
	} c[] = {
		{ 1.265, "+26.5%" }, { 0.652, "-34.8%" }, { 1, "+0.0%" },  { 0.99999, "+0.0%" }, { 1.9994, "+99.9%" },
		{ 1.9996, "+100%" }, { 17, "+1600%" },    { 250, "x250" }, { NAN, "-" },         { 0, "-100%" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		text_gate_add_change(c[i].ratio, &b);
		expect_add(&b, c[i].text);
	}
	text_gate_add_interval(1.02, INFINITY, &b);
	expect_add(&b, "+2.0% and up");
	text_gate_add_interval(1.02, 1.4e7, &b);
	expect_add(&b, "+2.0% and up");
	text_gate_add_interval(NAN, NAN, &b);
	expect_add(&b, "-");
	text_gate_add_p(0, &b);
	expect_add(&b, "0");
	text_gate_add_p(.0468, &b);
	expect_add(&b, "0.047");
}

static void shares_with_a_huge_detectable_change_are_reported_as_undetectable(void **state)
{
	static struct answer a;

	(void)state;
	answer_pass(&a);
	a.power[0].ratio = 9.9;
	a.power[1].ratio = 54.3;
	a.power[2].ratio = 1.2e8;
	a.power[3].ratio = INFINITY;
	expect_part(&a, "80% power to detect: +890% at 20% share, x54 at 10%, nothing at 5% or less\n");
}

static void a_line_lists_as_many_sources_as_fit(void **state)
{
	static struct answer a;
	static const char *const path[] = { "/a/path/of/forty/characters/in/all/n.pb.gz",
					    "/a/path/of/forty/characters/in/all/m.pb.gz", "c" };

	(void)state;
	answer_pass(&a);
	answer_side(&a, SIDE_BASE, 3, 3163);
	a.g.side[SIDE_BASE].source = path;
	expect_part(
		&a,
		"base  3,163 samples in 3 profiles, 10.50s: /a/path/of/forty/characters/in/all/n.pb.gz and 2 more\n");
	a.g.side[SIDE_BASE].source = path + 2;
	a.g.side[SIDE_BASE].n_files = 1;
	expect_part(&a, "base  3,163 samples, 10.50s: c\n");
}

static void counts_have_thousands_separators(void **state)
{
	struct buf b = { 0 };

	(void)state;
	text_gate_add_count(0.37, &b);
	expect_add(&b, "0.4");
	text_gate_add_count(0, &b);
	expect_add(&b, "0");
	text_gate_add_count(999.4, &b);
	expect_add(&b, "999");
	text_gate_add_count(999.6, &b);
	expect_add(&b, "1,000");
	text_gate_add_count(-1234567, &b);
	expect_add(&b, "-1,234,567");
	text_gate_add_count(1e300, &b);
	expect_add(&b, "1e+300");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failed_row_shows_name_change_and_interval),
		cmocka_unit_test(a_pass_claims_no_more_than_was_tested),
		cmocka_unit_test(an_inconclusive_result_shows_a_reason_and_advice),
		cmocka_unit_test(a_result_without_tests_begins_with_the_reason),
		cmocka_unit_test(exact_counts_are_printed_without_a_number_of_samples),
		cmocka_unit_test(different_programs_are_reported),
		cmocka_unit_test(names_of_23_characters_fit_into_80_columns),
		cmocka_unit_test(passing_rows_are_listed_only_with_all),
		cmocka_unit_test(new_rows_are_limited_but_every_fail_is_listed),
		cmocka_unit_test(the_name_of_a_fail_is_never_shortened),
		cmocka_unit_test(colour_marks_verdicts_and_changes),
		cmocka_unit_test(text_from_profiles_is_escaped),
		cmocka_unit_test(bytes_are_printed_with_samples),
		cmocka_unit_test(the_meaning_of_a_fail_depends_on_the_options),
		cmocka_unit_test(an_exceeded_budget_is_not_counted_as_regression),
		cmocka_unit_test(advises_several_runs_if_one_run_is_not_enough),
		cmocka_unit_test(changes_have_few_digits_and_are_finite),
		cmocka_unit_test(shares_with_a_huge_detectable_change_are_reported_as_undetectable),
		cmocka_unit_test(a_line_lists_as_many_sources_as_fit),
		cmocka_unit_test(counts_have_thousands_separators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
