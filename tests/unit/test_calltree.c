/*
 * test_calltree.c - call tree
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/calltree.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"
#include "tests/unit/make_net.h"

/* A profile folded into a tree. */
struct tree_fixture {
	struct graph_fixture a;
	struct calltree t;
};

static void tree_fixture_run(struct tree_fixture *f, struct make *m)
{
	f->a = graph_fixture_start(m);
	graph_fixture_run(&f->a);
	assert_int_equal(calltree_make(&f->a.v, &f->a.pl, &f->t, NULL), 0);
}

static void tree_fixture_release(struct tree_fixture *f)
{
	calltree_release(&f->t);
	graph_fixture_release(&f->a);
}

/* The node at the end of a path "main;a;b", root first. */
static uint32_t node_at(const struct tree_fixture *f, const char *path)
{
	uint32_t at = CALLTREE_NONE;

	while (*path) {
		size_t n = strcspn(path, ";");
		char name[40] = "";
		uint32_t place, k = 0;

		memcpy(name, path, n);
		place = place_named(&f->a.pl, name);
		while (k < f->t.n && (f->t.parent[k] != at || f->t.place[k] != place))
			k++;
		if (k == f->t.n)
			fail_msg("no node %s before %s", name, path + n);
		at = k;
		path += n;
		path += *path == ';';
	}
	return at;
}

static void expect_node(const struct tree_fixture *f, const char *path, int64_t flat, int64_t cum, bool inlined)
{
	uint32_t k = node_at(f, path);

	assert_int_equal(f->t.flat[k], flat);
	assert_int_equal(f->t.cum[k], cum);
	assert_int_equal(f->t.inlined[k], inlined);
}

static void the_paths_of_the_example_add_up(void **state)
{
	struct make m = make_example();
	struct tree_fixture f;

	(void)state;
	tree_fixture_run(&f, &m);
	assert_int_equal(f.t.n, 8);
	expect_node(&f, "main", 0, 120, false);
	expect_node(&f, "main;a", 0, 100, false);
	expect_node(&f, "main;a;b", 30, 100, false);
	expect_node(&f, "main;a;b;c", 50, 50, false);
	expect_node(&f, "main;a;b;a", 20, 20, false);
	expect_node(&f, "main;host", 0, 10, false);
	expect_node(&f, "main;host;inl", 10, 10, true);
	expect_node(&f, "main;inl", 10, 10, false);
	tree_fixture_release(&f);
}

static void parents_have_lower_numbers_than_their_children(void **state)
{
	struct make m = make_example();
	struct tree_fixture f;

	(void)state;
	tree_fixture_run(&f, &m);
	for (uint32_t k = 0; k < f.t.n; k++)
		assert_true(f.t.parent[k] == CALLTREE_NONE || f.t.parent[k] < k);
	tree_fixture_release(&f);
}

static void each_frame_of_a_recursion_is_a_node(void **state)
{
	struct make m = make_start("samples/count");
	struct tree_fixture f;

	(void)state;
	ROW(&m, "f;f;f;main", 5);
	ROW(&m, "f;main", 2);
	tree_fixture_run(&f, &m);
	assert_int_equal(f.t.n, 4);
	expect_node(&f, "main;f", 2, 7, false);
	expect_node(&f, "main;f;f", 0, 5, false);
	expect_node(&f, "main;f;f;f", 5, 5, false);
	tree_fixture_release(&f);
}

static void a_node_is_inlined_if_it_is_inlined_in_every_stack(void **state)
{
	struct make m = make_start("samples/count");
	struct tree_fixture f;

	(void)state;
	ROW(&m, "g+f", 1);
	ROW(&m, "g;f", 2);
	ROW(&m, "h+f", 4);
	tree_fixture_run(&f, &m);
	expect_node(&f, "f;g", 3, 3, false);
	expect_node(&f, "f;h", 4, 4, true);
	tree_fixture_release(&f);
}

static void stacks_without_value_or_frames_have_no_leaf(void **state)
{
	struct make m = make_start("samples/count");
	struct tree_fixture f;

	(void)state;
	ROW(&m, "b;a", 0);
	ROW(&m, "", 5);
	ROW(&m, "a", 3);
	tree_fixture_run(&f, &m);
	assert_int_equal(f.t.n, 1);
	assert_int_equal(f.t.leaf[f.a.p->stack[0]], CALLTREE_NONE);
	assert_int_equal(f.t.leaf[f.a.p->stack[1]], CALLTREE_NONE);
	assert_int_equal(f.t.leaf[f.a.p->stack[2]], node_at(&f, "a"));
	expect_node(&f, "a", 3, 3, false);
	tree_fixture_release(&f);
}

static void values_that_cancel_leave_a_node_with_value_0(void **state)
{
	struct make m = make_start("samples/count");
	struct tree_fixture f;

	(void)state;
	ROW(&m, "b;a", 5);
	ROW(&m, "b;a", -5);
	tree_fixture_run(&f, &m);
	expect_node(&f, "a;b", 0, 0, false);
	tree_fixture_release(&f);
}

static void a_mean_has_divisors_in_all_nodes(void **state)
{
	struct make m = make_start("samples/count delay/ms");
	struct tree_fixture f;
	struct nodes n;
	uint32_t a;

	(void)state;
	ROW(&m, "b;a", 2, 10);
	ROW(&m, "a", 3, 5);
	ROW(&m, "c;a", 4, 0); /* the value is 0, but there is a count */
	f.a = graph_fixture_start(&m);
	f.a.q.mean = true;
	graph_fixture_run(&f.a);
	assert_int_equal(calltree_make(&f.a.v, &f.a.pl, &f.t, NULL), 0);
	assert_int_equal(f.t.n, 3);
	a = node_at(&f, "a");
	assert_int_equal(f.t.flat_div[a], 3);
	assert_int_equal(f.t.cum_div[a], 9);
	n = calltree_nodes(&f.t);
	assert_int_equal(nodes_flat(&n, a), 1);
	assert_int_equal(nodes_cum(&n, a), 1);
	assert_int_equal(nodes_cum(&n, node_at(&f, "a;b")), 5);
	tree_fixture_release(&f);
}

static void nodes_of_a_tree_share_its_columns(void **state)
{
	struct make m = make_example();
	struct tree_fixture f;
	struct nodes n;

	(void)state;
	tree_fixture_run(&f, &m);
	n = calltree_nodes(&f.t);
	assert_int_equal(n.n, 8);
	assert_int_equal(nodes_place(&n, node_at(&f, "main;a;b;a")), place_named(&f.a.pl, "a"));
	assert_null(n.flat_div);
	tree_fixture_release(&f);
}

static void an_empty_profile_has_no_nodes(void **state)
{
	struct make m = make_start("samples/count");
	struct tree_fixture f;

	(void)state;
	tree_fixture_run(&f, &m);
	assert_int_equal(f.t.n, 0);
	tree_fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_paths_of_the_example_add_up),
		cmocka_unit_test(parents_have_lower_numbers_than_their_children),
		cmocka_unit_test(each_frame_of_a_recursion_is_a_node),
		cmocka_unit_test(a_node_is_inlined_if_it_is_inlined_in_every_stack),
		cmocka_unit_test(stacks_without_value_or_frames_have_no_leaf),
		cmocka_unit_test(values_that_cancel_leave_a_node_with_value_0),
		cmocka_unit_test(a_mean_has_divisors_in_all_nodes),
		cmocka_unit_test(nodes_of_a_tree_share_its_columns),
		cmocka_unit_test(an_empty_profile_has_no_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
