/*
 * test_trim.c - choose and sort the nodes of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/trim.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

static struct trim_result trim(struct graph_fixture *a, int64_t nodecount)
{
	struct trim_result t;
	struct nodes nodes;
	struct node_names names;

	graph_fixture_run(a);
	a->q.nodecount = nodecount;
	nodes = a->g.nodes;
	node_names_init(&names, &a->pl, a->mem);
	trim_make(&nodes, &a->q.filter, &names, a->mem, &t);
	return t;
}

/* Check the names of the shown nodes in order, separated by blanks. */
static void expect_shown(const struct trim_result *t, const char *names)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < t->n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", t->name[i]);
	assert_string_equal(buf_text(&b), names);
	buf_release(&b);
}

static void nodes_are_sorted_by_flat_then_name(void **state)
{
	struct make m = make_example();
	struct graph_fixture a = graph_fixture_start(&m);
	struct trim_result t = trim(&a, 0);

	(void)state;
	expect_shown(&t, "c b a inl host main");
	assert_int_equal(t.n_before_limit, 6);
	assert_int_equal(t.n_dropped, 0);
	graph_fixture_release(&a);
}

static void sort_cum_sorts_nodes_by_cum_then_name(void **state)
{
	struct make m = make_example();
	struct graph_fixture a = graph_fixture_start(&m);
	struct trim_result t;

	(void)state;
	a.q.sort = SORT_CUM;
	t = trim(&a, 0);
	expect_shown(&t, "main a b c inl host");
	graph_fixture_release(&a);
}

static void nodes_are_sorted_by_magnitude(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "c", 3);
	ROW(&m, "b", -7);
	ROW(&m, "a", 5);
	ROW(&m, "d", -3);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	expect_shown(&t, "b a c d");
	graph_fixture_release(&a);
}

static void names_are_compared_byte_by_byte(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "\xc3\xa9", 1);
	ROW(&m, "b", 1);
	ROW(&m, "B", 1);
	ROW(&m, "ba", 1);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	expect_shown(&t, "B b ba \xc3\xa9");
	graph_fixture_release(&a);
}

static void addresses_are_compared_before_names(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "0xfffffffffffffff0=a", 1);
	ROW(&m, "0x30=b", 1);
	ROW(&m, "0x20=c", 1);
	a = graph_fixture_start(&m);
	a.q.granularity = GRAIN_ADDRESSES;
	t = trim(&a, 0);
	expect_shown(&t, "0000000000000020 c 0000000000000030 b fffffffffffffff0 a");
	graph_fixture_release(&a);
}

/* This order is undefined in pprof. */
static void equal_names_are_sorted_by_cum(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "@^1", 4);
	ROW(&m, "f;@^2", 3);
	ROW(&m, "@^2", 4);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	expect_shown(&t, "<unknown> <unknown> f");
	assert_int_equal(a.g.nodes.cum[t.node[0]], 7);
	assert_int_equal(a.g.nodes.cum[t.node[1]], 4);
	graph_fixture_release(&a);
}

static void nodes_with_neither_flat_nor_cum_are_ignored(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "gone;main", 5);
	ROW(&m, "gone;main", -5);
	ROW(&m, "never;main", 0);
	ROW(&m, "f;main", 1);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	expect_shown(&t, "f main");
	assert_int_equal(t.n_dropped, 0);
	assert_int_equal(t.n_before_limit, 2);
	graph_fixture_release(&a);
}

static void a_node_with_flat_is_kept_when_its_cum_cancels_out(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "f", 5);
	ROW(&m, "g;f", -5);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	expect_shown(&t, "f g"); /* f: flat 5, cum 0 */
	graph_fixture_release(&a);
}

/* The sum of flat is 1009: 0.005 of it is 5.045, rounded to 5. */
static void removes_nodes_below_the_fraction_of_the_sum(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "big", 1000);
	ROW(&m, "five", 5);
	ROW(&m, "four", 4);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	expect_shown(&t, "big five");
	assert_int_equal(t.node_cut, 5);
	assert_int_equal(t.edge_cut, 1);
	assert_int_equal(t.n_dropped, 1);
	assert_int_equal(t.n_before_limit, 2);
	assert_true(t.keep[place_named(&a.pl, "five")]);
	assert_false(t.keep[place_named(&a.pl, "four")]);
	graph_fixture_release(&a);
}

static void a_cutoff_that_rounds_to_0_removes_nothing(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "big", 198);
	ROW(&m, "one", 1);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	assert_int_equal(t.node_cut, 0);
	expect_shown(&t, "big one");
	graph_fixture_release(&a);
}

static void compares_cum_not_flat_with_the_cutoff(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "f;main", 100);
	a = graph_fixture_start(&m);
	a.q.nodefraction = 1;
	t = trim(&a, 0);
	expect_shown(&t, "f main");
	graph_fixture_release(&a);
}

