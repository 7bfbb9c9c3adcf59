/*
 * test_net.c - the nodes a report shows, with the calls between them
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

/* a is called by nothing, three nodes with a few labels on the first. */
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
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.nodecount = 3;
	net_ask(&n, true);
	expect_net(&n, "a", "");
	assert_true(n.net.limited);
	assert_int_equal(n.net.shown.n_before, 3);
	n.q.nodecount = 4;
	net_ask_again(&n, true);
	expect_net(&n, "a b", "");
	n.q.nodecount = 5;
	net_ask_again(&n, true);
	expect_net(&n, "a b c", "");
	assert_false(n.net.limited);
	net_done(&n);
}

static void labels_do_not_count_without_a_picture(void **state)
{
	struct make m = labelled(2);
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.nodecount = 2;
	net_ask(&n, false);
	expect_net(&n, "a b", "");
	net_done(&n);
}

static void at_most_four_labels_of_a_node_count(void **state)
{
	struct make m = labelled(6);
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.nodecount = 5;
	net_ask(&n, true);
	expect_net(&n, "a", "");
	n.q.nodecount = 6;
	net_ask_again(&n, true);
	expect_net(&n, "a b", "");
	net_done(&n);
}

static void nodes_below_the_cutoff_are_counted_as_dropped(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	ROW(&m, "a", 100);
	ROW(&m, "b", 50);
	ROW(&m, "c", 10);
	net_about(&n, &m);
	n.q.nodefraction = 0.1;
	net_ask(&n, false);
	expect_net(&n, "a b", "");
	assert_int_equal(n.net.shown.n_dropped, 1);
	assert_int_equal(n.net.shown.n_before, 2);
	assert_int_equal(n.net.shown.node_cut, 16);
	net_done(&n);
}

static struct make light_calls(void)
{
	struct make m = make_start("samples/count");

	ROW(&m, "b;a", 100);
	ROW(&m, "c;a", 3);
	ROW(&m, "d;c;a", 1);
	return m;
}

static void light_calls_go_and_are_counted(void **state)
{
	struct make m = light_calls();
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.sort = SORT_CUM;
	net_ask(&n, false);
	expect_net(&n, "a b c d", "a>b=100 a>c=4 c>d=1");
	assert_int_equal(n.net.n_dropped_edges, 0);
	n.q.edgefraction = 0.04; /* of 104: 4 */
	net_ask_again(&n, false);
	expect_net(&n, "a b c d", "a>b=100 a>c=4");
	assert_int_equal(n.net.n_dropped_edges, 1);
	net_done(&n);
}

/* pprof drops them before it counts, unless nodecount makes it start again. */
static void with_nodecount_light_calls_are_counted_only_when_it_left_out_nodes(void **state)
{
	struct make m = light_calls();
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.sort = SORT_CUM;
	n.q.edgefraction = 0.05;
	n.q.nodecount = 4;
	net_ask(&n, false);
	expect_net(&n, "a b c d", "a>b=100");
	assert_int_equal(n.net.n_dropped_edges, 0);
	n.q.nodecount = 3;
	net_ask_again(&n, false);
	expect_net(&n, "a b c", "a>b=100");
	assert_int_equal(n.net.n_dropped_edges, 1);
	net_done(&n);
}

static void a_picture_leaves_out_detours_that_other_calls_show(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	ROW(&m, "c;b;a", 10);
	ROW(&m, "c;x;a", 5);
	net_about(&n, &m);
	n.q.nodefraction = 0.4; /* of 15: 6 */
	net_ask(&n, false);
	expect_net(&n, "c a b", "a>b=10 b>c=10 a..c=5");
	net_ask_again(&n, true);
	expect_net(&n, "c a b", "a>b=10 b>c=10");
	assert_int_equal(n.net.n_dropped_edges, 0);
	net_done(&n);
}

