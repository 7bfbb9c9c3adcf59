/*
 * test_gate_decide.c - verdicts of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/make_gate.h"

#include <math.h>

/* A gate that was made and its answer. */
struct asked {
	struct made_gate g;
	struct arena *mem;
	struct gate_rows rows;
	struct stats_row *row;
	struct gate out;
};

/* A program of twelve functions that did not change and of what a test adds: 12 x base, 12 x base on the sides. */
static void start(struct asked *a, double base)
{
	char stack[40];

	*a = (struct asked){ .mem = NULL };
	made_start(&a->g);
	for (int i = 0; i < 12; i++) {
		snprintf(stack, sizeof(stack), "part%d main", i);
		made_stack(&a->g, stack, base, base);
	}
}

static void decide(struct asked *a)
{
	const struct stats_options options = { .mode = STATS_BULK,
					       .rho = 1,
					       .strict = a->g.options.strict,
					       .noise = a->g.options.noise,
					       .adjust = a->g.options.adjust };
	struct stats_judged judged;

	a->mem = arena_new();
	gate_rows_make(&a->g.s, a->mem, &a->rows, NULL);
	a->row = mem_alloc((size_t)a->rows.n + 1, sizeof(*a->row));
	stats_judge(&a->rows.counts, &options, a->row, &judged);
	a->out.mem = arena_new();
	gate_decide(&a->g.s, &a->rows, &judged, &a->out);
}

static void finish(struct asked *a, uint32_t n_base, uint32_t n_new)
{
	made_seal(&a->g, n_base, n_new);
	decide(a);
}

static void end(struct asked *a)
{
	gate_release(&a->out);
	free(a->row);
	arena_free(a->mem);
	made_release(&a->g);
}

static const struct gate_row *find(const struct asked *a, const char *name, enum gate_kind kind)
{
	for (uint32_t i = 0; i < a->out.n_rows; i++)
		if (strcmp(a->out.row[i].name, name) == 0 && a->out.row[i].kind == kind)
			return &a->out.row[i];
	return NULL;
}

static void row_is(const struct asked *a, const char *name, enum gate_verdict verdict)
{
	const struct gate_row *r = find(a, name, GATE_CUM);

	if (!r)
		fail_msg("no row of %s", name);
	if (r->verdict != verdict)
		fail_msg("%s is %s and not %s", name, gate_verdict_word(r->verdict), gate_verdict_word(verdict));
}

static const char *message(const struct gate_message *m, uint32_t n, const char *id)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(m[i].id, id) == 0)
			return m[i].text;
	return "";
}

static const char *warning(const struct asked *a, const char *id)
{
	return message(a->out.warning, a->out.n_warnings, id);
}

static const char *note(const struct asked *a, const char *id)
{
	return message(a->out.note, a->out.n_notes, id);
}

/* The file of a test that may be changed. */
static struct gate_file *file(struct asked *a, uint32_t i)
{
	return (struct gate_file *)&a->g.s.file[i];
}

static void what_did_not_change_passes(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_int_equal(a.out.status, 0);
	row_is(&a, "part3", GATE_OK);
	assert_int_equal(a.out.n_verdict[GATE_FAIL] + a.out.n_verdict[GATE_SUSPECT], 0);
	assert_true(a.out.n_tests >= 12);
	end(&a);
}

static void a_slower_function_fails_and_a_faster_one_is_told(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	made_stack(&a.g, "slower main", 250, 600);
	made_stack(&a.g, "quick main", 600, 200);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_RED);
	assert_int_equal(a.out.status, 1);
	row_is(&a, "slow", GATE_FAIL);
	row_is(&a, "quick", GATE_IMPROVED);
	assert_string_equal(a.out.row[0].name, "slower"); /* the largest regression first */
	assert_string_equal(a.out.row[1].name, "slow");
	assert_string_equal(a.out.row[0].reason, "");
	assert_true(fabs(a.out.row[0].ratio - 2.4) < 0.1);
	assert_string_equal(note(&a, "update_baseline"), "cheaper than before: quick; a new base keeps it so");
	end(&a);
}