/* Sum -1000 + 4: the cutoff is the magnitude of -4.98, toward zero. */
static void cutoffs_and_cums_are_compared_as_magnitudes(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "big", -1000);
	ROW(&m, "four", 4);
	ROW(&m, "less", -3);
	ROW(&m, "more", 3);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	assert_int_equal(t.node_cut, 4);
	expect_shown(&t, "big four");
	assert_int_equal(t.n_dropped, 2);
	graph_fixture_release(&a);
}

static void nodecount_keeps_the_first_nodes(void **state)
{
	struct make m = make_example();
	struct graph_fixture a = graph_fixture_start(&m);
	struct trim_result t = trim(&a, 2);

	(void)state;
	expect_shown(&t, "c b");
	assert_int_equal(t.n_before_limit, 6);
	assert_int_equal(t.n_dropped, 0);
	assert_true(t.keep[place_named(&a.pl, "b")]);
	assert_false(t.keep[place_named(&a.pl, "main")]);
	graph_fixture_release(&a);
}

static void a_large_nodecount_keeps_all_nodes(void **state)
{
	struct make m = make_example();
	struct graph_fixture a = graph_fixture_start(&m);
	struct trim_result t = trim(&a, INT64_MAX);

	(void)state;
	assert_int_equal(t.n, 6);
	graph_fixture_release(&a);
}

static void a_profile_without_samples_shows_nothing(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a = graph_fixture_start(&m);
	struct trim_result t = trim(&a, 5);

	(void)state;
	assert_int_equal(t.n, 0);
	assert_int_equal(t.n_before_limit, 0);
	graph_fixture_release(&a);
}

static void a_nul_in_a_name_is_escaped(void **state)
{
	struct make m = make_start("samples/count");
	struct builder_function f = { .id = 1, .name = make_text(&m, "a\0b", 3) };
	struct builder_location l = { .id = 1, .map = PROFILE_NONE };
	struct builder_line line = { 0 };
	struct graph_fixture a;
	struct trim_result t;
	uint32_t id;

	(void)state;
	builder_function(m.b, &f, &line.func, NULL);
	builder_location(m.b, &l, &line, 1, &id, NULL);
	builder_sample(m.b, &(int64_t){ 1 }, &id, 1, NULL, 0, NULL);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	expect_shown(&t, "a\\x00b");
	graph_fixture_release(&a);
}

/* Is the node of a name inlined? */
static enum inlined inlined_of(struct graph_fixture *a, const struct trim_result *t, const char *name)
{
	enum inlined *in = trim_inlined(&a->g, t, a->mem);

	for (uint32_t i = 0; i < t->n; i++)
		if (strcmp(t->name[i], name) == 0)
			return in[i];
	fail_msg("%s is not shown", name);
	return INLINED_NEVER;
}

static void a_node_is_inlined_always_sometimes_or_never(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "always+f;main", 5);
	ROW(&m, "partly+f;main", 5);
	ROW(&m, "partly;main", 5);
	a = graph_fixture_start(&m);
	t = trim(&a, 0);
	assert_int_equal(inlined_of(&a, &t, "always"), INLINED_ALWAYS);
	assert_int_equal(inlined_of(&a, &t, "partly"), INLINED_PARTLY);
	assert_int_equal(inlined_of(&a, &t, "f"), INLINED_NEVER);
	assert_int_equal(inlined_of(&a, &t, "main"), INLINED_NEVER);
	graph_fixture_release(&a);
}

static void with_noinlines_no_node_is_inlined(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "in+f;main", 5);
	ROW(&m, "in;main", 5);
	a = graph_fixture_start(&m);
	a.q.noinlines = true;
	t = trim(&a, 0);
	assert_int_equal(inlined_of(&a, &t, "in"), INLINED_NEVER);
	graph_fixture_release(&a);
}

/* Sum 100; of the calls into in, the inlined one weighs 10 and the other 90. */
static void calls_below_the_edge_cutoff_do_not_count(void **state)
{
	static const double fraction[] = { 0.1, 0.11, 0.001 };
	static const enum inlined in[] = { INLINED_PARTLY, INLINED_NEVER, INLINED_PARTLY };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct make m = make_start("samples/count");
		struct graph_fixture a;
		struct trim_result t;

		ROW(&m, "in+f;main", 10);
		ROW(&m, "in;main", 90);
		a = graph_fixture_start(&m);
		a.q.edgefraction = fraction[i];
		t = trim(&a, 0);
		assert_int_equal(inlined_of(&a, &t, "in"), in[i]);
		graph_fixture_release(&a);
	}
}

