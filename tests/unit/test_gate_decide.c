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

/* Sums of a gate, and its result. */
struct decided_gate {
	struct made_gate g;
	struct arena *mem;
	struct gate_rows rows;
	struct stats_row *row;
	struct gate out;
};

/* Start a program of twelve unchanged functions, 12 x base samples on each side; tests add more. */
static void start(struct decided_gate *a, double base)
{
	char stack[40];

	*a = (struct decided_gate){ .mem = NULL };
	made_start(&a->g);
	for (int i = 0; i < 12; i++) {
		snprintf(stack, sizeof(stack), "part%d main", i);
		made_stack(&a->g, stack, base, base);
	}
}

static void decide(struct decided_gate *a)
{
	const struct stats_options options = { .mode = STATS_BULK,
					       .rho = 1,
					       .strict = a->g.options.strict,
					       .noise = a->g.options.noise,
					       .new_max = gate_new_max(&a->g.s),
					       .adjust = a->g.options.adjust };
	struct stats_summary judged;

	a->mem = arena_new();
	gate_rows_make(&a->g.s, a->mem, &a->rows, NULL);
	a->row = mem_alloc((size_t)a->rows.n + 1, sizeof(*a->row));
	stats_judge(&a->rows.counts, &options, a->row, &judged);
	a->out.mem = arena_new();
	gate_decide(&a->g.s, &a->rows, &judged, &a->out);
}

static void finish(struct decided_gate *a, uint32_t n_base, uint32_t n_new)
{
	made_seal(&a->g, n_base, n_new);
	decide(a);
}

static void end(struct decided_gate *a)
{
	gate_release(&a->out);
	free(a->row);
	arena_free(a->mem);
	made_release(&a->g);
}

static const struct gate_row *find(const struct decided_gate *a, const char *name, enum gate_kind kind)
{
	for (uint32_t i = 0; i < a->out.n_rows; i++)
		if (strcmp(a->out.row[i].name, name) == 0 && a->out.row[i].kind == kind)
			return &a->out.row[i];
	return NULL;
}

static void row_is(const struct decided_gate *a, const char *name, enum gate_verdict verdict)
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

static const char *warning(const struct decided_gate *a, const char *id)
{
	return message(a->out.warning, a->out.n_warnings, id);
}

static const char *note(const struct decided_gate *a, const char *id)
{
	return message(a->out.note, a->out.n_notes, id);
}

/* A file, which the test may modify. */
static struct gate_file *file(struct decided_gate *a, uint32_t i)
{
	return (struct gate_file *)&a->g.s.file[i];
}

static void unchanged_code_passes(void **state)
{
	struct decided_gate a;

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

static void a_slower_function_fails_and_a_faster_one_is_reported(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	made_stack(&a.g, "slower main", 250, 600);
	made_stack(&a.g, "quick main", 600, 200);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_FAILED);
	assert_int_equal(a.out.status, 1);
	row_is(&a, "slow", GATE_FAIL);
	row_is(&a, "quick", GATE_IMPROVED);
	assert_string_equal(a.out.row[0].name, "slower"); /* the largest regression is first */
	assert_string_equal(a.out.row[1].name, "slow");
	assert_string_equal(a.out.row[0].reason, "");
	assert_true(fabs(a.out.row[0].ratio - 2.4) < 0.1);
	assert_string_equal(note(&a, "update_baseline"), "cheaper than before: quick; update the base to keep it so");
	end(&a);
}

static void a_change_possibly_due_to_chance_is_suspect_and_passes_with_enough_power(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "odd main", 100, 145);
	finish(&a, 1, 1);
	row_is(&a, "odd", GATE_SUSPECT);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_int_equal(a.out.status, 0);
	assert_string_equal(a.out.missing, "");
	assert_true(*note(&a, "retry"));
	end(&a);
}

static void a_comparison_without_power_does_not_pass(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 65);
	a.g.options.inconclusive = 3;
	made_seal(&a.g, 1, 1);
	file(&a, 0)->seconds = 7.8;
	decide(&a);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_int_equal(a.out.status, 3);
	assert_true(a.out.is_underpowered);
	assert_string_equal(a.out.missing, "780 samples per side, 2,328 needed (24 s at 100 Hz)");
	end(&a);

	start(&a, 65);
	a.g.options.inconclusive = 0;
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_int_equal(a.out.status, 0);
	end(&a);

	start(&a, 65); /* lock and heap profiles need less power */
	a.g.s.is_time = false;
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_true(a.out.need_share == 0.2 && a.out.need_ratio == 2);
	assert_true(a.out.need_samples <= a.out.side[SIDE_BASE].samples);
	end(&a);
}

