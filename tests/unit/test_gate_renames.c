/*
 * test_gate_renames.c - functions that a gate detects as renamed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_gate.h"

#include <math.h>
#include <stdio.h>

struct made_renames {
	struct made_gate g;
	struct arena *mem;
	struct gate out;
};

static void start(struct made_renames *m)
{
	*m = (struct made_renames){ .mem = arena_new() };
	made_start(&m->g);
}

static void find(struct made_renames *m)
{
	made_seal(&m->g, 1, 1);
	gate_find_renames(&m->g.s, m->mem, &m->out);
}

static void release(struct made_renames *m)
{
	made_release(&m->g);
	arena_free(m->mem);
}

/* Returns true if from was renamed to to, in the suggestions and in func.canonical. */
static bool is_renamed(const struct made_renames *m, const char *from, const char *to)
{
	bool told = false, counts = false;

	for (uint32_t i = 0; i < m->out.n_renames; i++)
		told |= strcmp(m->out.rename[i].from, from) == 0 && strcmp(m->out.rename[i].to, to) == 0 &&
			!m->out.rename[i].is_explicit && isnan(m->out.rename[i].ratio);
	for (uint32_t i = 0; i < m->g.s.n_funcs; i++)
		if (strcmp(m->g.s.func[i].name, from) == 0)
			counts |= strcmp(m->g.s.func[m->g.s.func[i].canonical].name, to) == 0;
	assert_int_equal(told, counts);
	return told;
}

static void a_function_with_the_same_callers_callees_and_file_is_renamed(void **state)
{
	struct made_renames m;

	(void)state;
	start(&m);
	made_stack(&m.g, "hash main.scoreA|score.go|4 main.score main.main", 60, 0);
	made_stack(&m.g, "main.scoreA main.score main.main", 60, 0);
	made_stack(&m.g, "hash main.rankOrders|score.go|9 main.score main.main", 0, 66);
	made_stack(&m.g, "main.rankOrders main.score main.main", 0, 66);
	made_stack(&m.g, "hash main.main", 300, 300);
	made_stack(&m.g, "main.score main.main", 300, 300);
	find(&m);
	assert_int_equal(m.out.n_renames, 1);
	assert_true(is_renamed(&m, "main.scoreA", "main.rankOrders"));
	release(&m);
}

static void different_callers_or_callees_are_not_a_rename(void **state)
{
	struct made_renames m;

	(void)state;
	start(&m);
	made_stack(&m.g, "hash old|a.c a main", 200, 0);
	made_stack(&m.g, "hash new|a.c b main", 0, 200);
	made_stack(&m.g, "hash gone|b.c a main", 200, 0);
	made_stack(&m.g, "sort come|b.c a main", 0, 200);
	made_stack(&m.g, "hash a main", 300, 300);
	made_stack(&m.g, "sort b main", 300, 300);
	find(&m);
	assert_int_equal(m.out.n_renames, 0);
	release(&m);
}

static void a_cost_ratio_above_1_5_is_not_a_rename(void **state)
{
	for (int more = 0; more < 2; more++) {
		struct made_renames m;

		(void)state;
		start(&m);
		made_stack(&m.g, "old|a.c main", 100, 0);
		made_stack(&m.g, "new|a.c main", 0, more ? 151 : 149);
		made_stack(&m.g, "rest main", 900, more ? 849 : 851);
		find(&m);
		assert_int_equal(m.out.n_renames, !more);
		release(&m);
	}
}

static void a_chain_of_renames_is_found_step_by_step(void **state)
{
	struct made_renames m;

	(void)state;
	start(&m);
	made_stack(&m.g, "d1|a.c c1|a.c b1|a.c a1|a.c main", 400, 0);
	made_stack(&m.g, "d2|a.c c2|a.c b2|a.c a2|a.c main", 0, 410);
	made_stack(&m.g, "rest main", 1000, 1000);
	find(&m);
	assert_int_equal(m.out.n_renames, 4);
	assert_true(is_renamed(&m, "a1", "a2"));
	assert_true(is_renamed(&m, "b1", "b2"));
	assert_true(is_renamed(&m, "c1", "c2"));
	assert_true(is_renamed(&m, "d1", "d2"));
	release(&m);
}

static void without_a_common_name_a_rename_must_be_the_only_candidate(void **state)
{
	for (int two = 0; two < 2; two++) {
		struct made_renames m;

		(void)state;
		start(&m);
		made_stack(&m.g, "x.old|a.c|3 main", 200, 0);
		made_stack(&m.g, "x.new|b.c|4 main", 0, 200);
		if (two)
			made_stack(&m.g, "x.other|c.c|5 main", 0, 180);
		made_stack(&m.g, "rest main", 1000, 1000);
		find(&m);
		assert_int_equal(m.out.n_renames, !two);
		release(&m);
	}
}

static void the_only_candidate_in_another_package_is_not_a_rename(void **state)
{
	static const char *const come[] = { "flate.(*Writer).Write", "smooth.Blur" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct made_renames m;
		char stack[64];

		start(&m);
		made_stack(&m.g, "smooth.Filter main.main", 60, 0);
		snprintf(stack, sizeof(stack), "%s main.main", come[i]);
		made_stack(&m.g, stack, 0, 60);
		made_stack(&m.g, "hash main.main", 300, 300);
		find(&m);
		assert_int_equal(m.out.n_renames, i);
		release(&m);
	}
}