static void what_may_be_chance_is_suspect_and_no_pass(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	a.g.options.inconclusive = 3;
	made_stack(&a.g, "odd main", 100, 145);
	finish(&a, 1, 1);
	row_is(&a, "odd", GATE_SUSPECT);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_int_equal(a.out.status, 3);
	assert_true(*note(&a, "retry"));
	end(&a);
}

static void a_gate_that_cannot_test_anything_does_not_pass(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 1);
	finish(&a, 1, 1);
	assert_int_equal(a.out.n_tests, 0);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_string_equal(warning(&a, "few_samples"),
			    "base has 12 samples, and below 1,000 little can be seen: capture longer, or more runs");
	end(&a);
}

static void a_change_within_the_threshold_does_not_fail(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 30000);
	made_stack(&a.g, "slightly main", 30000, 34500);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_true(find(&a, "slightly", GATE_CUM)->p_adjusted < 0.01);
	end(&a);
}

static void a_function_has_its_own_limit(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	made_rule(&a.g, GATE_LIMIT, "^slow$", 1);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_true(fabs(find(&a, "slow", GATE_CUM)->limit - 1) < 1e-9);
	assert_string_equal(warning(&a, "unused"), "");
	end(&a);
}

static void what_is_allowed_does_not_fail_but_is_told(void **state)
{
	struct gate_rule *rule;
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	rule = made_rule(&a.g, GATE_ALLOW, "^slow$", 0);
	rule->reason = "new format";
	rule->until = "2026-12-31";
	rule->line = 3;
	made_rule(&a.g, GATE_ALLOW, "^nowhere$", 0)->line = 4;
	made_rule(&a.g, GATE_ALLOW, "^part3$", 0);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	row_is(&a, "slow", GATE_SKIPPED);
	row_is(&a, "part3", GATE_OK); /* it needs no mercy */
	assert_string_equal(find(&a, "slow", GATE_CUM)->reason, "would be FAIL; allowed until 2026-12-31: new format");
	assert_string_equal(warning(&a, "unused"), "gate.cpa:4: allow ^nowhere$ matches no function that was tested");
	assert_string_equal(warning(&a, "expired"), "");
	end(&a);
}

static void what_was_allowed_until_yesterday_fails(void **state)
{
	struct gate_rule *rule;
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	rule = made_rule(&a.g, GATE_ALLOW, "^slow$", 0);
	rule->reason = "new format";
	rule->until = "2026-11-21";
	rule->line = 3;
	rule->is_expired = true;
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_RED);
	assert_string_equal(warning(&a, "expired"), "gate.cpa:3: allow ^slow$ ended on 2026-11-21: new format");
	end(&a);
}

static void code_that_moved_up_from_a_callee_is_no_regression(void **state)
{
	const struct gate_row *r;
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "loop main", 200, 700); /* part of leaf was inlined, and its frames are gone */
	made_stack(&a.g, "leaf loop main", 800, 300);
	finish(&a, 1, 1);
	r = find(&a, "loop", GATE_FLAT);
	assert_non_null(r);
	assert_int_equal(r->verdict, GATE_MOVED);
	assert_string_equal(r->reason, "what it calls became cheaper by 100% of that: inlined or moved");
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);
}

static void code_that_came_from_nowhere_did_not_move(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "loop main", 200, 700);
	made_stack(&a.g, "leaf loop main", 800, 790);
	finish(&a, 1, 1);
	assert_int_equal(find(&a, "loop", GATE_FLAT)->verdict, GATE_FAIL);
	assert_int_equal(a.out.outcome, GATE_RED);
	end(&a);

	start(&a, 300);
	made_stack(&a.g, "loop main", 200, 900);
	made_stack(&a.g, "leaf loop main", 800, 600); /* less than half of it */
	finish(&a, 1, 1);
	assert_int_equal(find(&a, "loop", GATE_FLAT)->verdict, GATE_FAIL);
	end(&a);
}