static void does_not_pass_without_tests(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 1);
	finish(&a, 1, 1);
	assert_int_equal(a.out.n_tests, 0);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_string_equal(
		warning(&a, "few_samples"),
		"base has only 12 samples: below 1,000 few changes can be detected; capture longer or more runs");
	end(&a);
}

static void reports_that_most_functions_have_no_names(void **state)
{
	struct decided_gate a = { .mem = NULL };

	(void)state;
	made_start(&a.g);
	made_stack(&a.g, "[server]", 3000, 3000);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_true(a.out.is_nameless);
	assert_string_equal(a.out.missing, "the functions of [server] have no names");
	end(&a);
}

/* With weights, samples of an unchanged program differ. */
static void an_unknown_number_of_stacks_neither_fails_nor_passes(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	a.g.s.weights_unknown = "the number of stacks is unknown: why";
	finish(&a, 1, 1);
	row_is(&a, "slow", GATE_SUSPECT);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_string_equal(a.out.missing, "the number of stacks is unknown");
	end(&a);
}

static void a_change_within_the_threshold_does_not_fail(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 30000);
	made_stack(&a.g, "slightly main", 30000, 34500);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_true(find(&a, "slightly", GATE_CUM)->p_adjusted < 0.01);
	end(&a);
}

static void limit_lines_set_the_limit_of_a_function(void **state)
{
	struct decided_gate a;

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

static void allowed_regressions_are_skipped_and_listed(void **state)
{
	struct gate_rule *rule;
	struct decided_gate a;

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
	row_is(&a, "part3", GATE_OK); /* would pass without its allow line, too */
	assert_string_equal(find(&a, "slow", GATE_CUM)->reason, "would be FAIL; allowed until 2026-12-31: new format");
	assert_string_equal(warning(&a, "unused"), "gate.cpa:4: allow ^nowhere$ matches no function that was tested");
	assert_string_equal(warning(&a, "expired"), "");
	end(&a);
}

static void an_expired_allow_line_does_not_apply(void **state)
{
	struct gate_rule *rule;
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	rule = made_rule(&a.g, GATE_ALLOW, "^slow$", 0);
	rule->reason = "new format";
	rule->until = "2026-11-21";
	rule->line = 3;
	rule->is_expired = true;
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_FAILED);
	assert_string_equal(warning(&a, "expired"), "gate.cpa:3: allow ^slow$ expired on 2026-11-21: new format");
	end(&a);
}

static void code_that_moved_up_from_a_callee_is_not_a_regression(void **state)
{
	const struct gate_row *r;
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "loop main", 200, 700); /* part of leaf was inlined and has no frames */
	made_stack(&a.g, "leaf loop main", 800, 300);
	finish(&a, 1, 1);
	r = find(&a, "loop", GATE_FLAT);
	assert_non_null(r);
	assert_int_equal(r->verdict, GATE_MOVED);
	assert_string_equal(r->reason, "its callees became cheaper by 100% of that: inlined or moved");
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);
}

static void flat_that_grew_without_a_cheaper_callee_fails(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "loop main", 200, 700);
	made_stack(&a.g, "leaf loop main", 800, 790);
	finish(&a, 1, 1);
	assert_int_equal(find(&a, "loop", GATE_FLAT)->verdict, GATE_FAIL);
	assert_int_equal(a.out.outcome, GATE_FAILED);
	end(&a);

	start(&a, 300);
	made_stack(&a.g, "loop main", 200, 900);
	made_stack(&a.g, "leaf loop main", 800, 600); /* the callee shrank by less than half of the increase */
	finish(&a, 1, 1);
	assert_int_equal(find(&a, "loop", GATE_FLAT)->verdict, GATE_FAIL);
	end(&a);
}

