/*
 * test_net.c - the nodes of a report, with the calls between them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/net.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_net.h"

/* Three nodes without calls between them; the first has a few labels. */
static struct make labelled(int labels)
{
	static const char *const words[] = { "k=1", "k=2", "k=3", "k=4", "k=5", "k=6" };
	struct make m = make_start("samples/count");

	for (int i = 0; i < labels; i++)
		labels_row(&m, "a", 120 / labels, words[i]);
	labels_row(&m, "b", 50, "");
	labels_row(&m, "c", 10, "");
	return m;
}

static void labels_count_as_nodes_of_a_picture(void **state)
{
	struct make m = labelled(2);
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.nodecount = 3;
	net_fixture_run(&n, true);
	expect_net(&n, "a", "");
	assert_true(n.net.is_limited);
	assert_int_equal(n.net.shown.n_before_limit, 3);
	n.q.nodecount = 4;
	net_fixture_rerun(&n, true);
	expect_net(&n, "a b", "");
	n.q.nodecount = 5;
	net_fixture_rerun(&n, true);
	expect_net(&n, "a b c", "");
	assert_false(n.net.is_limited);
	net_fixture_release(&n);
}

static void labels_count_only_in_a_picture(void **state)
{
	struct make m = labelled(2);
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.nodecount = 2;
	net_fixture_run(&n, false);
	expect_net(&n, "a b", "");
	net_fixture_release(&n);
}

static void at_most_four_labels_of_a_node_count(void **state)
{
	struct make m = labelled(6);
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.nodecount = 5;
	net_fixture_run(&n, true);
	expect_net(&n, "a", "");
	n.q.nodecount = 6;
	net_fixture_rerun(&n, true);
	expect_net(&n, "a b", "");
	net_fixture_release(&n);
}

static void nodes_below_the_cutoff_are_counted_as_dropped(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	ROW(&m, "a", 100);
	ROW(&m, "b", 50);
	ROW(&m, "c", 10);
	net_fixture_start(&n, &m);
	n.q.nodefraction = 0.1;
	net_fixture_run(&n, false);
	expect_net(&n, "a b", "");
	assert_int_equal(n.net.shown.n_dropped, 1);
	assert_int_equal(n.net.shown.n_before_limit, 2);
	assert_int_equal(n.net.shown.node_cut, 16);
	net_fixture_release(&n);
}

static struct make light_calls(void)
{
	struct make m = make_start("samples/count");

	ROW(&m, "b;a", 100);
	ROW(&m, "c;a", 3);
	ROW(&m, "d;c;a", 1);
	return m;
}

static void light_calls_are_removed_and_counted(void **state)
{
	struct make m = light_calls();
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.sort = SORT_CUM;
	net_fixture_run(&n, false);
	expect_net(&n, "a b c d", "a>b=100 a>c=4 c>d=1");
	assert_int_equal(n.net.n_dropped_edges, 0);
	n.q.edgefraction = 0.04; /* 4 % of 104 is 4 */
	net_fixture_rerun(&n, false);
	expect_net(&n, "a b c d", "a>b=100 a>c=4");
	assert_int_equal(n.net.n_dropped_edges, 1);
	net_fixture_release(&n);
}

/* pprof drops them before counting, unless nodecount makes it start again. */
static void light_calls_are_counted_only_if_nodecount_removed_nodes(void **state)
{
	struct make m = light_calls();
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.sort = SORT_CUM;
	n.q.edgefraction = 0.05;
	n.q.nodecount = 4;
	net_fixture_run(&n, false);
	expect_net(&n, "a b c d", "a>b=100");
	assert_int_equal(n.net.n_dropped_edges, 0);
	n.q.nodecount = 3;
	net_fixture_rerun(&n, false);
	expect_net(&n, "a b c", "a>b=100");
	assert_int_equal(n.net.n_dropped_edges, 1);
	net_fixture_release(&n);
}

static void a_picture_omits_redundant_residual_calls(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	ROW(&m, "c;b;a", 10);
	ROW(&m, "c;x;a", 5);
	net_fixture_start(&n, &m);
	n.q.nodefraction = 0.4; /* of 15: 6 */
	net_fixture_run(&n, false);
	expect_net(&n, "c a b", "a>b=10 b>c=10 a..c=5");
	net_fixture_rerun(&n, true);
	expect_net(&n, "c a b", "a>b=10 b>c=10");
	assert_int_equal(n.net.n_dropped_edges, 0);
	net_fixture_release(&n);
}