/* If f is hidden, main calls "in", and "in" is still not the last line of its location. */
static void a_call_through_a_hidden_node_can_be_inlined(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "in+f;main", 10);
	ROW(&m, "main", 9);
	a = graph_fixture_start(&m);
	t = trim(&a, 2);
	expect_shown(&t, "in main");
	assert_int_equal(inlined_of(&a, &t, "in"), INLINED_ALWAYS);
	graph_fixture_release(&a);
}

static void a_node_with_hidden_callers_is_not_inlined(void **state)
{
	struct make m = make_start("samples/count");
	struct graph_fixture a;
	struct trim_result t;

	(void)state;
	ROW(&m, "in+f;main", 10);
	a = graph_fixture_start(&m);
	t = trim(&a, 1);
	expect_shown(&t, "in");
	assert_int_equal(inlined_of(&a, &t, "in"), INLINED_NEVER);
	graph_fixture_release(&a);
}

/* Random stacks of locations with up to three lines, with functions in any position. */
static struct graph_fixture random_calls(uint32_t *seed, int n_words)
{
	static const char *const word[] = { "a", "b", "c+d", "d+c", "e+a+d", "f", "g+f", "h+g+b", "i", "d" };
	struct make m = make_start("n/count");
	struct graph_fixture a;

	for (int row = 0; row < 6; row++) {
		char stack[64] = "";

		for (int depth = 0; depth < 4; depth++) {
			*seed = *seed * 1664525 + 1013904223;
			strcat(strcat(stack, depth ? ";" : ""), word[(*seed >> 16) % (uint32_t)n_words]);
		}
		ROW(&m, stack, row % 3 - 1 + (row == 5));
	}
	a = graph_fixture_start(&m);
	a.q.nodefraction = a.q.edgefraction = 0;
	return a;
}

/* The result of trim_inlined, computed from all calls. */
static enum inlined inlined_by(const struct edges *all, uint32_t node)
{
	bool yes = false, no = false;

	for (size_t i = 0; i < all->n; i++) {
		yes |= all->edge[i].dst == node && all->edge[i].inlined;
		no |= all->edge[i].dst == node && !all->edge[i].inlined;
	}
	return !yes ? INLINED_NEVER : no ? INLINED_PARTLY : INLINED_ALWAYS;
}

static void unchecked_calls_give_the_same_result_as_all_calls(void **state)
{
	uint32_t seed = 3, seen[3] = { 0 };

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct graph_fixture a = random_calls(&seed, 4 + round % 7);
		struct trim_result t = trim(&a, 0);
		const enum inlined *inlined = trim_inlined(&a.g, &t, a.mem);
		struct edges all;

		graph_edges(&a.g, t.keep, NULL, false, a.mem, &all);
		for (uint32_t i = 0; i < t.n; i++) {
			assert_int_equal(inlined[i], inlined_by(&all, t.node[i]));
			seen[inlined[i]]++;
		}
		graph_fixture_release(&a);
	}
	assert_true(seen[INLINED_NEVER] && seen[INLINED_PARTLY] && seen[INLINED_ALWAYS]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_sorted_by_flat_then_name),
		cmocka_unit_test(sort_cum_sorts_nodes_by_cum_then_name),
		cmocka_unit_test(nodes_are_sorted_by_magnitude),
		cmocka_unit_test(names_are_compared_byte_by_byte),
		cmocka_unit_test(addresses_are_compared_before_names),
		cmocka_unit_test(equal_names_are_sorted_by_cum),
		cmocka_unit_test(nodes_with_neither_flat_nor_cum_are_ignored),
		cmocka_unit_test(a_node_with_flat_is_kept_when_its_cum_cancels_out),
		cmocka_unit_test(removes_nodes_below_the_fraction_of_the_sum),
		cmocka_unit_test(a_cutoff_that_rounds_to_0_removes_nothing),
		cmocka_unit_test(compares_cum_not_flat_with_the_cutoff),
		cmocka_unit_test(cutoffs_and_cums_are_compared_as_magnitudes),
		cmocka_unit_test(nodecount_keeps_the_first_nodes),
		cmocka_unit_test(a_large_nodecount_keeps_all_nodes),
		cmocka_unit_test(a_profile_without_samples_shows_nothing),
		cmocka_unit_test(a_nul_in_a_name_is_escaped),
		cmocka_unit_test(a_node_is_inlined_always_sometimes_or_never),
		cmocka_unit_test(with_noinlines_no_node_is_inlined),
		cmocka_unit_test(unchecked_calls_give_the_same_result_as_all_calls),
		cmocka_unit_test(calls_below_the_edge_cutoff_do_not_count),
		cmocka_unit_test(a_call_through_a_hidden_node_can_be_inlined),
		cmocka_unit_test(a_node_with_hidden_callers_is_not_inlined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