static void a_new_function_fails_if_the_program_grew_with_it(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "fresh main", 0, 400);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_FAIL);
	assert_true(find(&a, "fresh", GATE_CUM)->failed_as_new);
	assert_string_equal(find(&a, "fresh", GATE_CUM)->reason,
			    "new: 10%, more than --max-new=5%; the program costs 1.11 times as much");
	assert_int_equal(a.out.outcome, GATE_FAILED);
	end(&a);

	start(&a, 300); /* a new function replaces another one */
	made_stack(&a.g, "old main", 400, 0);
	made_stack(&a.g, "fresh main", 0, 400);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_NEW);
	row_is(&a, "old", GATE_GONE);
	assert_string_equal(find(&a, "fresh", GATE_CUM)->reason,
			    "new, but the program costs 1.00 times as much, proved within +20%");
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);

	start(&a, 300);
	a.g.options.max_new = 0.095; /* 400 of 4000 do not significantly exceed 9.5 % */
	made_stack(&a.g, "fresh main", 0, 400);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_NEW);
	end(&a);
}

/* Up to two samples in the base may be there by chance, so there is no ratio. */
static void a_function_with_one_sample_in_the_base_is_new(void **state)
{
	struct decided_gate a;

	(void)state;
	for (int base = 0; base <= 3; base++) {
		start(&a, 300);
		made_stack(&a.g, "fresh main", base, 100);
		finish(&a, 1, 1);
		row_is(&a, "fresh", base <= 2 ? GATE_NEW : GATE_FAIL);
		assert_int_equal(isnan(find(&a, "fresh", GATE_CUM)->ratio), base <= 2);
		end(&a);
	}
}

/* The nearest comparable caller shows whether new code adds cost. */
static void a_new_function_is_judged_by_its_caller(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "work main", 1000, 1000);
	made_stack(&a.g, "fresh work main", 0, 500);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_FAIL);
	assert_string_equal(find(&a, "fresh", GATE_CUM)->reason,
			    "new: 9.8%, more than --max-new=5%; work, which calls it, costs 1.50 times as much");
	end(&a);

	start(&a, 300); /* the new function was extracted from its caller */
	made_stack(&a.g, "work main", 1500, 1000);
	made_stack(&a.g, "fresh work main", 0, 500);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_NEW);
	assert_string_equal(find(&a, "fresh", GATE_CUM)->reason,
			    "new, but work, which calls it, costs 1.00 times as much, proved within +20%");
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);

	start(&a, 300); /* the growth of the caller may be due to chance */
	made_stack(&a.g, "work main", 1500, 1300);
	made_stack(&a.g, "fresh work main", 0, 450);
	finish(&a, 1, 1);
	row_is(&a, "fresh", GATE_SUSPECT);
	end(&a);
}

static void a_budget_applies_without_a_change_and_below_min_share(void **state)
{
	struct decided_gate a;

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
	assert_int_equal(a.out.outcome, GATE_FAILED);
	assert_string_equal(warning(&a, "unused"), "gate.cpa:9: budget ^xml$ matches no function at all");
	end(&a);
}

static void reference_rows_are_not_listed(void **state)
{
	struct decided_gate a;

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

static void runtime_warn_makes_runtime_functions_suspect(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	a.g.options.runtime = GATE_RUNTIME_WARN;
	made_stack(&a.g, "runtime.scanobject main", 500, 900);
	finish(&a, 1, 1);
	row_is(&a, "runtime.scanobject", GATE_SUSPECT);
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);

	start(&a, 300);
	a.g.options.runtime = GATE_RUNTIME_WARN;
	made_stack(&a.g, "memchr|../sysdeps/x86_64/memchr.S main", 500, 900);
	made_stack(&a.g, "runtimeless.f|/src/runtimeless/f.go main", 500, 900);
	finish(&a, 1, 1);
	row_is(&a, "memchr", GATE_SUSPECT);
	row_is(&a, "runtimeless.f", GATE_FAIL);
	end(&a);
}