static void a_detour_that_alone_connects_its_nodes_stays(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	ROW(&m, "b;a", 10);
	ROW(&m, "c;x;a", 5);
	ROW(&m, "c;d", 6);
	ROW(&m, "d", 1);
	net_about(&n, &m);
	n.q.nodefraction = 0.25; /* of 22: 5 */
	n.q.nodecount = 0;
	net_ask(&n, true);
	assert_int_equal(n.net.shown.n, 5);
	n.q.nodefraction = 0.28; /* 6 */
	net_ask_again(&n, true);
	assert_int_equal(n.net.shown.n, 4);
	assert_int_equal(n.net.edges.n, 3);
	assert_true(n.net.edges.edge[2].residual);
	net_done(&n);
}

static void a_lighter_call_without_detour_keeps_heavier_detours(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	ROW(&m, "c;b;a", 10);
	ROW(&m, "c;x;a", 7);
	ROW(&m, "c;y;a", 7);
	ROW(&m, "c;z;a", 7);
	net_about(&n, &m);
	n.q.nodefraction = 0.26; /* of 31: 8 */
	net_ask(&n, true);
	assert_int_equal(n.net.shown.n_dropped, 3);
	expect_net(&n, "c a b", "a..c=21 a>b=10 b>c=10");
	net_done(&n);
}

/* In pprof they lead to a node N0. */
static void nodes_with_nothing_keep_their_calls_but_not_in_a_picture(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	ROW(&m, "z;a", 5);
	ROW(&m, "z;a", -5);
	ROW(&m, "b;a", 7);
	net_about(&n, &m);
	net_ask(&n, false);
	expect_net(&n, "b a", "a>b=7 a>z=0");
	net_ask_again(&n, true);
	expect_net(&n, "b a", "a>b=7");
	net_done(&n);
}

static void nodes_that_lost_are_dropped_on_request(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	ROW(&m, "lost;a", -5);
	ROW(&m, "b;a", 7);
	net_about(&n, &m);
	net_ask(&n, true);
	assert_int_equal(n.net.shown.n, 3);
	n.q.drop_negative = true;
	net_ask_again(&n, true);
	expect_net(&n, "b a", "a>b=7");
	net_ask_again(&n, false);
	expect_net(&n, "b a", "a>b=7 a>lost=-5");
	net_done(&n);
}

static void a_picture_has_those_first_that_branch(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	ROW(&m, "b;a", 60);
	ROW(&m, "c;a", 40);
	net_about(&n, &m);
	net_ask(&n, false);
	expect_net(&n, "b c a", "a>b=60 a>c=40");
	net_ask_again(&n, true); /* a: (1 + 0.97) * 100, b: 60 + 60, c: 40 + 40 */
	expect_net(&n, "a b c", "a>b=60 a>c=40");
	net_done(&n);
}

static void calls_are_listed_by_node_the_heaviest_first(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;
	uint32_t a;

	(void)state;
	ROW(&m, "d;a", 40);
	ROW(&m, "c;a", -60);
	ROW(&m, "b;a", 40);
	ROW(&m, "b;c", 1);
	net_about(&n, &m);
	net_ask(&n, false);
	expect_net(&n, "c b d a", "a>c=-60 a>b=40 a>d=40 c>b=1");
	a = n.net.shown.node[3];
	assert_int_equal(n.net.out.off[a + 1] - n.net.out.off[a], 3);
	assert_int_equal(n.net.out.call[n.net.out.off[a] + 2], 2);
	assert_int_equal(n.net.in.off[a + 1] - n.net.in.off[a], 0);
	assert_int_equal(n.net.position[a], 4);
	net_done(&n);
}

static void only_wanted_calls_are_counted_for_a_peek(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;
	bool *wanted;

	(void)state;
	ROW(&m, "d;c;b;a", 4);
	net_about(&n, &m);
	net_ask(&n, false);
	wanted = arena_zalloc(n.mem, n.net.nodes.n, sizeof(*wanted));
	wanted[n.net.shown.node[2]] = true; /* d a b c: b */
	net_calls(&n.net, &n.q, wanted, n.mem);
	expect_net(&n, "d a b c", "a>b=4 b>c=4");
	net_done(&n);
}

static struct make two_ways(void)
{
	struct make m = make_start("samples/count");

	ROW(&m, "c;b;a", 10);
	ROW(&m, "c;x;a", 5);
	return m;
}