static void new_functions_are_told_and_fail_only_when_asked(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "old main", 300, 0);
	made_stack(&a.g, "fresh main", 0, 400);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_NEW);
	row_is(&a, "old", GATE_GONE);
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);

	start(&a, 300);
	a.g.options.max_new = 0.05;
	made_stack(&a.g, "fresh main", 0, 400);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_FAIL);
	assert_string_equal(find(&a, "fresh", GATE_CUM)->reason, "new: 10% is more than --max-new=5%");
	assert_int_equal(a.out.outcome, GATE_RED);
	end(&a);

	start(&a, 300);
	a.g.options.max_new = 0.095; /* 400 of 4000 may well be 9.5 % */
	made_stack(&a.g, "fresh main", 0, 400);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_NEW);
	end(&a);
}

static void a_budget_holds_without_a_change_and_below_the_floors(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 1000);
	made_stack(&a.g, "json main", 80, 80);
	made_stack(&a.g, "heavy main", 1000, 1000);
	made_rule(&a.g, GATE_BUDGET, "^json$", 0.001)->line = 7;
	made_rule(&a.g, GATE_BUDGET, "^heavy$", 0.2)->line = 8;
	made_rule(&a.g, GATE_BUDGET, "^xml$", 0.2)->line = 9;
	finish(&a, 1, 1);
	row_is(&a, "json", GATE_FAIL);
	assert_string_equal(find(&a, "json", GATE_CUM)->reason, "0.612% is more than its budget of 0.1% (gate.cpa:7)");
	row_is(&a, "heavy", GATE_OK);
	assert_int_equal(a.out.outcome, GATE_RED);
	assert_string_equal(warning(&a, "unused"), "gate.cpa:9: budget ^xml$ matches no function at all");
	end(&a);
}

static void rows_that_serve_as_reference_only_are_not_shown(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	made_rule(&a.g, GATE_ONLY, "^part", 0);
	finish(&a, 1, 1);
	assert_null(find(&a, "slow", GATE_CUM));
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_int_equal(a.out.n_tests, 12);
	end(&a);
}

static void slower_runtime_code_may_be_a_warning(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	a.g.options.warn_runtime = true;
	made_stack(&a.g, "runtime.scanobject main", 500, 900);
	finish(&a, 1, 1);
	row_is(&a, "runtime.scanobject", GATE_SUSPECT);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	end(&a);

	start(&a, 300);
	a.g.options.warn_runtime = true;
	made_stack(&a.g, "memchr|../sysdeps/x86_64/memchr.S main", 500, 900);
	made_stack(&a.g, "runtimeless.f|/src/runtimeless/f.go main", 500, 900);
	finish(&a, 1, 1);
	row_is(&a, "memchr", GATE_SUSPECT);
	row_is(&a, "runtimeless.f", GATE_FAIL);
	end(&a);
}

static void delays_of_one_pair_never_fail(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	made_stack(&a.g, "quick main", 600, 200);
	a.g.s.error = GATE_DELAY;
	finish(&a, 1, 1);
	row_is(&a, "slow", GATE_SUSPECT);
	row_is(&a, "quick", GATE_UNRESOLVED);
	assert_int_equal(a.out.n_verdict[GATE_OK], 0);
	assert_true(isinf(a.out.power[0].ratio) && isinf(a.out.need_samples));
	end(&a);

	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	a.g.s.error = GATE_CENSUS;
	finish(&a, 3, 3);
	row_is(&a, "slow", GATE_FAIL);
	end(&a);
}

static void what_is_needed_must_be_there(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	a.g.options.has_need = true;
	a.g.options.need_share = 0.05;
	a.g.options.need_ratio = 1.3;
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_true(a.out.need_samples > 3600);
	end(&a);

	start(&a, 300);
	a.g.options.has_need = true;
	a.g.options.need_share = 0.2;
	a.g.options.need_ratio = 2;
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_true(a.out.need_samples < 1000);
	end(&a);
}