static void schedulers_and_collectors_fail_only_where_asked_or_over_budget(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "runtime.gcDrain main", 500, 900);
	made_stack(&a.g, "runtime.mallocgc main", 500, 900);
	finish(&a, 1, 1);
	row_is(&a, "runtime.gcDrain", GATE_SUSPECT);
	row_is(&a, "runtime.mallocgc", GATE_FAIL);
	end(&a);

	start(&a, 300);
	a.g.options.runtime = GATE_RUNTIME_FAIL;
	made_stack(&a.g, "runtime.gcDrain main", 500, 900);
	finish(&a, 1, 1);
	row_is(&a, "runtime.gcDrain", GATE_FAIL);
	end(&a);

	start(&a, 300);
	made_stack(&a.g, "runtime.gcDrain main", 500, 900);
	made_rule(&a.g, GATE_BUDGET, "gcDrain", 0.05);
	finish(&a, 1, 1);
	row_is(&a, "runtime.gcDrain", GATE_FAIL);
	end(&a);
}

/* One pair in which a function costs 1.8 times as much, beside these uses of processors. */
static enum gate_verdict verdict_of_pair(double cpus_base, double cpus_new, uint32_t n_runs)
{
	struct decided_gate a;
	enum gate_verdict v;

	start(&a, 300);
	made_stack(&a.g, "slow main", 500, 900);
	made_seal(&a.g, n_runs, n_runs);
	for (uint32_t i = 0; i < 2 * n_runs; i++) {
		file(&a, i)->seconds = 10;
		file(&a, i)->cpu_seconds = 10 * (file(&a, i)->side == SIDE_BASE ? cpus_base : cpus_new);
	}
	decide(&a);
	v = find(&a, "slow", GATE_CUM)->verdict;
	end(&a);
	return v;
}

/* The whole program costs 1.1 times as much, which explains that much of a larger load. */
static void one_pair_under_different_load_does_not_fail(void **state)
{
	(void)state;
	assert_int_equal(verdict_of_pair(0.2, 0.2, 1), GATE_FAIL);
	assert_int_equal(verdict_of_pair(0.2, 0.31, 1), GATE_FAIL);
	assert_int_equal(verdict_of_pair(0.2, 0.4, 1), GATE_SUSPECT);
	assert_int_equal(verdict_of_pair(0.4, 0.2, 1), GATE_SUSPECT);
	assert_int_equal(verdict_of_pair(0.2, 0.4, 2), GATE_FAIL);
}

static void one_pair_from_a_busy_machine_does_not_fail(void **state)
{
	for (uint32_t n_runs = 1; n_runs <= 2; n_runs++) {
		struct decided_gate a;

		(void)state;
		start(&a, 300);
		made_stack(&a.g, "slow main", 500, 900);
		made_seal(&a.g, n_runs, n_runs);
		file(&a, 0)->busy = 0.5;
		decide(&a);
		row_is(&a, "slow", n_runs == 1 ? GATE_SUSPECT : GATE_FAIL);
		assert_string_equal(warning(&a, "busy"),
				    "the machine was busy: for 50% of the time of base and 0% of new, "
				    "programs waited for a processor");
		end(&a);
	}
}

static void one_pair_of_a_program_without_names_does_not_fail(void **state)
{
	for (uint32_t n_runs = 1; n_runs <= 2; n_runs++) {
		struct decided_gate a;

		(void)state;
		start(&a, 300);
		made_stack(&a.g, "slow main", 500, 900);
		made_stack(&a.g, "[libcrypto.so.3] main", 6000, 6000);
		finish(&a, n_runs, n_runs);
		row_is(&a, "slow", n_runs == 1 ? GATE_SUSPECT : GATE_FAIL);
		end(&a);
	}
}

static void a_benchmark_of_go_that_is_too_short_names_what_would_do(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 40);
	made_stack(&a.g, "work testing.(*B).runN main", 60, 60);
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_string_equal(
		note(&a, "benchtime"),
		"these runs of go test -bench are too short: run each side 5 times as long, with -count=5 or "
		"-benchtime=5s where they were 1 and 1s");
	end(&a);

	start(&a, 40);
	made_stack(&a.g, "work main", 60, 60);
	finish(&a, 1, 1);
	assert_string_equal(note(&a, "benchtime"), "");
	end(&a);
}

