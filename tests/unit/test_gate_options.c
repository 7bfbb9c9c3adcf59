/*
 * test_gate_options.c - options of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/make_gate_options.h"

static void close_to(double a, double b)
{
	if (!(a - b < 1e-12 && b - a < 1e-12))
		fail_msg("%.15g is not %.15g", a, b);
}

static void understands(struct query *q, struct gate_options *options)
{
	struct err err;

	if (gate_options_make(q, TODAY, options, &err) < 0)
		fail_msg("%s", err.msg);
}

/* Expect an error for the options of a query, and release it. */
static void refuses(const char *sentence, struct query *q)
{
	struct gate_options options;
	struct err err = { 0 };

	assert_int_equal(gate_options_make(q, TODAY, &options, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
	gate_options_release(&options);
	query_release(q);
}

/* Expect an error for one option. */
static void refuses_option(const char *option, const char *sentence)
{
	struct query q;

	ask(&q, option, NULL);
	refuses(sentence, &q);
}

static void defaults_are_those_of_the_method(void **state)
{
	struct gate_options options;
	struct query q;
	bool yes = false;

	(void)state;
	ask(&q, NULL);
	understands(&q, &options);
	close_to(options.threshold, 0.2);
	close_to(options.confidence, 0.99);
	close_to(options.alpha, 0.01);
	close_to(options.alpha_suspect, 0.1);
	assert_false(options.strict);
	assert_int_equal(options.normalize, GATE_BULK);
	close_to(options.min_share, 0.01);
	close_to(options.min_samples, 40);
	close_to(options.noise, 0.02);
	assert_int_equal(options.adjust, STATS_HOLM);
	assert_false(options.has_need);
	close_to(options.need_share, 0.1);
	close_to(options.need_ratio, 1.5);
	close_to(options.max_new, 0.05);
	assert_int_equal(options.inconclusive, 3);
	assert_int_equal(options.n_rules, 0);
	assert_int_equal(options.runtime, GATE_RUNTIME_WORK);
	assert_int_equal(regex_match(options.fold, "runtime.asyncPreempt2", 21, &yes, NULL), 0);
	assert_true(yes);
	gate_options_release(&options);
	query_release(&q);
}

static void options_are_parsed(void **state)
{
	struct gate_options options;
	struct query q;

	(void)state;
	ask(&q, "threshold=0.15", "confidence=95%", "evidence=threshold", "min_share=0.5%", "min_samples=100",
	    "need=5%:+30%", "max_new=0%", "normalize=duration", "inconclusive=3", "adjust=bh", "noise=5%",
	    "fold=", "runtime=warn", "exact_names", "look=2/3", NULL);
	understands(&q, &options);
	close_to(options.threshold, 0.15);
	close_to(options.alpha, 0.05 / 3);
	close_to(options.alpha_suspect, 0.1 / 3);
	assert_true(options.strict);
	close_to(options.min_share, 0.005);
	close_to(options.min_samples, 100);
	assert_true(options.has_need);
	close_to(options.need_share, 0.05);
	close_to(options.need_ratio, 1.3);
	assert_true(options.max_new > 0 && options.max_new < 1e-8);
	assert_int_equal(options.normalize, GATE_DURATION);
	assert_int_equal(options.inconclusive, 3);
	assert_int_equal(options.adjust, STATS_BH);
	close_to(options.noise, 0.05);
	assert_null(options.fold);
	assert_true(options.runtime == GATE_RUNTIME_WARN && options.exact_names);
	assert_int_equal(options.look, 2);
	assert_int_equal(options.looks, 3);
	gate_options_release(&options);
	query_release(&q);
}

static void ambiguous_percentages_are_refused(void **state)
{
	(void)state;
	refuses_option("threshold=abc", "--threshold=abc: not a percentage; write 20% or 0.2");
	refuses_option("threshold=", "--threshold=: not a percentage; write 20% or 0.2");
	refuses_option("threshold=-5%", "--threshold=-5%: not a percentage; write 20% or 0.2");
	refuses_option("threshold=nan", "--threshold=nan: not a percentage; write 20% or 0.2");
	refuses_option("threshold=0x1p3", "--threshold=0x1p3: not a percentage; write 20% or 0.2");
	refuses_option("threshold=1.2.3%", "--threshold=1.2.3%: not a percentage; write 20% or 0.2");
	refuses_option("threshold=20", "--threshold=20: write 20%, or a number up to 1");
	refuses_option("threshold=100000%", "--threshold=100000%: must be less than 100000%");
	refuses_option("confidence=50%", "--confidence=50%: must be more than 50% and less than 100%");
	refuses_option("confidence=100%", "--confidence=100%: must be more than 50% and less than 100%");
	refuses_option("min_share=100%", "--min-share=100%: must be less than 100%");
	refuses_option("noise=100%", "--noise=100%: must be less than 100%");
	refuses_option("max_new=100%", "--max-new=100%: must be less than 100%");
	refuses_option("min_samples=many", "--min-samples=many: not a number of samples");
}

static void unknown_words_are_refused_with_the_valid_ones(void **state)
{
	(void)state;
	refuses_option("normalize=foo", "--normalize=foo: must be bulk, rest, work, none, duration or share");
	refuses_option("normalize=label:n", "--normalize=label:n: must be bulk, rest, work, none, duration or share");
	refuses_option("evidence=none", "--evidence=none: must be change or threshold");
	refuses_option("adjust=bonferroni", "--adjust=bonferroni: must be holm, bh or none");
	refuses_option("runtime=skip", "--runtime=skip: must be work, fail or warn");
	refuses_option("inconclusive=2", "--inconclusive=2: must be 0, 1 or 3");
	refuses_option("look=3/2", "--look=3/2: expected K/N for interim check K of N, such as 2/3; N is at most 100");
	refuses_option("look=0/2", "--look=0/2: expected K/N for interim check K of N, such as 2/3; N is at most 100");
	refuses_option("look=1.5/2",
		       "--look=1.5/2: expected K/N for interim check K of N, such as 2/3; N is at most 100");
	refuses_option("fold=(", "--fold=(: error parsing regexp: missing closing ): `(`");
}

static void refuses_need_within_the_threshold(void **state)
{
	(void)state;
	refuses_option("need=5%", "--need=5%: expected SHARE:RATIO, such as 5%:1.3 or 5%:+30%");
	refuses_option("need=5%:", "--need=5%:: expected SHARE:RATIO, such as 5%:1.3 or 5%:+30%");
	refuses_option("need=5%:30%", "--need=5%:30%: the ratio must be more than 1, as in 5%:1.3 or 5%:+30%");
	refuses_option("need=5%:0.9", "--need=5%:0.9: the ratio must be more than 1, as in 5%:1.3 or 5%:+30%");
	refuses_option("need=5%:+0%", "--need=5%:+0%: the ratio must be more than 1, as in 5%:1.3 or 5%:+30%");
	refuses_option("need=0%:1.3", "--need=0%: must be a share of more than 0% and less than 100%");
	refuses_option("need=5%:1.1",
		       "need: x1.1 is within the threshold of +20%, so no number of samples can detect it");
}

static void two_names_of_an_option_must_not_contradict_each_other(void **state)
{
	struct gate_options options;
	struct query q;

	(void)state;
	ask(&q, "threshold=10%", "max_regress=15%", NULL);
	refuses("--threshold=10% and --max-regress=15% are the same option: choose one", &q);
	ask(&q, "threshold=15%", "max_regress=0.15", NULL);
	understands(&q, &options);
	close_to(options.threshold, 0.15);
	gate_options_release(&options);
	query_release(&q);
	ask(&q, "max_regress=30%", NULL);
	understands(&q, &options);
	close_to(options.threshold, 0.3);
	gate_options_release(&options);
	query_release(&q);
}

static void work_must_be_given_for_both_sides_or_neither(void **state)
{
	struct gate_options options;
	struct query q;

	(void)state;
	ask(&q, "work_base=1000", "work_new=many", NULL);
	refuses("--work-new=many: expected a number above 0", &q);
	ask(&q, "work_base=1000", "work_new=1e999", NULL);
	refuses("--work-new=1e999: expected a number above 0", &q);
	ask(&q, "work_base=0", "work_new=10", NULL);
	refuses("--work-base=0: expected a number above 0", &q);
	ask(&q, "work_base=1000", NULL);
	refuses("--work-base without --work-new; pass both", &q);
	ask(&q, "work_new=1000", "work_base=", NULL);
	refuses("--work-new without --work-base; pass both", &q);
	ask(&q, "normalize=work", NULL);
	refuses("--normalize=work needs --work-base and --work-new", &q);
	ask(&q, "normalize=bulk", "work_base=1", "work_new=1", NULL);
	refuses("--work-base and --normalize=bulk contradict each other", &q);
	ask(&q, "work_base=1e3", "work_new=2000.5", NULL);
	understands(&q, &options);
	assert_int_equal(options.normalize, GATE_WORK);
	close_to(options.work[SIDE_BASE], 1000);
	close_to(options.work[SIDE_NEW], 2000.5);
	gate_options_release(&options);
	query_release(&q);
}

static void normalize_without_a_value_compares_shares(void **state)
{
	static const char *const word[] = { "normalize", "normalize=total", "normalize=share" };
	struct gate_options options;
	struct query q;

	(void)state;
	for (int i = 0; i < 3; i++) {
		ask(&q, word[i], NULL);
		understands(&q, &options);
		assert_int_equal(options.normalize, GATE_SHARE);
		gate_options_release(&options);
		query_release(&q);
	}
}

static void a_limit_is_split_at_the_last_equals_sign_and_a_rename_at_the_first(void **state)
{
	struct gate_options options;
	struct query q;
	bool yes;

	(void)state;
	ask(&q, "limit=operator==50%", "rename=a(.)c=x=$1", NULL);
	understands(&q, &options);
	assert_int_equal(options.n_rules, 2);
	assert_int_equal(options.rule[0].kind, GATE_LIMIT);
	assert_string_equal(options.rule[0].pattern, "operator=");
	close_to(options.rule[0].amount, 0.5);
	assert_string_equal(options.rule[0].file, "--limit");
	assert_int_equal(options.rule[0].line, 0);
	assert_int_equal(options.rule[1].kind, GATE_RENAME);
	assert_string_equal(options.rule[1].pattern, "a(.)c");
	assert_string_equal(options.rule[1].to, "x=$1");
	assert_int_equal(regex_match(options.rule[1].regex, "abc", 3, &yes, NULL), 0);
	assert_true(yes);
	assert_int_equal(regex_match(options.rule[1].regex, "abcd", 4, &yes, NULL), 0);
	assert_false(yes); /* the expression must match the whole name */
	gate_options_release(&options);
	query_release(&q);
}

static void invalid_limits_and_renames_are_refused(void **state)
{
	(void)state;
	refuses_option("limit=abc", "--limit=abc: expected REGEX=PERCENT, such as --limit='^main\\.=50%'");
	refuses_option("limit=abc=x", "--limit=...=x: not a percentage; write 20% or 0.2");
	refuses_option("limit=[=50%", "--limit=[=50%: error parsing regexp: missing closing ]: `[`");
	refuses_option("limit==50%", "--limit==50%: an empty expression matches every function; write . to match all");
	refuses_option("rename=abc", "--rename=abc: expected OLD=NEW");
	refuses_option("rename=abc=", "--rename=abc=: expected OLD=NEW");
	refuses_option("rename=(a)=$2", "--rename=(a)=$2: $2: the expression has only 1 groups");
	refuses_option("rename=(a)=$1x", "--rename=(a)=$1x: $1x: use group numbers, $1 or ${1}; $$ is a dollar sign");
	refuses_option("rename=a)|(b=c", "--rename=a)|(b=c: error parsing regexp: unexpected ): `a)|(b`");
}

static void the_command_line_overrides_the_file(void **state)
{
	char path[] = "/tmp/gate.XXXXXX", option[64];
	static const char text[] = "threshold 30%\nconfidence 95%\nnormalize share\nlimit a 10%\n";
	int fd = mkstemp(path);
	struct gate_options options;
	struct query q;

	(void)state;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	snprintf(option, sizeof(option), "config=%s", path);
	ask(&q, option, "threshold=20%", "limit=a=40%", "work_base=1", "work_new=2", NULL);
	understands(&q, &options);
	close_to(options.threshold, 0.2); /* normalize was given, with the default value */
	close_to(options.confidence, 0.95);
	assert_int_equal(options.normalize, GATE_WORK);
	assert_int_equal(options.n_rules, 2);
	close_to(options.rule[1].amount, 0.4); /* the last match is used */
	gate_options_release(&options);
	query_release(&q);
	unlink(path);
}

static void a_missing_file_is_an_error(void **state)
{
	struct gate_options options;
	struct query q;
	struct err err;

	(void)state;
	ask(&q, "config=/nowhere/gate.cpa", NULL);
	assert_int_equal(gate_options_make(&q, TODAY, &options, &err), ERR_IO);
	assert_string_equal(err.msg, "--config=/nowhere/gate.cpa: No such file or directory");
	gate_options_release(&options);
	query_release(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_the_method),
		cmocka_unit_test(options_are_parsed),
		cmocka_unit_test(ambiguous_percentages_are_refused),
		cmocka_unit_test(unknown_words_are_refused_with_the_valid_ones),
		cmocka_unit_test(refuses_need_within_the_threshold),
		cmocka_unit_test(two_names_of_an_option_must_not_contradict_each_other),
		cmocka_unit_test(work_must_be_given_for_both_sides_or_neither),
		cmocka_unit_test(normalize_without_a_value_compares_shares),
		cmocka_unit_test(a_limit_is_split_at_the_last_equals_sign_and_a_rename_at_the_first),
		cmocka_unit_test(invalid_limits_and_renames_are_refused),
		cmocka_unit_test(the_command_line_overrides_the_file),
		cmocka_unit_test(a_missing_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