/* 25 tests, 10,000 samples: the worked example of the method. */
static void power_is_that_of_the_method(void **state)
{
	struct asked a;
	char stack[40];

	(void)state;
	a = (struct asked){ .mem = NULL };
	made_start(&a.g);
	for (int i = 0; i < 25; i++) {
		snprintf(stack, sizeof(stack), "part%d", i);
		made_stack(&a.g, stack, 400, 400);
	}
	made_seal(&a.g, 1, 1);
	file(&a, 0)->seconds = 100;
	decide(&a);
	assert_int_equal(a.out.n_tests, 25);
	assert_int_equal(a.out.n_power, 4);
	assert_true(fabs(a.out.power[2].share - 0.05) < 1e-12);
	assert_true(fabs(a.out.power[2].ratio - 1.345683) < 1e-6);
	assert_true(fabs(a.out.need_samples - 13527.325) < 1e-3);
	assert_true(fabs(a.out.need_seconds - 135.27325) < 1e-5);
	end(&a);
}

/* A limit of 50 % for all of them; of Benjamini and Hochberg's method one function alone has to pass all tests. */
static void power_is_of_the_limits_that_hold(void **state)
{
	struct asked a;
	double plain;

	(void)state;
	start(&a, 1000);
	finish(&a, 1, 1);
	plain = a.out.power[1].ratio;
	end(&a);
	start(&a, 1000);
	a.g.options.adjust = STATS_BH;
	finish(&a, 1, 1);
	assert_true(fabs(a.out.power[1].ratio - plain) < 1e-9);
	end(&a);
	start(&a, 1000);
	a.g.options.threshold = 0.5;
	finish(&a, 1, 1);
	plain = a.out.power[1].ratio;
	end(&a);
	start(&a, 1000);
	made_rule(&a.g, GATE_LIMIT, ".", 0.5);
	finish(&a, 1, 1);
	assert_true(fabs(a.out.power[1].ratio - plain) < 1e-9);
	end(&a);
}

/* Every function differs by 20 % from run to run: more than chance, and more the larger it is. */
static void runs_that_vary_see_less(void **state)
{
	struct asked a;
	double plain[4];

	(void)state;
	start(&a, 3000);
	finish(&a, 3, 3);
	for (int i = 0; i < 4; i++)
		plain[i] = a.out.power[i].ratio;
	assert_true(isfinite(a.out.need_samples));
	end(&a);
	start(&a, 3000);
	made_seal(&a.g, 3, 3);
	for (uint32_t f = 0; f < 6; f++)
		for (uint32_t i = 0; i < file(&a, f)->n_parts; i++) {
			struct gate_part *part = (struct gate_part *)&file(&a, f)->part[i];
			double times = 1 + 0.25 * ((int)((part->func + f) % 3) - 1);

			if (part->flat > 0)
				part->flat = part->cum *= times;
		}
	decide(&a);
	assert_true(a.out.power[0].ratio > plain[0] + 0.1);
	assert_true(a.out.power[2].ratio > plain[2] + 0.1);
	assert_true(isinf(a.out.need_samples)); /* longer runs would vary as much */
	end(&a);
}

/* main calls two functions. One of them takes twice as long, or the other half of it. */
static void two_parts_are_warned_of(void **state)
{
	struct asked a = { .mem = NULL };

	(void)state;
	made_start(&a.g);
	made_stack(&a.g, "one main", 1000, 2000);
	made_stack(&a.g, "other main", 1000, 1000);
	finish(&a, 1, 1);
	row_is(&a, "one", GATE_FAIL);
	assert_non_null(strstr(warning(&a, "few_parts"), "left to compare one with"));
	end(&a);

	start(&a, 300);
	made_stack(&a.g, "one main", 1000, 2000);
	finish(&a, 1, 1);
	row_is(&a, "one", GATE_FAIL);
	assert_string_equal(warning(&a, "few_parts"), "");
	end(&a);
}

