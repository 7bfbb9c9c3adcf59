/*
 * test_boxes_sums.c - what places have over all stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/boxes.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

static void expect(const struct asked *a, const struct boxes_sums *s, const char *name, enum side side, int64_t self,
		   int64_t total)
{
	uint32_t place = place_named(&a->pl, name);

	assert_int_equal(s->self[side][place], self);
	assert_int_equal(s->total[side][place], total);
}

static void a_place_counts_once_a_stack_and_has_its_leaves(void **state)
{
	struct make m = make_example();
	struct asked a = ask_about(&m);
	struct boxes_sums s;

	(void)state;
	ask(&a);
	boxes_sum(&a.v, &a.pl, a.mem, &s);
	expect(&a, &s, "main", SIDE_TARGET, 0, 120);
	expect(&a, &s, "a", SIDE_TARGET, 20, 100);
	expect(&a, &s, "b", SIDE_TARGET, 30, 100);
	expect(&a, &s, "c", SIDE_TARGET, 50, 50);
	expect(&a, &s, "inl", SIDE_TARGET, 20, 20);
	expect(&a, &s, "host", SIDE_TARGET, 0, 10);
	for (uint32_t i = 0; i < a.pl.n; i++) {
		assert_int_equal(s.self[SIDE_TARGET][i], a.g.flat[SIDE_TARGET][i]);
		assert_int_equal(s.total[SIDE_TARGET][i], a.g.cum[SIDE_TARGET][i]);
		assert_int_equal(s.total[SIDE_BASE][i], 0);
	}
	ask_release(&a);
}

static void what_is_below_0_is_the_base_and_does_not_cancel(void **state)
{
	struct make m = make_start("cpu/milliseconds");
	struct asked a;
	struct boxes_sums s;

	(void)state;
	ROW(&m, "leaf;main", 30);
	ROW(&m, "leaf;main", -10);
	ROW(&m, "old;main", -5);
	a = ask_about(&m);
	ask(&a);
	boxes_sum(&a.v, &a.pl, a.mem, &s);
	expect(&a, &s, "leaf", SIDE_TARGET, 30, 30);
	expect(&a, &s, "leaf", SIDE_BASE, 10, 10);
	expect(&a, &s, "old", SIDE_TARGET, 0, 0);
	expect(&a, &s, "old", SIDE_BASE, 5, 5);
	expect(&a, &s, "main", SIDE_BASE, 0, 15);
	ask_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_counts_once_a_stack_and_has_its_leaves),
		cmocka_unit_test(what_is_below_0_is_the_base_and_does_not_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
