/*
 * test_gate_options.c - the options of a gate
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

/* Options that are refused with this sentence. */
static void refuses(const char *sentence, struct query *q)
{
	struct gate_options options;
	struct err err = { 0 };

	assert_int_equal(gate_options_make(q, TODAY, &options, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
	gate_options_release(&options);
	query_release(q);
}

/* The same of one option. */
static void refuses_one(const char *option, const char *sentence)
{
	struct query q;

	ask(&q, option, NULL);
	refuses(sentence, &q);
}

static void without_options_it_is_the_method_as_it_was_studied(void **state)
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
	close_to(options.max_new, 0);
	assert_int_equal(options.inconclusive, 0);
	assert_int_equal(options.n_rules, 0);
	assert_false(options.warn_runtime);
	assert_int_equal(regex_match(options.fold, "runtime.asyncPreempt2", 21, &yes, NULL), 0);
	assert_true(yes);
	gate_options_release(&options);
	query_release(&q);
}

static void options_are_understood(void **state)
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
	assert_true(options.warn_runtime && options.exact_names);
	assert_int_equal(options.look, 2);
	assert_int_equal(options.looks, 3);
	gate_options_release(&options);
	query_release(&q);
}

static void percentages_that_could_be_something_else_are_refused(void **state)
{
	(void)state;
	refuses_one("threshold=abc", "--threshold=abc: not a percentage; write 20% or 0.2");
	refuses_one("threshold=", "--threshold=: not a percentage; write 20% or 0.2");
	refuses_one("threshold=-5%", "--threshold=-5%: not a percentage; write 20% or 0.2");
	refuses_one("threshold=nan", "--threshold=nan: not a percentage; write 20% or 0.2");
	refuses_one("threshold=0x1p3", "--threshold=0x1p3: not a percentage; write 20% or 0.2");
	refuses_one("threshold=1.2.3%", "--threshold=1.2.3%: not a percentage; write 20% or 0.2");
	refuses_one("threshold=20", "--threshold=20: is that 20%? write the % sign, or a number up to 1");
	refuses_one("threshold=100000%", "--threshold=100000%: choose less than 100000%");
	refuses_one("confidence=50%", "--confidence=50%: choose more than 50% and less than 100%");
	refuses_one("confidence=100%", "--confidence=100%: choose more than 50% and less than 100%");
	refuses_one("min_share=100%", "--min-share=100%: choose less than 100%");
	refuses_one("noise=100%", "--noise=100%: choose less than 100%");
	refuses_one("max_new=100%", "--max-new=100%: choose less than 100%");
	refuses_one("min_samples=many", "--min-samples=many: not a number of samples");
}

static void words_that_there_are_not_are_refused_with_those_there_are(void **state)
{
	(void)state;
	refuses_one("normalize=foo", "--normalize=foo: choose bulk, rest, work, none, duration or share");
	refuses_one("normalize=label:n", "--normalize=label:n: choose bulk, rest, work, none, duration or share");
	refuses_one("evidence=none", "--evidence=none: choose change or threshold");
	refuses_one("adjust=bonferroni", "--adjust=bonferroni: choose holm, bh or none");
	refuses_one("runtime=skip", "--runtime=skip: choose fail or warn");
	refuses_one("inconclusive=2", "--inconclusive=2: choose 0, 1 or 3");
	refuses_one("look=3/2", "--look=3/2: write K/N for try K of at most N, as in 2/3; N is 100 at most");
	refuses_one("look=0/2", "--look=0/2: write K/N for try K of at most N, as in 2/3; N is 100 at most");
	refuses_one("look=1.5/2", "--look=1.5/2: write K/N for try K of at most N, as in 2/3; N is 100 at most");
	refuses_one("fold=(", "--fold=(: error parsing regexp: missing closing ): `(`");
}

static void a_need_that_no_capture_could_meet_is_refused(void **state)
{
	(void)state;
	refuses_one("need=5%", "--need=5%: write SHARE:RATIO, as in 5%:1.3 or 5%:+30%");
	refuses_one("need=5%:", "--need=5%:: write SHARE:RATIO, as in 5%:1.3 or 5%:+30%");
	refuses_one("need=5%:30%", "--need=5%:30%: the ratio is more than 1, as in 5%:1.3 or 5%:+30%");
	refuses_one("need=5%:0.9", "--need=5%:0.9: the ratio is more than 1, as in 5%:1.3 or 5%:+30%");
	refuses_one("need=5%:+0%", "--need=5%:+0%: the ratio is more than 1, as in 5%:1.3 or 5%:+30%");
	refuses_one("need=0%:1.3", "--need=0%: choose a share of more than 0% and less than 100%");
	refuses_one("need=5%:1.1",
		    "need: x1.1 is within the threshold of +20%, so no number of samples would catch it");
}