/* main is all of the program, so nothing tells what it costs that 'large' takes the place of 'gone'. */
static void much_new_code_without_a_caller_to_judge_it_by_does_not_pass(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "gone main", 600, 0);
	made_stack(&a.g, "large main", 0, 1800);
	finish(&a, 1, 1);
	row_is(&a, "large", GATE_SUSPECT);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	end(&a);

	start(&a, 300);
	made_stack(&a.g, "gone work main", 1800, 0);
	made_stack(&a.g, "large work main", 0, 1800);
	finish(&a, 1, 1);
	row_is(&a, "work", GATE_OK);
	row_is(&a, "large", GATE_NEW);
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);

	start(&a, 300);
	made_stack(&a.g, "large main", 0, 500);
	finish(&a, 1, 1);
	row_is(&a, "large", GATE_NEW);
	end(&a);

	start(&a, 300);
	a.g.options.max_new = 0.5;
	made_stack(&a.g, "large main", 0, 1800);
	finish(&a, 1, 1);
	row_is(&a, "large", GATE_NEW);
	end(&a);
}

/* The variance of the whole is that of 20 samples; its rows still have 1000 each. */
static void a_few_heavy_samples_do_not_hide_how_many_there_are(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 1000);
	made_seal(&a.g, 1, 1);
	a.g.s.var[STATS_BASE] = a.g.s.var[STATS_NEW] = 12000.0 * 12000 / 20;
	decide(&a);
	assert_true(fabs(a.out.side[STATS_BASE].samples - 12000) < 1e-6);
	assert_string_equal(warning(&a, "few_samples"), "");
	end(&a);
}

static void a_strict_gate_sees_less(void **state)
{
	struct asked a;
	double ratio, need;

	(void)state;
	start(&a, 1000);
	finish(&a, 1, 1);
	ratio = a.out.power[1].ratio;
	need = a.out.need_samples;
	end(&a);
	start(&a, 1000);
	a.g.options.strict = true;
	finish(&a, 1, 1);
	assert_true(a.out.power[1].ratio > ratio + 0.1);
	assert_true(a.out.need_samples > 3 * need);
	end(&a);
}

static void profiles_that_tell_of_other_conditions_are_warned_of(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 500);
	made_seal(&a.g, 1, 1);
	*file(&a, 0) = (struct gate_file){ .side = STATS_BASE,
					   .source = "b",
					   .value = 6000,
					   .time_ns = 2000,
					   .host = "ci-1",
					   .build_id = "abc",
					   .period = 10,
					   .preempted = 720,
					   .seconds = 10,
					   .cpu_seconds = 9 };
	*file(&a, 1) = (struct gate_file){ .side = STATS_NEW,
					   .source = "n",
					   .value = 6000,
					   .time_ns = 1000,
					   .host = "ci-2",
					   .build_id = "abc",
					   .period = 20,
					   .preempted = 24,
					   .seconds = 10,
					   .cpu_seconds = 4 };
	decide(&a);
	assert_string_equal(warning(&a, "swapped"), "the base was captured after the new side: are the sides swapped?");
	assert_string_equal(warning(&a, "machine"), "the sides are of different machines: base ci-1, new ci-2");
	assert_string_equal(
		warning(&a, "contended"),
		"base was captured on a contended CPU: 12.0% of its samples were preempted against 0.4%; "
		"functions can look slower or faster by that alone, in our tests by up to half: capture both sides "
		"alternately");
	assert_string_equal(warning(&a, "utilisation"),
			    "base kept 0.90 CPUs busy and new 0.40: was the load the same, and "
			    "the machine otherwise idle?");
	assert_string_equal(warning(&a, "periods"),
			    "periods of sampling differ: 10 and 20 nanoseconds; samples are compared, not time");
	assert_string_equal(warning(&a, "same_binary"), "both sides are of the same binary: build id abc");
	assert_true(*warning(&a, "one_pair"));
	assert_string_equal(a.out.side[STATS_BASE].host, "ci-1");
	end(&a);
}

static void a_profile_compared_with_itself_is_warned_of(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 500);
	made_seal(&a.g, 1, 1);
	file(&a, 0)->time_ns = file(&a, 1)->time_ns = 5;
	decide(&a);
	assert_string_equal(warning(&a, "same_file"),
			    "base.pb and new.pb are the same profile: it is compared with itself");
	end(&a);
}

