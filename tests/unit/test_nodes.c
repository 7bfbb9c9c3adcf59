/*
 * test_nodes.c - nodes of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/nodes.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"
#include "tests/unit/make_net.h"

static void a_mean_is_the_value_divided_by_its_divisor(void **state)
{
	(void)state;
	assert_int_equal(nodes_mean(7, 2), 3);
	assert_int_equal(nodes_mean(-7, 2), -3);
	assert_int_equal(nodes_mean(7, 0), 7);
	assert_int_equal(nodes_mean(0, 5), 0);
}

static void values_are_divided_when_there_are_divisors(void **state)
{
	const int64_t flat[] = { 10, 9 }, cum[] = { 100, 90 }, flat_div[] = { 5, 0 }, cum_div[] = { 7, 3 };
	struct nodes n = { .n = 2, .flat = flat, .cum = cum };

	(void)state;
	assert_int_equal(nodes_flat(&n, 0), 10);
	assert_int_equal(nodes_cum(&n, 0), 100);
	n.flat_div = flat_div;
	n.cum_div = cum_div;
	assert_int_equal(nodes_flat(&n, 0), 2);
	assert_int_equal(nodes_cum(&n, 0), 14);
	assert_int_equal(nodes_flat(&n, 1), 9);
	assert_int_equal(nodes_cum(&n, 1), 30);
}

static void a_node_number_is_its_place_unless_there_is_a_place_column(void **state)
{
	const uint32_t place[] = { 5, 5, 2 };
	struct nodes n = { .n = 3 };

	(void)state;
	assert_int_equal(nodes_place(&n, 2), 2);
	n.place = place;
	assert_int_equal(nodes_place(&n, 1), 5);
	assert_int_equal(nodes_place(&n, 2), 2);
}

/* Names of places of a profile, by line. */
static void name_lines(struct graph_fixture *a, struct make *m, struct node_names *names)
{
	*a = graph_fixture_start(m);
	a->q.granularity = GRAIN_LINES;
	graph_fixture_run(a);
	node_names_init(names, &a->pl, a->mem);
}

static void each_name_is_made_only_once(void **state)
{
	struct make m = make_start("samples/count");
	struct node_names names;
	struct graph_fixture a;
	const char *first;

	(void)state;
	ROW(&m, "f@x.c:3;g", 1);
	name_lines(&a, &m, &names);
	first = node_names_of(&names, place_named(&a.pl, "f x.c:3"));
	assert_string_equal(first, "f x.c:3");
	assert_ptr_equal(first, node_names_of(&names, place_named(&a.pl, "f x.c:3")));
	assert_string_equal(node_names_of(&names, place_named(&a.pl, "g")), "g");
	graph_fixture_release(&a);
}

static void a_nul_in_a_name_is_escaped(void **state)
{
	struct make m = make_start("samples/count");
	struct builder_function f = { .id = 1, .name = make_text(&m, "a\0b\n", 4) };
	struct builder_line line = { 0 };
	struct builder_location l = { .id = 1, .map = PROFILE_NONE };
	struct node_names names;
	struct graph_fixture a;
	uint32_t loc;

	(void)state;
	builder_function(m.b, &f, &line.func, NULL);
	builder_location(m.b, &l, &line, 1, &loc, NULL);
	builder_sample(m.b, &(int64_t){ 1 }, &loc, 1, NULL, 0, NULL);
	name_lines(&a, &m, &names);
	assert_int_equal(a.pl.n, 1);
	assert_string_equal(node_names_of(&names, 0), "a\\x00b\\n");
	graph_fixture_release(&a);
}

static void ranks_are_by_name_and_equal_names_share_a_rank(void **state)
{
	struct make m = make_start("samples/count");
	struct node_names names;
	struct graph_fixture a;
	bool some[4] = { true, true, true, true };
	uint32_t *rank;

	(void)state;
	ROW(&m, "f@x.c:3;f x.c:3;b;a", 1);
	name_lines(&a, &m, &names);
	assert_int_equal(a.pl.n, 4);
	rank = node_names_rank(&names, some, a.mem);
	assert_int_equal(rank[place_named(&a.pl, "a")], 1);
	assert_int_equal(rank[place_named(&a.pl, "b")], 2);
	for (uint32_t k = 0; k < 4; k++)
		assert_int_equal(rank[k], strcmp(node_names_of(&names, k), "f x.c:3") == 0 ? 3 : rank[k]);
	graph_fixture_release(&a);
}

static void only_wanted_places_have_a_rank(void **state)
{
	struct make m = make_start("samples/count");
	struct node_names names;
	struct graph_fixture a;
	bool some[3] = { false };
	uint32_t *rank;

	(void)state;
	ROW(&m, "c;b;a", 1);
	name_lines(&a, &m, &names);
	rank = node_names_rank(&names, some, a.mem);
	for (uint32_t k = 0; k < 3; k++)
		assert_int_equal(rank[k], 0);
	some[place_named(&a.pl, "c")] = true;
	rank = node_names_rank(&names, some, a.mem);
	assert_int_equal(rank[place_named(&a.pl, "c")], 1);
	assert_int_equal(rank[place_named(&a.pl, "a")], 0);
	graph_fixture_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mean_is_the_value_divided_by_its_divisor),
		cmocka_unit_test(values_are_divided_when_there_are_divisors),
		cmocka_unit_test(a_node_number_is_its_place_unless_there_is_a_place_column),
		cmocka_unit_test(each_name_is_made_only_once),
		cmocka_unit_test(a_nul_in_a_name_is_escaped),
		cmocka_unit_test(ranks_are_by_name_and_equal_names_share_a_rank),
		cmocka_unit_test(only_wanted_places_have_a_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
