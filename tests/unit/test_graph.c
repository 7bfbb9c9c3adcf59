/*
 * test_graph.c - flat and cum of every place
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/graph.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/pool.h"
#include "tests/unit/make_graph.h"

static void expect_node(const struct graph_fixture *a, const char *name, int64_t flat, int64_t cum)
{
	uint32_t node = place_named(&a->pl, name);
	struct nodes nodes = a->g.nodes;

	assert_int_equal(nodes_flat(&nodes, node), flat);
	assert_int_equal(nodes_cum(&nodes, node), cum);
}

static void flat_and_cum_of_the_example_add_up(void **state)
{
	struct make m = make_example();
	struct graph_fixture a = graph_fixture_start(&m);

	(void)state;
	graph_fixture_run(&a);
	expect_node(&a, "c", 50, 50);
	expect_node(&a, "b", 30, 100);
	expect_node(&a, "a", 20, 100);
	expect_node(&a, "inl", 20, 20);
	expect_node(&a, "host", 0, 10);
	expect_node(&a, "main", 0, 120);
	assert_int_equal(a.g.nodes.n, 6);
	graph_fixture_release(&a);
}

static void a_recursive_function_counts_once_per_sample(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f;f;g;f;main", 7);
	ROW(&m, "g;f;g", 1);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	expect_node(&a, "f", 7, 8);
	expect_node(&a, "g", 1, 8);
	graph_fixture_release(&a);
}

static void flat_counts_for_the_innermost_inlined_call(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "in+mid+out;main", 5);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	expect_node(&a, "in", 5, 5);
	expect_node(&a, "mid", 0, 5);
	expect_node(&a, "out", 0, 5);
	graph_fixture_release(&a);
}

static void without_inlines_flat_counts_for_the_outermost_function(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "in+out;main", 5);
	a = graph_fixture_start(&m);
	a.q.noinlines = true;
	graph_fixture_run(&a);
	expect_node(&a, "out", 5, 5);
	assert_int_equal(a.g.nodes.n, 2);
	graph_fixture_release(&a);
}

static void a_function_inlined_into_itself_counts_once(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f+f;main", 5);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	expect_node(&a, "f", 5, 5);
	graph_fixture_release(&a);
}

static void an_empty_stack_counts_only_in_the_total(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "", 40);
	ROW(&m, "main", 2);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	assert_int_equal(a.v.total, 42);
	assert_int_equal(a.g.nodes.n, 1);
	expect_node(&a, "main", 2, 2);
	graph_fixture_release(&a);
}

static void negative_values_are_subtracted(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f;main", 30);
	ROW(&m, "g;main", -40);
	ROW(&m, "f;main", -10);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	expect_node(&a, "f", 20, 20);
	expect_node(&a, "g", -40, -40);
	expect_node(&a, "main", 0, -20);
	graph_fixture_release(&a);
}

static void a_sum_can_be_the_largest_number(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f;main", INT64_MAX - 1);
	ROW(&m, "g;main", 1);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	expect_node(&a, "main", 0, INT64_MAX);
	graph_fixture_release(&a);
}

static void equal_places_share_their_sums(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f@a.c:1;main@a.c:9", 1);
	ROW(&m, "f@a.c:2;main@a.c:8", 10);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	expect_node(&a, "f", 11, 11);
	expect_node(&a, "main", 0, 11);
	graph_fixture_release(&a);
}

static void stacks_whose_rows_are_all_zero_are_not_live(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f", 0);
	ROW(&m, "g", 5);
	ROW(&m, "g", -5);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	assert_false(a.g.live[a.p->stack[0]]);
	assert_true(a.g.live[a.p->stack[1]]);
	assert_int_equal(a.g.weight[a.p->stack[1]], 0);
	graph_fixture_release(&a);
}

static void a_mean_divides_the_sums_toward_zero(void **state)
{
	struct make m = make_start("contentions/count delay/ns");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f;main", 2, 11);
	ROW(&m, "g;main", 3, -14);
	a = graph_fixture_start(&m);
	a.q.mean = true;
	graph_fixture_run(&a);
	expect_node(&a, "f", 5, 5);
	expect_node(&a, "g", -4, -4);
	expect_node(&a, "main", 0, 0); /* -3 / 5 */
	assert_int_equal(a.g.nodes.cum[place_named(&a.pl, "main")], -3);
	graph_fixture_release(&a);
}