/* It is a copy, though it does not say when it was made: two runs do not have 500 samples in each of twelve functions. */
static void a_copy_of_a_run_is_warned_of_and_exact_runs_may_be_equal(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 1000);
	made_seal(&a.g, 2, 2);
	file(&a, 1)->source = "second.pb";
	decide(&a);
	assert_string_equal(warning(&a, "twice"),
			    "base.pb and second.pb are the same profile: its samples count twice");
	end(&a);

	start(&a, 1000);
	made_seal(&a.g, 2, 2);
	for (uint32_t i = 0; i < 4; i++) {
		static const char *const name[] = { "a.pb", "b.pb", "c.pb", "d.pb" };

		file(&a, i)->source = name[i];
		file(&a, i)->var = 0;
	}
	decide(&a);
	assert_string_equal(warning(&a, "twice"), "");
	end(&a);
}

static void a_uniform_slowdown_that_cannot_be_seen_is_warned_of(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 500);
	for (int i = 0; i < 12; i++)
		a.g.value[STATS_NEW][i] = 700;
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_string_equal(
		warning(&a, "uniform"),
		"what is taken as unchanged is x1.40 per profile of what it was: if the work was the same, everything "
		"costs more, which is not seen here; pass --work-base and --work-new, or --normalize=none "
		"when both sides did the same work");
	end(&a);
}

static void one_slow_function_is_no_slowdown_of_everything(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 500);
	a.g.options.threshold = 0.1;
	for (int i = 0; i < 12; i++)
		a.g.value[STATS_NEW][i] = 525;
	made_stack(&a.g, "slow main", 500, 1100); /* x1.14 in all, x1.05 without it */
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_RED);
	assert_string_equal(warning(&a, "uniform"), "");
	end(&a);
}

/* They have main in common, and what the runtime of their language does. */
static void two_programs_do_not_pass(void **state)
{
	struct asked a;
	char stack[40];

	(void)state;
	start(&a, 0);
	for (int i = 0; i < 12; i++) {
		snprintf(stack, sizeof(stack), "runtime%d main", i);
		made_stack(&a.g, stack, 80, 80);
		snprintf(stack, sizeof(stack), "here%d main", i);
		made_stack(&a.g, stack, 300, 0);
		snprintf(stack, sizeof(stack), "there%d main", i);
		made_stack(&a.g, stack, 0, 300);
	}
	a.g.options.inconclusive = 3;
	finish(&a, 1, 1);
	assert_true(a.out.n_tests > 0);
	assert_int_equal(a.out.n_verdict[GATE_FAIL] + a.out.n_verdict[GATE_SUSPECT], 0);
	assert_true(a.out.is_unlike);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_int_equal(a.out.status, 3);
	assert_string_equal(warning(&a, "unlike"),
			    "only 21% of the samples of base are in functions that the other side has, too");
	end(&a);
}

/* Half of a program under other names is a refactoring. */
static void a_program_of_which_half_is_new_may_pass(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "old main", 3000, 0);
	made_stack(&a.g, "young main", 0, 3000);
	finish(&a, 1, 1);
	assert_false(a.out.is_unlike);
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);
}

static void one_pair_of_a_busy_and_a_quiet_machine_never_fails(void **state)
{
	static const double busy[] = { 0.35, 0.04 };
	struct asked a;

	(void)state;
	for (int i = 0; i < 4; i++) { /* busy or nearly not, one run or three */
		start(&a, 300);
		made_stack(&a.g, "slow main", 500, 1500);
		made_seal(&a.g, 1 + i / 2 * 2, 1 + i / 2 * 2);
		file(&a, 0)->preempted = busy[i % 2] * a.g.s.total[STATS_BASE];
		decide(&a);
		row_is(&a, "slow", i == 0 ? GATE_SUSPECT : GATE_FAIL);
		if (i == 0)
			assert_string_equal(find(&a, "slow", GATE_CUM)->reason,
					    "one pair, of which 35% of base were preempted and 0% of new: pass "
					    "several per side, captured alternately");
		end(&a);
	}
}