static void delay_profiles_never_fail_with_one_file_per_side(void **state)
{
	struct decided_gate a;

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

static void a_pass_requires_the_power_requested_by_need(void **state)
{
	struct decided_gate a;

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

/* The worked example of the method: 25 tests, 10,000 samples. */
static void power_agrees_with_the_method(void **state)
{
	struct decided_gate a;
	char stack[40];

	(void)state;
	a = (struct decided_gate){ .mem = NULL };
	made_start(&a.g);
	for (int i = 0; i < 25; i++) {
		snprintf(stack, sizeof(stack), "part%d", i);
		made_stack(&a.g, stack, 400, 400);
	}
	a.g.options.need_share = 0.05;
	a.g.options.need_ratio = 1.3;
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

/* A limit of 50 % for all rows; with Benjamini and Hochberg's method a single function must pass all tests. */
static void power_uses_the_limits_of_the_rows(void **state)
{
	struct decided_gate a;
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

/* Every function varies by 20 % between runs, which is more than chance explains. */
static void varying_runs_have_less_power(void **state)
{
	struct decided_gate a;
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
	assert_true(isinf(a.out.need_samples)); /* longer runs vary as much */
	end(&a);
}

/* main calls two functions: either one of them doubled, or the other one halved. */
static void warns_if_too_few_functions_remain_as_reference(void **state)
{
	struct decided_gate a = { .mem = NULL };

	(void)state;
	made_start(&a.g);
	made_stack(&a.g, "one main", 1000, 2000);
	made_stack(&a.g, "other main", 1000, 1000);
	finish(&a, 1, 1);
	row_is(&a, "one", GATE_FAIL);
	assert_non_null(strstr(warning(&a, "few_parts"), "remain to compare one with"));
	end(&a);

	start(&a, 300);
	made_stack(&a.g, "one main", 1000, 2000);
	finish(&a, 1, 1);
	row_is(&a, "one", GATE_FAIL);
	assert_string_equal(warning(&a, "few_parts"), "");
	end(&a);
}

/* main is the whole program, so only its total shows the cost of replacing 'gone' by 'large'. */
static void new_code_below_main_is_judged_by_the_program(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "gone main", 600, 0);
	made_stack(&a.g, "large main", 0, 1800);
	finish(&a, 1, 1);
	row_is(&a, "large", GATE_FAIL);
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
	a.g.options.max_new = 0.5;
	made_stack(&a.g, "large main", 0, 1800);
	finish(&a, 1, 1);
	row_is(&a, "large", GATE_NEW);
	end(&a);
}

/* The variance of the total is that of 20 samples; its rows still have 1000 each. */
static void a_few_heavy_samples_do_not_reduce_the_sample_count(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 1000);
	made_seal(&a.g, 1, 1);
	a.g.s.var[SIDE_BASE] = a.g.s.var[SIDE_NEW] = 12000.0 * 12000 / 20;
	decide(&a);
	assert_true(fabs(a.out.side[SIDE_BASE].samples - 12000) < 1e-6);
	assert_string_equal(warning(&a, "few_samples"), "");
	end(&a);
}

static void a_strict_gate_has_less_power(void **state)
{
	struct decided_gate a;
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

static void warns_of_different_machines_loads_and_periods(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 500);
	made_seal(&a.g, 1, 1);
	*file(&a, 0) = (struct gate_file){ .side = SIDE_BASE,
					   .source = "b",
					   .value = 6000,
					   .time_ns = 2000,
					   .host = "ci-1",
					   .build_id = "abc",
					   .period = 10,
					   .preempted = 720,
					   .seconds = 10,
					   .cpu_seconds = 9 };
	*file(&a, 1) = (struct gate_file){ .side = SIDE_NEW,
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
	assert_string_equal(warning(&a, "swapped"),
			    "the base was captured after the new side; check that the sides are not swapped");
	assert_string_equal(warning(&a, "machine"), "the sides are from different machines: base ci-1, new ci-2");
	assert_string_equal(
		warning(&a, "contended"),
		"base was captured on a contended CPU: 12.0% of its samples were preempted, compared with 0.4%; this "
		"alone can make functions look up to half slower or faster; capture both sides alternately");
	assert_string_equal(
		warning(&a, "utilisation"),
		"base used 0.90 CPUs and new 0.40; check that the load was the same and the machine otherwise idle");
	assert_string_equal(warning(&a, "periods"),
			    "sampling periods differ: 10 and 20 nanoseconds; samples are compared, not time");
	assert_string_equal(warning(&a, "same_binary"), "both sides are from the same binary: build id abc");
	assert_true(*warning(&a, "one_pair"));
	assert_string_equal(a.out.side[SIDE_BASE].host, "ci-1");
	end(&a);
}

static void warns_of_a_profile_compared_with_itself(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 500);
	made_seal(&a.g, 1, 1);
	file(&a, 0)->time_ns = file(&a, 1)->time_ns = 5;
	decide(&a);
	assert_string_equal(warning(&a, "same_file"),
			    "base.pb and new.pb are the same profile: it is compared with itself");
	end(&a);
}

/* A copy is detected without a time: two runs never have 500 samples in each of twelve functions. */
static void warns_of_a_copied_run_but_not_of_equal_exact_counts(void **state)
{
	struct decided_gate a;

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

static void warns_of_a_uniform_slowdown(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 500);
	for (int i = 0; i < 12; i++)
		a.g.value[SIDE_NEW][i] = 700;
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_PASS);
	assert_string_equal(warning(&a, "uniform"),
			    "the part that is assumed unchanged costs 1.40 times as much per profile: if the work was "
			    "the same, everything costs more, which this comparison cannot detect; pass --work-base "
			    "and --work-new, or --normalize=none if both sides did the same work");
	end(&a);
}

static void one_slow_function_is_not_a_uniform_slowdown(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 500);
	a.g.options.threshold = 0.1;
	for (int i = 0; i < 12; i++)
		a.g.value[SIDE_NEW][i] = 525;
	made_stack(&a.g, "slow main", 500, 1100); /* the program costs x1.14 with the function, x1.05 without it */
	finish(&a, 1, 1);
	assert_int_equal(a.out.outcome, GATE_FAILED);
	assert_string_equal(warning(&a, "uniform"), "");
	end(&a);
}

