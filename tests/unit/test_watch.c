/*
 * test_watch.c - the windows that cpa watch compares, and its earlier alarms
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "watch/plan.h"
#include "watch/reported.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOUR NS_PER_HOUR
#define DAY NS_PER_DAY
#define START (20000 * DAY)

static const struct watch_rules rules = { .every_ns = 6 * HOUR, .settle_ns = HOUR / 12, .days = 7, .alarms = 0.01 };

/* Append a check as hours since START: "96..102 base 78 54 30". */
static int print_look(void *arg, const struct watch_check *l, struct err *err)
{
	struct buf *out = arg;

	(void)err;
	buf_addf(out, "%s%.2f..%.2f", l->deploy ? l->deploy->text : "", (double)(l->new.t0 - START) / (double)HOUR,
		 (double)(l->new.t1 - START) / (double)HOUR);
	buf_addz(out, l->has_profiles ? " base" : " empty");
	for (size_t i = 0; i < l->n_base; i++) {
		assert_int_equal(l->base[i].t1 - l->base[i].t0, l->new.t1 - l->new.t0);
		buf_addf(out, " %.2f", (double)(l->base[i].t0 - START) / (double)HOUR);
	}
	buf_addz(out, "\n");
	return 0;
}

/* The checks in a time given in hours, with a profile every hour of n days. */
static void expect_looks(int days, const struct watch_deploy *deploy, size_t n_deploys, double from, double until,
			 const char *expected)
{
	size_t n = (size_t)days * 24;
	int64_t *start = mem_alloc(n, sizeof(*start));
	struct watch_history h = { start, n, deploy, n_deploys };
	struct buf got = { 0 };
	struct err err;

	for (size_t i = 0; i < n; i++)
		start[i] = START + (int64_t)i * HOUR + HOUR / 2;
	assert_int_equal(watch_plan(&rules, &h, START + (int64_t)(from * (double)HOUR),
				    START + (int64_t)(from * (double)HOUR), START + (int64_t)(until * (double)HOUR),
				    print_look, &got, &err),
			 0);
	assert_string_equal(buf_text(&got), expected);
	buf_release(&got);
	free(start);
}

static void windows_are_compared_with_the_same_hours_of_earlier_days(void **state)
{
	(void)state;
	expect_looks(5, NULL, 0, 96, 108,
		     "96.00..102.00 base 72.00 48.00 24.00 0.00\n102.00..108.00 base 78.00 54.00 30.00 6.00\n");
	/* a day as a whole, and a window without profiles */
	expect_looks(5, NULL, 0, 119, 126,
		     "114.00..120.00 base 90.00 66.00 42.00 18.00\n96.00..120.00 base 72.00 48.00 24.00 0.00\n"
		     "120.00..126.00 empty 96.00 72.00 48.00 24.00 0.00\n");
	expect_looks(20, NULL, 0, 400, 402, "396.00..402.00 base 372.00 348.00 324.00 300.00 276.00 252.00 228.00\n");
	expect_looks(5, NULL, 0, 96, 101, "");
}

static void a_deploy_is_compared_with_the_time_before_it(void **state)
{
	const struct watch_deploy one[] = { { START + 96 * HOUR, "a " } };
	const struct watch_deploy close[] = { { START + 90 * HOUR, "a " },
					      { START + 92 * HOUR, "b " },
					      { START + 96 * HOUR, "c " } };

	(void)state;
	expect_looks(5, one, 1, 102, 103,
		     "a 96.08..102.08 base 90.00 84.00 78.00 72.00 66.00 60.00 72.08 48.08 24.08 0.08\n");
	/* a is followed by b after 2 hours; the window of b is cut when c begins */
	expect_looks(5, close, 3, 95, 96,
		     "b 92.08..96.00 base 88.08 84.17 80.25 76.33 72.42 68.50 68.08 44.08 20.08\n90.00..96.00 base "
		     "66.00 42.00 18.00\n72.00..96.00 base 48.00 24.00 0.00\n");
}

static int stop_at_once(void *arg, const struct watch_check *l, struct err *err)
{
	(void)l;
	++*(int *)arg;
	return err_set(err, ERR_STOPPED, "stopped");
}

static void the_first_failure_ends_the_looks(void **state)
{
	const struct watch_history h = { 0 };
	struct err err;
	int n = 0;

	(void)state;
	assert_int_equal(watch_plan(&rules, &h, START, START, START + DAY, stop_at_once, &n, &err), ERR_STOPPED);
	assert_int_equal(n, 1);
}

static void each_look_has_its_part_of_the_false_alarms(void **state)
{
	struct watch_rules daily = rules;

	(void)state;
	/* 30 days of four windows and one day each, and 30 deploys */
	assert_true(fabs(watch_confidence(&rules, 0) - (1 - 0.01 / 180)) < 1e-12);
	assert_true(fabs(watch_confidence(&rules, 130) - (1 - 0.01 / 280)) < 1e-12);
	daily.every_ns = DAY;
	assert_true(fabs(watch_confidence(&daily, 0) - (1 - 0.01 / 60)) < 1e-12);
}

static void note(struct watch_reported *t, int64_t time_ns, const char *kind, const char *function)
{
	struct buf text = { 0 };

	watch_reported_add_function(kind, 41.4, function, &text);
	watch_reported_note(t, buf_text(&text), time_ns);
	buf_release(&text);
}

static void marks_remember_functions_and_deploys(void **state)
{
	struct watch_reported t = { .kind = "cpu" };
	struct buf text = { 0 };
	char longest[1000];

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	note(&t, 10, "cpu", "operator new(unsigned long)");
	note(&t, 10, "heap", "grow");
	note(&t, 20, "cpu", "a\nb");
	note(&t, 20, "cpu", longest);
	assert_true(watch_reported_function(&t, "operator new(unsigned long)", 10));
	assert_false(watch_reported_function(&t, "operator new(unsigned long)", 11));
	assert_false(watch_reported_function(&t, "operator new", 0));
	assert_false(watch_reported_function(&t, "grow", 0));
	assert_true(watch_reported_function(&t, "a\nb", 0));
	assert_true(watch_reported_function(&t, longest, 0));

	watch_reported_add_deploy("cpu", "PASS", "2.4.0 of shop", &text);
	assert_string_equal(buf_text(&text), "cpu PASS deploy 2.4.0 of shop");
	watch_reported_note(&t, buf_text(&text), 30);
	assert_true(watch_reported_deploy(&t, "2.4.0 of shop", 30));
	assert_false(watch_reported_deploy(&t, "2.4.0 of shop", 31));
	assert_false(watch_reported_deploy(&t, "2.4.0", 30));
	assert_false(watch_reported_function(&t, "deploy 2.4.0 of shop", 0));
	watch_reported_note(&t, "cpu", 1); /* marks that a user set */
	watch_reported_note(&t, "cpu FAIL +", 1);
	watch_reported_note(&t, "", 1);
	assert_false(watch_reported_function(&t, "", 0));
	buf_release(&text);
	watch_reported_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_compared_with_the_same_hours_of_earlier_days),
		cmocka_unit_test(a_deploy_is_compared_with_the_time_before_it),
		cmocka_unit_test(the_first_failure_ends_the_looks),
		cmocka_unit_test(each_look_has_its_part_of_the_false_alarms),
		cmocka_unit_test(marks_remember_functions_and_deploys),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