static void two_names_of_one_option_may_not_say_different_things(void **state)
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

static void work_is_known_of_both_sides_or_not_at_all(void **state)
{
	struct gate_options options;
	struct query q;

	(void)state;
	ask(&q, "work_base=1000", "work_new=many", NULL);
	refuses("--work-new=many: write a number above 0", &q);
	ask(&q, "work_base=1000", "work_new=1e999", NULL);
	refuses("--work-new=1e999: write a number above 0", &q);
	ask(&q, "work_base=0", "work_new=10", NULL);
	refuses("--work-base=0: write a number above 0", &q);
	ask(&q, "work_base=1000", NULL);
	refuses("--work-base without --work-new: both sides have work, or none", &q);
	ask(&q, "work_new=1000", "work_base=", NULL);
	refuses("--work-new without --work-base: both sides have work, or none", &q);
	ask(&q, "normalize=work", NULL);
	refuses("--normalize=work needs --work-base and --work-new", &q);
	ask(&q, "normalize=bulk", "work_base=1", "work_new=1", NULL);
	refuses("--work-base and --normalize=bulk contradict each other", &q);
	ask(&q, "work_base=1e3", "work_new=2000.5", NULL);
	understands(&q, &options);
	assert_int_equal(options.normalize, GATE_WORK);
	close_to(options.work[STATS_BASE], 1000);
	close_to(options.work[STATS_NEW], 2000.5);
	gate_options_release(&options);
	query_release(&q);
}

static void normalize_alone_compares_shares_as_pprof_does(void **state)
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

static void a_limit_is_parted_at_its_last_sign_and_a_rename_at_its_first(void **state)
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
	assert_false(yes); /* the whole name */
	gate_options_release(&options);
	query_release(&q);
}

static void limits_and_renames_that_cannot_be_understood_are_refused(void **state)
{
	(void)state;
	refuses_one("limit=abc", "--limit=abc: write REGEX=PERCENT, as in --limit='^main\\.=50%'");
	refuses_one("limit=abc=x", "--limit=...=x: not a percentage; write 20% or 0.2");
	refuses_one("limit=[=50%", "--limit=[=50%: error parsing regexp: missing closing ]: `[`");
	refuses_one("limit==50%", "--limit==50%: an empty expression matches every function; write . for all of them");
	refuses_one("rename=abc", "--rename=abc: write OLD=NEW");
	refuses_one("rename=abc=", "--rename=abc=: write OLD=NEW");
	refuses_one("rename=(a)=$2", "--rename=(a)=$2: $2: the expression has 1 groups");
	refuses_one("rename=(a)=$1x",
		    "--rename=(a)=$1x: $1x: groups go by their number, $1 or ${1}, and $$ is a dollar");
	refuses_one("rename=a)|(b=c", "--rename=a)|(b=c: error parsing regexp: unexpected ): `a)|(b`");
}

static void the_command_line_wins_over_the_file(void **state)
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
	close_to(options.threshold, 0.2); /* given, though it is the preset */
	close_to(options.confidence, 0.95);
	assert_int_equal(options.normalize, GATE_WORK);
	assert_int_equal(options.n_rules, 2);
	close_to(options.rule[1].amount, 0.4); /* the last one that matches wins */
	gate_options_release(&options);
	query_release(&q);
	unlink(path);
}

static void a_file_that_is_not_there_is_an_error(void **state)
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
		cmocka_unit_test(without_options_it_is_the_method_as_it_was_studied),
		cmocka_unit_test(options_are_understood),
		cmocka_unit_test(percentages_that_could_be_something_else_are_refused),
		cmocka_unit_test(words_that_there_are_not_are_refused_with_those_there_are),
		cmocka_unit_test(a_need_that_no_capture_could_meet_is_refused),
		cmocka_unit_test(two_names_of_one_option_may_not_say_different_things),
		cmocka_unit_test(work_is_known_of_both_sides_or_not_at_all),
		cmocka_unit_test(normalize_alone_compares_shares_as_pprof_does),
		cmocka_unit_test(a_limit_is_parted_at_its_last_sign_and_a_rename_at_its_first),
		cmocka_unit_test(limits_and_renames_that_cannot_be_understood_are_refused),
		cmocka_unit_test(the_command_line_wins_over_the_file),
		cmocka_unit_test(a_file_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