/* The programs have only main and runtime functions in common. */
static void different_programs_do_not_pass(void **state)
{
	struct decided_gate a;
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
	assert_true(a.out.is_disjoint);
	assert_int_equal(a.out.outcome, GATE_INCONCLUSIVE);
	assert_int_equal(a.out.status, 3);
	assert_string_equal(warning(&a, "unlike"),
			    "only 21% of the samples of base are in functions that the other side has, too");
	end(&a);
}

/* A program with half of its functions renamed was refactored. */
static void a_program_with_half_new_code_may_pass(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "old main", 3000, 0);
	made_stack(&a.g, "young main", 0, 3000);
	finish(&a, 1, 1);
	assert_false(a.out.is_disjoint);
	assert_int_equal(a.out.outcome, GATE_PASS);
	end(&a);
}

static void one_file_per_side_from_a_busy_and_a_quiet_machine_never_fails(void **state)
{
	static const double busy[] = { 0.35, 0.04 };
	struct decided_gate a;

	(void)state;
	for (int i = 0; i < 4; i++) { /* a busy or an almost idle machine, one or three files */
		start(&a, 300);
		made_stack(&a.g, "slow main", 500, 1500);
		made_seal(&a.g, 1 + i / 2 * 2, 1 + i / 2 * 2);
		file(&a, 0)->preempted = busy[i % 2] * a.g.s.total[SIDE_BASE];
		decide(&a);
		row_is(&a, "slow", i == 0 ? GATE_SUSPECT : GATE_FAIL);
		if (i == 0)
			assert_string_equal(find(&a, "slow", GATE_CUM)->reason,
					    "35% of base and 0% of new were preempted, so one pair proves nothing: "
					    "pass several profiles per side, captured alternately");
		end(&a);
	}
}

static void warns_of_functions_without_names(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_stack(&a.g, "[kernel] main", 350, 350);
	made_stack(&a.g, "[shop] main", 900, 2000);
	finish(&a, 1, 1);
	assert_string_equal(warning(&a, "nameless"), "34% of the samples of new are in [shop], whose functions have no "
						     "names and share one row, which hides slower ones; add symbols");
	end(&a);
	start(&a, 300);
	made_stack(&a.g, "[kernel] main", 350, 350);
	finish(&a, 1, 1);
	assert_string_equal(warning(&a, "nameless"), "");
	end(&a);
}