static void what_has_no_names_is_warned_of(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "[kernel] main", 350, 350);
	made_stack(&a.g, "[shop] main", 900, 2000);
	finish(&a, 1, 1);
	assert_string_equal(warning(&a, "nameless"),
			    "34% of the samples of new are in [shop]: its functions have no names and are one row, in "
			    "which a slower one is lost: give it symbols");
	end(&a);
	start(&a, 300);
	made_stack(&a.g, "[kernel] main", 350, 350);
	finish(&a, 1, 1);
	assert_string_equal(warning(&a, "nameless"), "");
	end(&a);
}

static void leaves_that_the_user_folds_are_not_called_preempted(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_seal(&a.g, 1, 1);
	file(&a, 0)->preempted = 0.4 * a.g.s.total[STATS_BASE];
	a.g.options.has_own_fold = true;
	decide(&a);
	assert_string_equal(warning(&a, "contended"), "");
	assert_string_equal(note(&a, "folded"), "40.0% of the samples of base and 0.0% of new have a leaf that --fold "
						"matches; they count for its callers");
	end(&a);
}

static void quiet_profiles_have_no_warnings(void **state)
{
	struct asked a;

	(void)state;
	start(&a, 300);
	made_seal(&a.g, 3, 3);
	for (uint32_t i = 0; i < 6; i++)
		file(&a, i)->time_ns = i < 3 ? 2 * i + 1 : 2 * i - 4;
	decide(&a);
	assert_int_equal(a.out.n_warnings, 1); /* make_gate.h gives all files of a side one name */
	assert_string_equal(a.out.warning[0].id, "twice");
	end(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_did_not_change_passes),
		cmocka_unit_test(a_slower_function_fails_and_a_faster_one_is_told),
		cmocka_unit_test(what_may_be_chance_is_suspect_and_no_pass),
		cmocka_unit_test(a_gate_that_cannot_test_anything_does_not_pass),
		cmocka_unit_test(a_change_within_the_threshold_does_not_fail),
		cmocka_unit_test(a_function_has_its_own_limit),
		cmocka_unit_test(what_is_allowed_does_not_fail_but_is_told),
		cmocka_unit_test(what_was_allowed_until_yesterday_fails),
		cmocka_unit_test(code_that_moved_up_from_a_callee_is_no_regression),
		cmocka_unit_test(code_that_came_from_nowhere_did_not_move),
		cmocka_unit_test(new_functions_are_told_and_fail_only_when_asked),
		cmocka_unit_test(a_budget_holds_without_a_change_and_below_the_floors),
		cmocka_unit_test(rows_that_serve_as_reference_only_are_not_shown),
		cmocka_unit_test(slower_runtime_code_may_be_a_warning),
		cmocka_unit_test(delays_of_one_pair_never_fail),
		cmocka_unit_test(what_is_needed_must_be_there),
		cmocka_unit_test(power_is_that_of_the_method),
		cmocka_unit_test(power_is_of_the_limits_that_hold),
		cmocka_unit_test(runs_that_vary_see_less),
		cmocka_unit_test(two_parts_are_warned_of),
		cmocka_unit_test(much_new_code_without_a_caller_to_judge_it_by_does_not_pass),
		cmocka_unit_test(a_few_heavy_samples_do_not_hide_how_many_there_are),
		cmocka_unit_test(a_strict_gate_sees_less),
		cmocka_unit_test(profiles_that_tell_of_other_conditions_are_warned_of),
		cmocka_unit_test(a_profile_compared_with_itself_is_warned_of),
		cmocka_unit_test(a_copy_of_a_run_is_warned_of_and_exact_runs_may_be_equal),
		cmocka_unit_test(a_uniform_slowdown_that_cannot_be_seen_is_warned_of),
		cmocka_unit_test(one_slow_function_is_no_slowdown_of_everything),
		cmocka_unit_test(two_programs_do_not_pass),
		cmocka_unit_test(a_program_of_which_half_is_new_may_pass),
		cmocka_unit_test(one_pair_of_a_busy_and_a_quiet_machine_never_fails),
		cmocka_unit_test(what_has_no_names_is_warned_of),
		cmocka_unit_test(leaves_that_the_user_folds_are_not_called_preempted),
		cmocka_unit_test(quiet_profiles_have_no_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