static void a_divisor_of_0_does_not_divide(void **state)
{
	struct make m = make_start("contentions/count delay/ns");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f;main", 0, 11);
	a = graph_fixture_start(&m);
	a.q.mean = true;
	graph_fixture_run(&a);
	expect_node(&a, "f", 11, 11);
	graph_fixture_release(&a);
}

static void a_stack_with_only_a_divisor_is_live(void **state)
{
	struct make m = make_start("contentions/count delay/ns");
	struct graph_fixture a;

	(void)state;
	ROW(&m, "f", 3, 0);
	ROW(&m, "f", 1, 8);
	ROW(&m, "g", 3, 0);
	a = graph_fixture_start(&m);
	a.q.mean = true;
	graph_fixture_run(&a);
	expect_node(&a, "f", 2, 2);
	assert_true(a.g.live[a.p->stack[2]]);
	graph_fixture_release(&a);
}

static void only_a_mean_has_divisors(void **state)
{
	struct make m = make_example();
	struct graph_fixture a = graph_fixture_start(&m);

	(void)state;
	graph_fixture_run(&a);
	assert_null(a.g.nodes.flat_div);
	assert_null(a.g.nodes.cum_div);
	graph_fixture_release(&a);
}

static void a_profile_without_samples_has_no_nodes(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a = graph_fixture_start(&m);

	(void)state;
	graph_fixture_run(&a);
	assert_int_equal(a.g.nodes.n, 0);
	graph_fixture_release(&a);
}

/* Enough frames for eight threads, all stacks different: the first three frames are the digits of i in base 100. */
static struct make many_stacks(void)
{
	enum { N = 200000, FRAMES = 5 };
	struct make m = make_start("samples/count");
	uint32_t loc[100];

	for (uint32_t i = 0; i < 100; i++) {
		char name[8];

		snprintf(name, sizeof(name), "f%u", i);
		loc[i] = make_location(&m, name, strlen(name));
	}
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t stack[FRAMES] = { loc[i % 100], loc[i / 100 % 100], loc[i / 10000], loc[i % 100],
						 loc[0] };

		builder_sample(m.b, &(int64_t){ (int64_t)(i % 7) - 2 }, stack, FRAMES, NULL, 0, NULL);
	}
	return m;
}

static void sums_do_not_depend_on_the_number_of_threads(void **state)
{
	static const unsigned threads[] = { 2, 3, 4, 8 };
	struct make m = many_stacks();
	struct graph_fixture a = graph_fixture_start(&m);
	struct graph g;

	(void)state;
	pool_set_size(1);
	graph_fixture_run(&a);
	assert_true(a.p->stacks.off[a.p->stacks.n] >= 800000);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		pool_set_size(threads[i]);
		graph_make(&a.v, &a.pl, a.mem, &g);
		assert_memory_equal(g.nodes.flat, a.g.nodes.flat, g.nodes.n * sizeof(int64_t));
		assert_memory_equal(g.nodes.cum, a.g.nodes.cum, g.nodes.n * sizeof(int64_t));
	}
	pool_set_size(0);
	graph_fixture_release(&a);
}

/* 200000 values that cycle through -2 .. 4: 28571 cycles with a sum of 7, and then -2, -1, 0. */
static void no_values_are_lost_with_several_threads(void **state)
{
	struct make m = many_stacks();
	struct graph_fixture a = graph_fixture_start(&m);
	int64_t flat = 0;

	(void)state;
	pool_set_size(8);
	graph_fixture_run(&a);
	pool_set_size(0);
	for (uint32_t i = 0; i < a.g.nodes.n; i++)
		flat += a.g.nodes.flat[i];
	assert_int_equal(flat, 28571 * 7 - 3);
	expect_node(&a, "f0", a.g.nodes.flat[place_named(&a.pl, "f0")], 28571 * 7 - 3);
	graph_fixture_release(&a);
}

enum { RANDOM_FUNCS = 40, RANDOM_LOCS = 80, RANDOM_DEPTH = 3000 };

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(*seed >> 8) * n >> 24);
}

/*
 * Random stacks, most of them short, of locations with up to five places. f1 to f9 are never inlined, others are inlined in
 * some locations.
 */
static struct make random_stacks(uint32_t seed, uint32_t n_stacks)
{
	struct make m = make_start("samples/count");
	uint32_t loc[RANDOM_LOCS], stack[RANDOM_DEPTH];