static void leaves_folded_by_the_user_are_not_reported_as_preempted(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_seal(&a.g, 1, 1);
	file(&a, 0)->preempted = 0.4 * a.g.s.total[SIDE_BASE];
	a.g.options.has_own_fold = true;
	decide(&a);
	assert_string_equal(warning(&a, "contended"), "");
	assert_string_equal(note(&a, "folded"), "40.0% of the samples of base and 0.0% of new have a leaf that matches "
						"--fold; they are charged to its callers");
	end(&a);
}

static void quiet_profiles_have_no_warnings(void **state)
{
	struct decided_gate a;

	(void)state;
	start(&a, 300);
	made_seal(&a.g, 3, 3);
	for (uint32_t i = 0; i < 6; i++)
		file(&a, i)->time_ns = i < 3 ? 2 * i + 1 : 2 * i - 4;
	decide(&a);
	assert_int_equal(a.out.n_warnings, 0);
	end(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unchanged_code_passes),
		cmocka_unit_test(a_slower_function_fails_and_a_faster_one_is_reported),
		cmocka_unit_test(a_change_possibly_due_to_chance_is_suspect_and_passes_with_enough_power),
		cmocka_unit_test(a_comparison_without_power_does_not_pass),
		cmocka_unit_test(does_not_pass_without_tests),
		cmocka_unit_test(reports_that_most_functions_have_no_names),
		cmocka_unit_test(an_unknown_number_of_stacks_neither_fails_nor_passes),
		cmocka_unit_test(a_change_within_the_threshold_does_not_fail),
		cmocka_unit_test(limit_lines_set_the_limit_of_a_function),
		cmocka_unit_test(allowed_regressions_are_skipped_and_listed),
		cmocka_unit_test(an_expired_allow_line_does_not_apply),
		cmocka_unit_test(code_that_moved_up_from_a_callee_is_not_a_regression),
		cmocka_unit_test(flat_that_grew_without_a_cheaper_callee_fails),
		cmocka_unit_test(a_new_function_fails_if_the_program_grew_with_it),
		cmocka_unit_test(a_function_with_one_sample_in_the_base_is_new),
		cmocka_unit_test(a_new_function_is_judged_by_its_caller),
		cmocka_unit_test(a_budget_applies_without_a_change_and_below_min_share),
		cmocka_unit_test(reference_rows_are_not_listed),
		cmocka_unit_test(runtime_warn_makes_runtime_functions_suspect),
		cmocka_unit_test(schedulers_and_collectors_fail_only_where_asked_or_over_budget),
		cmocka_unit_test(one_pair_under_different_load_does_not_fail),
		cmocka_unit_test(one_pair_from_a_busy_machine_does_not_fail),
		cmocka_unit_test(one_pair_of_a_program_without_names_does_not_fail),
		cmocka_unit_test(a_benchmark_of_go_that_is_too_short_names_what_would_do),
		cmocka_unit_test(delay_profiles_never_fail_with_one_file_per_side),
		cmocka_unit_test(a_pass_requires_the_power_requested_by_need),
		cmocka_unit_test(power_agrees_with_the_method),
		cmocka_unit_test(power_uses_the_limits_of_the_rows),
		cmocka_unit_test(varying_runs_have_less_power),
		cmocka_unit_test(warns_if_too_few_functions_remain_as_reference),
		cmocka_unit_test(new_code_below_main_is_judged_by_the_program),
		cmocka_unit_test(a_few_heavy_samples_do_not_reduce_the_sample_count),
		cmocka_unit_test(a_strict_gate_has_less_power),
		cmocka_unit_test(warns_of_different_machines_loads_and_periods),
		cmocka_unit_test(warns_of_a_profile_compared_with_itself),
		cmocka_unit_test(warns_of_a_copied_run_but_not_of_equal_exact_counts),
		cmocka_unit_test(warns_of_a_uniform_slowdown),
		cmocka_unit_test(one_slow_function_is_not_a_uniform_slowdown),
		cmocka_unit_test(different_programs_do_not_pass),
		cmocka_unit_test(a_program_with_half_new_code_may_pass),
		cmocka_unit_test(one_file_per_side_from_a_busy_and_a_quiet_machine_never_fails),
		cmocka_unit_test(warns_of_functions_without_names),
		cmocka_unit_test(leaves_folded_by_the_user_are_not_reported_as_preempted),
		cmocka_unit_test(quiet_profiles_have_no_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
