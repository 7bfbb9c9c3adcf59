/*
 * test_gate_config.c - lines of gate.cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_gate_options.h"

static int read_text(struct gate_options *options, const char *text, struct err *err)
{
	*options = (struct gate_options){ .mem = arena_new() };
	return gate_config_read(options, text, strlen(text), "gate.cpa", TODAY, err);
}

static void understands(struct gate_options *options, const char *text)
{
	struct err err;

	if (read_text(options, text, &err) < 0)
		fail_msg("%s", err.msg);
}

static void refuses(const char *text, const char *sentence)
{
	struct gate_options options;
	struct err err = { 0 };

	assert_int_equal(read_text(&options, text, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
	gate_options_release(&options);
}

static void close_to(double a, double b)
{
	if (!(a - b < 1e-12 && b - a < 1e-12))
		fail_msg("%.15g is not %.15g", a, b);
}

static void every_kind_of_line_is_read(void **state)
{
	struct gate_options options;
	const struct gate_rule *r;

	(void)state;
	understands(&options, "\xef\xbb\xbflimit ^db\\. 50%  # the disk is slow\n"
			      "\tallow ^main\\.pack$   until=2026-12-31 #  new format, see 1234 \r\n"
			      "\n# rules that concern us\n"
			      "budget json 5%\n"
			      "gate ^main\\.\n"
			      "noise hash 0.1\n"
			      "rename \"a\\.b\" c.d");
	assert_int_equal(options.n_rules, 6);
	r = options.rule;
	assert_int_equal(r[0].kind, GATE_LIMIT);
	assert_string_equal(r[0].pattern, "^db\\.");
	close_to(r[0].amount, 0.5);
	assert_string_equal(r[0].file, "gate.cpa");
	assert_int_equal(r[0].line, 1);
	assert_int_equal(r[1].kind, GATE_ALLOW);
	assert_string_equal(r[1].until, "2026-12-31");
	assert_string_equal(r[1].reason, "new format, see 1234");
	assert_int_equal(r[2].kind, GATE_BUDGET);
	close_to(r[2].amount, 0.05);
	assert_int_equal(r[3].kind, GATE_ONLY);
	assert_int_equal(r[4].kind, GATE_NOISE);
	close_to(r[4].amount, 0.1);
	assert_int_equal(r[5].kind, GATE_RENAME);
	assert_string_equal(r[5].pattern, "a\\.b");
	assert_string_equal(r[5].to, "c.d");
	assert_int_equal(r[5].line, 8);
	gate_options_release(&options);
}

static void lines_set_options(void **state)
{
	struct gate_options options;

	(void)state;
	understands(&options, "threshold 25%\nconfidence 95%\nmin-share 2%\nmin-samples 60\nnormalize none\n"
			      "evidence threshold\nneed 5%:1.5\nmax-new 3%\ninconclusive 3\nadjust none\nnoise 4%\n"
			      "runtime warn\nfold ^tick$\n");
	close_to(options.threshold, 0.25);
	close_to(options.confidence, 0.95);
	close_to(options.min_share, 0.02);
	close_to(options.min_samples, 60);
	assert_int_equal(options.normalize, GATE_NONE);
	assert_true(options.strict && options.has_need && options.runtime == GATE_RUNTIME_WARN && options.fold);
	close_to(options.max_new, 0.03);
	assert_int_equal(options.inconclusive, 3);
	assert_int_equal(options.adjust, STATS_UNADJUSTED);
	close_to(options.noise, 0.04);
	assert_int_equal(options.n_rules, 0);
	gate_options_release(&options);
}

static void quotes_keep_blanks_and_backslashes(void **state)
{
	struct gate_options options;

	(void)state;
	understands(&options, "gate \"operator new\\[\\]\"\ngate \"a\\\"b # c\" # d\ngate a#b\ngate \"#\"");
	assert_string_equal(options.rule[0].pattern, "operator new\\[\\]");
	assert_string_equal(options.rule[1].pattern, "a\"b # c");
	assert_string_equal(options.rule[2].pattern, "a#b");
	assert_string_equal(options.rule[3].pattern, "#");
	gate_options_release(&options);
	refuses("gate \"abc", "gate.cpa:1: missing closing quote");
	refuses("gate \"abc\"d", "gate.cpa:1: closing quote within a word; write \\\" for a quote");
	refuses("gate a b c d", "gate.cpa:1: too many words; quote an expression with blanks");
}

static void an_allow_line_is_valid_through_its_last_day(void **state)
{
	struct gate_options options;

	(void)state;
	understands(&options, "allow a until=2026-11-21 # x\nallow b until=2026-11-22 # x\nallow c # x\n"
			      "allow d until=2028-02-29 # x");
	assert_true(options.rule[0].is_expired);
	assert_false(options.rule[1].is_expired);
	assert_false(options.rule[2].is_expired);
	assert_string_equal(options.rule[2].until, "");
	assert_false(options.rule[3].is_expired);
	gate_options_release(&options);
}

static void an_allow_line_needs_a_reason_and_a_valid_date(void **state)
{
	(void)state;
	refuses("\n\nallow x until=2026-12-31", "gate.cpa:3: allow: missing reason; add it after a #: allow x # ...");
	refuses("allow x #  ", "gate.cpa:1: allow: missing reason; add it after a #: allow x # ...");
	refuses("allow x until=2026-13-01 # y",
		"gate.cpa:1: allow: until=2026-13-01: not a date; write until=2026-12-31");
	refuses("allow x until=2026-02-29 # y",
		"gate.cpa:1: allow: until=2026-02-29: not a date; write until=2026-12-31");
	refuses("allow x until=2026-1-1 # y", "gate.cpa:1: allow: until=2026-1-1: not a date; write until=2026-12-31");
	refuses("allow x until= # y", "gate.cpa:1: allow: until=: not a date; write until=2026-12-31");
	refuses("allow x forever # y", "gate.cpa:1: allow: forever: expected until=DATE");
}

static void invalid_lines_are_reported_with_their_number(void **state)
{
	(void)state;
	refuses("# fine\nlimt x 50%", "gate.cpa:2: unknown keyword limt; expected limit, allow, budget, gate, noise, "
				      "rename, or an option without --");
	refuses("look 1/2", "gate.cpa:1: unknown keyword look; expected limit, allow, budget, gate, noise, rename, or "
			    "an option without --");
	refuses("limit x", "gate.cpa:1: expected limit REGEX PERCENT; quote an expression with blanks");
	refuses("limit x y 50%", "gate.cpa:1: expected limit REGEX PERCENT; quote an expression with blanks");
	refuses("limit x 50", "gate.cpa:1: limit ... 50: write 50%, or a number up to 1");
	refuses("budget x 100%", "gate.cpa:1: budget ... 100%: must be less than 100%");
	refuses("limit [ 50%", "gate.cpa:1: limit [: error parsing regexp: missing closing ]: `[`");
	refuses("gate \"\"", "gate.cpa:1: gate : an empty expression matches every function; write . to match all");
	refuses("rename a \"\"", "gate.cpa:1: rename: the new name is empty");
	refuses("threshold", "gate.cpa:1: expected threshold VALUE");
	refuses("threshold 20% 30%", "gate.cpa:1: expected threshold VALUE");
	refuses("threshold abc", "gate.cpa:1: threshold abc: not a percentage; write 20% or 0.2");
	refuses("inconclusive 2", "gate.cpa:1: inconclusive 2: must be 0, 1 or 3");
}

static void a_binary_file_is_refused(void **state)
{
	static const char text[] = "gate a\ngate b\0c";
	struct gate_options options = { .mem = arena_new() };
	struct err err;

	(void)state;
	assert_int_equal(gate_config_read(&options, text, sizeof(text) - 1, "gate.cpa", TODAY, &err), ERR_USAGE);
	assert_string_equal(err.msg, "gate.cpa:2: not a text file");
	gate_options_release(&options);
}

static void a_file_has_at_most_a_thousand_expressions(void **state)
{
	struct gate_options options;
	struct buf text = { 0 };
	struct err err;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_addf(&text, "gate a%d\n", i);
	understands(&options, buf_text(&text));
	assert_int_equal(options.n_rules, 1000);
	gate_options_release(&options);
	buf_addz(&text, "gate b\n");
	assert_int_equal(read_text(&options, buf_text(&text), &err), ERR_USAGE);
	assert_string_equal(err.msg, "gate.cpa:1001: more than 1000 expressions");
	gate_options_release(&options);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_line_is_read),
		cmocka_unit_test(lines_set_options),
		cmocka_unit_test(quotes_keep_blanks_and_backslashes),
		cmocka_unit_test(an_allow_line_is_valid_through_its_last_day),
		cmocka_unit_test(an_allow_line_needs_a_reason_and_a_valid_date),
		cmocka_unit_test(invalid_lines_are_reported_with_their_number),
		cmocka_unit_test(a_binary_file_is_refused),
		cmocka_unit_test(a_file_has_at_most_a_thousand_expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