static void a_tree_has_a_node_for_each_way(void **state)
{
	struct make m = two_ways();
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.call_tree = true;
	net_ask(&n, false);
	expect_net(&n, "c c a b x", "a>b=10 b>c=10 a>x=5 x>c=5");
	net_done(&n);
}

static void what_a_tree_drops_is_spliced_out(void **state)
{
	struct make m = two_ways();
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.call_tree = true;
	n.q.nodecount = 4; /* x goes */
	net_ask(&n, false);
	expect_net(&n, "c c a b", "a>b=10 b>c=10 a..c=5");
	n.q.nodecount = 3; /* b too */
	net_ask_again(&n, false);
	expect_net(&n, "c c a", "a..c=10 a..c=5");
	n.q.nodecount = 2; /* the root too: its children are roots */
	net_ask_again(&n, false);
	expect_net(&n, "c c", "");
	net_done(&n);
}

static void spliced_calls_are_inlined_when_both_were(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	ROW(&m, "c+b+a", 10);
	ROW(&m, "e+d;a", 6);
	net_about(&n, &m);
	n.q.call_tree = true;
	n.q.nodecount = 3;
	net_ask(&n, false);
	expect_net(&n, "c e a", "a..c=10i a..e=6");
	net_done(&n);
}

static void light_calls_of_a_tree_are_forgotten_before_it_is_spliced(void **state)
{
	struct make m = two_ways();
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.call_tree = true;
	n.q.edgefraction = 0.4; /* of 15: 6 */
	n.q.nodecount = 4;
	net_ask(&n, false);
	expect_net(&n, "c c a b", "a>b=10 b>c=10");
	assert_int_equal(n.net.n_dropped_edges, 0);
	net_done(&n);
}

static void a_tree_is_cut_by_nodefraction(void **state)
{
	struct make m = two_ways();
	struct netted n;

	(void)state;
	net_about(&n, &m);
	n.q.call_tree = true;
	n.q.nodefraction = 0.4;
	net_ask(&n, true);
	assert_int_equal(n.net.shown.n, 3);
	assert_int_equal(n.net.shown.n_dropped, 2);
	assert_int_equal(n.net.edges.n, 2);
	net_done(&n);
}

static void a_profile_without_samples_has_no_nodes(void **state)
{
	struct make m = make_start("samples/count");
	struct netted n;

	(void)state;
	net_about(&n, &m);
	net_ask(&n, true);
	expect_net(&n, "", "");
	n.q.call_tree = true;
	n.q.nodecount = 5;
	net_ask_again(&n, true);
	expect_net(&n, "", "");
	net_done(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_count_as_nodes_of_a_picture),
		cmocka_unit_test(labels_do_not_count_without_a_picture),
		cmocka_unit_test(at_most_four_labels_of_a_node_count),
		cmocka_unit_test(nodes_below_the_cutoff_are_counted_as_dropped),
		cmocka_unit_test(light_calls_go_and_are_counted),
		cmocka_unit_test(with_nodecount_light_calls_are_counted_only_when_it_left_out_nodes),
		cmocka_unit_test(a_picture_leaves_out_detours_that_other_calls_show),
		cmocka_unit_test(a_detour_that_alone_connects_its_nodes_stays),
		cmocka_unit_test(a_lighter_call_without_detour_keeps_heavier_detours),
		cmocka_unit_test(nodes_with_nothing_keep_their_calls_but_not_in_a_picture),
		cmocka_unit_test(nodes_that_lost_are_dropped_on_request),
		cmocka_unit_test(a_picture_has_those_first_that_branch),
		cmocka_unit_test(calls_are_listed_by_node_the_heaviest_first),
		cmocka_unit_test(only_wanted_calls_are_counted_for_a_peek),
		cmocka_unit_test(a_tree_has_a_node_for_each_way),
		cmocka_unit_test(what_a_tree_drops_is_spliced_out),
		cmocka_unit_test(spliced_calls_are_inlined_when_both_were),
		cmocka_unit_test(light_calls_of_a_tree_are_forgotten_before_it_is_spliced),
		cmocka_unit_test(a_tree_is_cut_by_nodefraction),
		cmocka_unit_test(a_profile_without_samples_has_no_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