static void a_moved_method_is_found_by_the_last_part_of_its_name(void **state)
{
	struct made_renames m;

	(void)state;
	start(&m);
	made_stack(&m.g, "hash shop.(*Order).Sum|a.go|3 main", 200, 0);
	made_stack(&m.g, "hash cart.(*Cart).Sum|b.go|4 main", 0, 200);
	made_stack(&m.g, "hash cart.(*Cart).Check|b.go|9 main", 0, 200);
	made_stack(&m.g, "hash main", 1000, 1000);
	find(&m);
	assert_int_equal(m.out.n_renames, 1);
	assert_true(is_renamed(&m, "shop.(*Order).Sum", "cart.(*Cart).Sum"));
	release(&m);
}

static void a_tie_is_not_a_rename(void **state)
{
	struct made_renames m;

	(void)state;
	start(&m);
	made_stack(&m.g, "old|a.c main", 200, 0);
	made_stack(&m.g, "new1|a.c main", 0, 200);
	made_stack(&m.g, "new2|a.c main", 0, 200);
	made_stack(&m.g, "rest main", 1000, 1000);
	find(&m);
	assert_int_equal(m.out.n_renames, 0);
	release(&m);
}

static void functions_with_few_samples_are_not_candidates(void **state)
{
	struct made_renames m;

	(void)state;
	start(&m);
	made_stack(&m.g, "old|a.c main", 19, 0);
	made_stack(&m.g, "new|a.c main", 0, 19);
	made_stack(&m.g, "rest main", 300, 300);
	find(&m);
	assert_int_equal(m.out.n_renames, 0);
	release(&m);
}

static void noise_among_many_callees_does_not_hide_a_rename(void **state)
{
	static const double part[10][2] = { { 6, 3 }, { 2, 5 }, { 5, 4 }, { 4, 7 }, { 3, 4 },
					    { 7, 5 }, { 4, 6 }, { 5, 3 }, { 3, 5 }, { 5, 4 } };
	struct made_renames m;

	(void)state;
	start(&m);
	for (int i = 0; i < 10; i++) {
		char stack[64];

		snprintf(stack, sizeof(stack), "leaf%d old|a.c main", i);
		made_stack(&m.g, stack, part[i][0], 0);
		snprintf(stack, sizeof(stack), "leaf%d new|a.c main", i);
		made_stack(&m.g, stack, 0, part[i][1]);
		snprintf(stack, sizeof(stack), "leaf%d main", i);
		made_stack(&m.g, stack, 10, 10);
	}
	find(&m);
	assert_true(is_renamed(&m, "old", "new"));
	release(&m);
}

static void suggestions_come_before_explicit_renames(void **state)
{
	struct made_renames m;
	struct gate_rule *r;

	(void)state;
	start(&m);
	made_stack(&m.g, "old|a.c main", 200, 0);
	made_stack(&m.g, "new|a.c main", 0, 200);
	made_stack(&m.g, "rest main", 1000, 1000);
	r = made_rule(&m.g, GATE_RENAME, "x(.*)", 0);
	r->to = "y$1";
	r->n_used = 1;
	made_rule(&m.g, GATE_RENAME, "unused", 0);
	find(&m);
	assert_int_equal(m.out.n_renames, 2);
	assert_true(is_renamed(&m, "old", "new"));
	assert_true(m.out.rename[1].is_explicit);
	assert_string_equal(m.out.rename[1].from, "x(.*)");
	assert_string_equal(m.out.rename[1].to, "y$1");
	release(&m);
}

static void the_order_of_functions_does_not_matter(void **state)
{
	for (int turned = 0; turned < 2; turned++) {
		struct made_renames m;

		(void)state;
		start(&m);
		for (int i = 0; i < 4; i++) {
			switch (turned ? 3 - i : i) {
			case 0:
				made_stack(&m.g, "light1|a.c main", 50, 0);
				break;
			case 1:
				made_stack(&m.g, "light2|a.c main", 0, 50);
				break;
			case 2:
				made_stack(&m.g, "heavy1|a.c main", 200, 0);
				break;
			default:
				made_stack(&m.g, "heavy2|a.c main", 0, 200);
			}
		}
		made_stack(&m.g, "rest main", 1000, 1000);
		find(&m);
		assert_int_equal(m.out.n_renames, 2);
		assert_string_equal(m.out.rename[0].to, "heavy2");
		assert_string_equal(m.out.rename[1].to, "light2");
		release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_with_the_same_callers_callees_and_file_is_renamed),
		cmocka_unit_test(different_callers_or_callees_are_not_a_rename),
		cmocka_unit_test(a_cost_ratio_above_1_5_is_not_a_rename),
		cmocka_unit_test(a_chain_of_renames_is_found_step_by_step),
		cmocka_unit_test(without_a_common_name_a_rename_must_be_the_only_candidate),
		cmocka_unit_test(the_only_candidate_in_another_package_is_not_a_rename),
		cmocka_unit_test(a_moved_method_is_found_by_the_last_part_of_its_name),
		cmocka_unit_test(a_tie_is_not_a_rename),
		cmocka_unit_test(functions_with_few_samples_are_not_candidates),
		cmocka_unit_test(noise_among_many_callees_does_not_hide_a_rename),
		cmocka_unit_test(suggestions_come_before_explicit_renames),
		cmocka_unit_test(the_order_of_functions_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