static void a_residual_call_that_is_the_only_path_is_kept(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	ROW(&m, "b;a", 10);
	ROW(&m, "c;x;a", 5);
	ROW(&m, "c;d", 6);
	ROW(&m, "d", 1);
	net_fixture_start(&n, &m);
	n.q.nodefraction = 0.25; /* of 22: 5 */
	n.q.nodecount = 0;
	net_fixture_run(&n, true);
	assert_int_equal(n.net.shown.n, 5);
	n.q.nodefraction = 0.28; /* 6 */
	net_fixture_rerun(&n, true);
	assert_int_equal(n.net.shown.n, 4);
	assert_int_equal(n.net.edges.n, 3);
	assert_true(n.net.edges.edge[2].residual);
	net_fixture_release(&n);
}

static void a_lighter_direct_call_keeps_heavier_residual_calls(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	ROW(&m, "c;b;a", 10);
	ROW(&m, "c;x;a", 7);
	ROW(&m, "c;y;a", 7);
	ROW(&m, "c;z;a", 7);
	net_fixture_start(&n, &m);
	n.q.nodefraction = 0.26; /* of 31: 8 */
	net_fixture_run(&n, true);
	assert_int_equal(n.net.shown.n_dropped, 3);
	expect_net(&n, "c a b", "a..c=21 a>b=10 b>c=10");
	net_fixture_release(&n);
}

/* In pprof they lead to a node N0. */
static void nodes_of_value_0_keep_their_calls_except_in_a_picture(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	ROW(&m, "z;a", 5);
	ROW(&m, "z;a", -5);
	ROW(&m, "b;a", 7);
	net_fixture_start(&n, &m);
	net_fixture_run(&n, false);
	expect_net(&n, "b a", "a>b=7 a>z=0");
	net_fixture_rerun(&n, true);
	expect_net(&n, "b a", "a>b=7");
	net_fixture_release(&n);
}

static void drop_negative_removes_nodes_that_got_smaller(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	ROW(&m, "lost;a", -5);
	ROW(&m, "b;a", 7);
	net_fixture_start(&n, &m);
	net_fixture_run(&n, true);
	assert_int_equal(n.net.shown.n, 3);
	n.q.drop_negative = true;
	net_fixture_rerun(&n, true);
	expect_net(&n, "b a", "a>b=7");
	net_fixture_rerun(&n, false);
	expect_net(&n, "b a", "a>b=7 a>lost=-5");
	net_fixture_release(&n);
}

static void a_picture_sorts_nodes_with_many_calls_first(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	ROW(&m, "b;a", 60);
	ROW(&m, "c;a", 40);
	net_fixture_start(&n, &m);
	net_fixture_run(&n, false);
	expect_net(&n, "b c a", "a>b=60 a>c=40");
	net_fixture_rerun(&n, true); /* a: (1 + 0.97) * 100, b: 60 + 60, c: 40 + 40 */
	expect_net(&n, "a b c", "a>b=60 a>c=40");
	net_fixture_release(&n);
}

static void lists_calls_by_node_heaviest_first(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;
	uint32_t a;

	(void)state;
	ROW(&m, "d;a", 40);
	ROW(&m, "c;a", -60);
	ROW(&m, "b;a", 40);
	ROW(&m, "b;c", 1);
	net_fixture_start(&n, &m);
	net_fixture_run(&n, false);
	expect_net(&n, "c b d a", "a>c=-60 a>b=40 a>d=40 c>b=1");
	a = n.net.shown.node[3];
	assert_int_equal(n.net.out.off[a + 1] - n.net.out.off[a], 3);
	assert_int_equal(n.net.out.call[n.net.out.off[a] + 2], 2);
	assert_int_equal(n.net.in.off[a + 1] - n.net.in.off[a], 0);
	assert_int_equal(n.net.position[a], 4);
	net_fixture_release(&n);
}

static void peek_counts_only_wanted_calls(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;
	bool *wanted;

	(void)state;
	ROW(&m, "d;c;b;a", 4);
	net_fixture_start(&n, &m);
	net_fixture_run(&n, false);
	wanted = arena_zalloc(n.mem, n.net.nodes.n, sizeof(*wanted));
	wanted[n.net.shown.node[2]] = true; /* d a b c: b */
	net_calls(&n.net, &n.q.filter, wanted, n.mem);
	expect_net(&n, "d a b c", "a>b=4 b>c=4");
	net_fixture_release(&n);
}