	for (uint32_t i = 0; i < RANDOM_LOCS; i++) {
		char name[60] = "";
		int n = 0;

		for (uint32_t more = i % 2 ? random_below(&seed, 5) : 0; more > 0; more--)
			n += snprintf(name + n, sizeof(name) - (size_t)n, "f%u+",
				      10 + random_below(&seed, RANDOM_FUNCS - 10));
		n += snprintf(name + n, sizeof(name) - (size_t)n, "f%u", random_below(&seed, RANDOM_FUNCS));
		loc[i] = make_location(&m, name, (size_t)n);
	}
	for (uint32_t i = 0; i < n_stacks; i++) {
		uint32_t depth = random_below(&seed, i % 500 ? 20 : RANDOM_DEPTH);

		for (uint32_t k = 0; k < depth; k++)
			stack[k] = loc[random_below(&seed, RANDOM_LOCS)];
		builder_sample(m.b, &(int64_t){ (int64_t)random_below(&seed, 9) - 2 }, stack, depth, NULL, 0, NULL);
	}
	return m;
}

/* Add up a view in the simplest way: flat and cum of places, and the sums of locations with several. */
static void sum_simply(const struct graph_fixture *a, int64_t *flat, int64_t *cum, int64_t *several)
{
	const struct stack_lists *stacks = &a->p->stacks;

	for (uint32_t row = 0; row < a->v.n; row++) {
		bool *has_place = mem_zalloc(a->pl.n, 1), *has_loc = mem_zalloc(a->p->n_locs, 1);
		uint32_t s = a->p->stack[row], n;

		for (uint32_t i = stacks->off[s]; i < stacks->off[s + 1]; i++) {
			uint32_t loc = stack_id_at(stacks, i);
			const uint32_t *place = places_of(&a->pl, loc, &n);

			flat[place[0]] += i == stacks->off[s] ? a->v.val[row] : 0;
			for (uint32_t k = 0; k < n; k++)
				has_place[place[k]] = true;
			has_loc[loc] = n > 1;
		}
		for (uint32_t k = 0; k < a->pl.n; k++)
			cum[k] += has_place[k] ? a->v.val[row] : 0;
		for (uint32_t loc = 0; loc < a->p->n_locs; loc++)
			if (has_loc[loc])
				several[places_several(a->pl.list[loc])] += a->v.val[row];
		free(has_place);
		free(has_loc);
	}
}

static void sums_of_random_stacks_equal_simple_ones(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 4; round++) {
		struct make m = random_stacks(round, round < 3 ? 3000 : 30000);
		struct graph_fixture a = graph_fixture_start(&m);
		int64_t *flat, *cum, *several;

		pool_set_size(1 + round % 2);
		graph_fixture_run(&a);
		flat = arena_zalloc(a.mem, a.pl.n, sizeof(*flat));
		cum = arena_zalloc(a.mem, a.pl.n, sizeof(*cum));
		several = arena_zalloc(a.mem, places_n_several(&a.pl), sizeof(*several));
		sum_simply(&a, flat, cum, several);
		assert_memory_equal(a.g.nodes.flat, flat, a.pl.n * sizeof(*flat));
		assert_memory_equal(a.g.nodes.cum, cum, a.pl.n * sizeof(*cum));
		assert_memory_equal(a.g.several, several, places_n_several(&a.pl) * sizeof(*several));
		graph_fixture_release(&a);
	}
	pool_set_size(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_random_stacks_equal_simple_ones),
		cmocka_unit_test(flat_and_cum_of_the_example_add_up),
		cmocka_unit_test(a_recursive_function_counts_once_per_sample),
		cmocka_unit_test(flat_counts_for_the_innermost_inlined_call),
		cmocka_unit_test(without_inlines_flat_counts_for_the_outermost_function),
		cmocka_unit_test(a_function_inlined_into_itself_counts_once),
		cmocka_unit_test(an_empty_stack_counts_only_in_the_total),
		cmocka_unit_test(negative_values_are_subtracted),
		cmocka_unit_test(a_sum_can_be_the_largest_number),
		cmocka_unit_test(equal_places_share_their_sums),
		cmocka_unit_test(stacks_whose_rows_are_all_zero_are_not_live),
		cmocka_unit_test(a_mean_divides_the_sums_toward_zero),
		cmocka_unit_test(a_divisor_of_0_does_not_divide),
		cmocka_unit_test(a_stack_with_only_a_divisor_is_live),
		cmocka_unit_test(only_a_mean_has_divisors),
		cmocka_unit_test(a_profile_without_samples_has_no_nodes),
		cmocka_unit_test(sums_do_not_depend_on_the_number_of_threads),
		cmocka_unit_test(no_values_are_lost_with_several_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