static struct make two_ways(void)
{
	struct make m = make_start("samples/count");

	ROW(&m, "c;b;a", 10);
	ROW(&m, "c;x;a", 5);
	return m;
}

static void a_tree_has_a_node_for_each_path(void **state)
{
	struct make m = two_ways();
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.call_tree = true;
	net_fixture_run(&n, false);
	expect_net(&n, "c c a b x", "a>b=10 b>c=10 a>x=5 x>c=5");
	net_fixture_release(&n);
}

static void removed_nodes_of_a_tree_are_skipped(void **state)
{
	struct make m = two_ways();
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.call_tree = true;
	n.q.nodecount = 4; /* x is removed */
	net_fixture_run(&n, false);
	expect_net(&n, "c c a b", "a>b=10 b>c=10 a..c=5");
	n.q.nodecount = 3; /* b is removed too */
	net_fixture_rerun(&n, false);
	expect_net(&n, "c c a", "a..c=10 a..c=5");
	n.q.nodecount = 2; /* the root is removed too: its children are roots */
	net_fixture_rerun(&n, false);
	expect_net(&n, "c c", "");
	net_fixture_release(&n);
}

static void a_call_through_a_skipped_node_is_inlined_if_both_its_calls_were(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	ROW(&m, "c+b+a", 10);
	ROW(&m, "e+d;a", 6);
	net_fixture_start(&n, &m);
	n.q.call_tree = true;
	n.q.nodecount = 3;
	net_fixture_run(&n, false);
	expect_net(&n, "c e a", "a..c=10i a..e=6");
	net_fixture_release(&n);
}

static void light_calls_in_a_tree_are_removed_before_nodes_are_skipped(void **state)
{
	struct make m = two_ways();
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.call_tree = true;
	n.q.edgefraction = 0.4; /* of 15: 6 */
	n.q.nodecount = 4;
	net_fixture_run(&n, false);
	expect_net(&n, "c c a b", "a>b=10 b>c=10");
	assert_int_equal(n.net.n_dropped_edges, 0);
	net_fixture_release(&n);
}

static void nodefraction_trims_a_tree(void **state)
{
	struct make m = two_ways();
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	n.q.call_tree = true;
	n.q.nodefraction = 0.4;
	net_fixture_run(&n, true);
	assert_int_equal(n.net.shown.n, 3);
	assert_int_equal(n.net.shown.n_dropped, 2);
	assert_int_equal(n.net.edges.n, 2);
	net_fixture_release(&n);
}

static void a_profile_without_samples_has_no_nodes(void **state)
{
	struct make m = make_start("samples/count");
	struct net_fixture n;

	(void)state;
	net_fixture_start(&n, &m);
	net_fixture_run(&n, true);
	expect_net(&n, "", "");
	n.q.call_tree = true;
	n.q.nodecount = 5;
	net_fixture_rerun(&n, true);
	expect_net(&n, "", "");
	net_fixture_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_count_as_nodes_of_a_picture),
		cmocka_unit_test(labels_count_only_in_a_picture),
		cmocka_unit_test(at_most_four_labels_of_a_node_count),
		cmocka_unit_test(nodes_below_the_cutoff_are_counted_as_dropped),
		cmocka_unit_test(light_calls_are_removed_and_counted),
		cmocka_unit_test(light_calls_are_counted_only_if_nodecount_removed_nodes),
		cmocka_unit_test(a_picture_omits_redundant_residual_calls),
		cmocka_unit_test(a_residual_call_that_is_the_only_path_is_kept),
		cmocka_unit_test(a_lighter_direct_call_keeps_heavier_residual_calls),
		cmocka_unit_test(nodes_of_value_0_keep_their_calls_except_in_a_picture),
		cmocka_unit_test(drop_negative_removes_nodes_that_got_smaller),
		cmocka_unit_test(a_picture_sorts_nodes_with_many_calls_first),
		cmocka_unit_test(lists_calls_by_node_heaviest_first),
		cmocka_unit_test(peek_counts_only_wanted_calls),
		cmocka_unit_test(a_tree_has_a_node_for_each_path),
		cmocka_unit_test(removed_nodes_of_a_tree_are_skipped),
		cmocka_unit_test(a_call_through_a_skipped_node_is_inlined_if_both_its_calls_were),
		cmocka_unit_test(light_calls_in_a_tree_are_removed_before_nodes_are_skipped),
		cmocka_unit_test(nodefraction_trims_a_tree),
		cmocka_unit_test(a_profile_without_samples_has_no_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
