/*
 * test_tags.c - the labels of the samples that reach a node
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/tags.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/num.h"
#include "engine/graph.h"
#include "tests/unit/make_graph.h"
#include "tests/unit/make_labels.h"
#include "tests/unit/make_net.h"

/* The tags of a profile's nodes. */
struct tag_fixture {
	struct graph_fixture a;
	struct nodes nodes;
	struct label_units units;
	bool *wanted;
	struct tags t;
};

static void tag_start(struct tag_fixture *x, struct make *m)
{
	x->a = graph_fixture_start(m);
	graph_fixture_run(&x->a);
	x->nodes = x->a.g.nodes;
	label_units_make(x->a.p, x->a.mem, &x->units, NULL);
	x->wanted = arena_alloc(x->a.mem, x->nodes.n, sizeof(*x->wanted));
	memset(x->wanted, true, x->nodes.n);
}

static void tag_all(struct tag_fixture *x, struct make *m)
{
	tag_start(x, m);
	assert_int_equal(tags_make(&x->a.v, &x->nodes, NULL, x->wanted, &x->units, "minimum", 0, x->a.mem, &x->t, NULL),
			 0);
}

/* Check the tags of a node in order, as "k:v 3/10 [0]4kB 0/4": name, flat, cum; numbers after the index of their label. */
static void expect_tags(const struct tag_fixture *x, const char *node, const char *want)
{
	uint32_t k = place_named(&x->a.pl, node);
	struct buf b = { 0 };

	for (size_t i = x->t.off[k]; i < x->t.off[k + 1]; i++) {
		const struct tag *t = &x->t.tag[i];

		assert_int_equal(t->node, k);
		if (t->is_number)
			buf_addf(&b, "#");
		buf_addf(&b, "%s %lld/%lld ", t->name, (long long)t->flat, (long long)t->cum);
	}
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void labels_of_a_sample_are_sorted_and_joined_into_one_tag(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "b;a", 5, "z=1 k=v k=u");
	tag_all(&x, &m);
	expect_tags(&x, "b", "k:u\\nk:v\\nz:1 5/5 ");
	expect_tags(&x, "a", "k:u\\nk:v\\nz:1 0/5 ");
	assert_string_equal(x.t.tag[0].text, "k:u\nk:v\nz:1");
	graph_fixture_release(&x.a);
}

static void samples_with_equal_labels_add_up(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "b;a", 5, "k=v j=w");
	labels_row(&m, "c;a", -2, "j=w k=v");
	labels_row(&m, "a", 4, "k=v");
	labels_row(&m, "a", 8, "");
	tag_all(&x, &m);
	expect_tags(&x, "a", "j:w\\nk:v 0/3 k:v 4/4 ");
	expect_tags(&x, "c", "j:w\\nk:v -2/-2 ");
	graph_fixture_release(&x.a);
}

static void a_recursion_counts_once(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "f;g;f;f", 5, "k=v");
	tag_all(&x, &m);
	expect_tags(&x, "f", "k:v 5/5 ");
	graph_fixture_release(&x.a);
}

static void numbers_are_below_the_labels_of_their_sample(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "a", 5, "bytes:64 k=v request:7");
	labels_row(&m, "a", 3, "bytes:64 bytes:2048");
	tag_all(&x, &m);
	expect_tags(&x, "a", "k:v 5/5 #64B 5/5 #64B 3/3 #2kB 3/3 ");
	assert_int_equal(x.t.tag[1].label, x.t.tag[0].label);
	assert_int_equal(x.t.tag[2].label, 0);
	assert_int_equal(x.t.tag[3].value, 2048);
	assert_string_equal(x.t.tag[3].unit, "bytes");
	graph_fixture_release(&x.a);
}

static void numbers_printed_alike_are_one_tag_with_the_first_value(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "a", 5, "bytes:1048577");
	labels_row(&m, "a", 3, "bytes:1048576");
	labels_row(&m, "b", 2, "bytes:1048576");
	tag_all(&x, &m);
	expect_tags(&x, "a", "#1MB 8/8 ");
	assert_int_equal(x.t.tag[0].value, 1048577);
	expect_tags(&x, "b", "#1MB 2/2 ");
	graph_fixture_release(&x.a);
}

static void numbers_have_the_unit_of_their_key(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "a", 5, "bytes:3:seconds");
	tag_all(&x, &m);
	expect_tags(&x, "a", "#3s 5/5 ");
	assert_string_equal(x.t.tag[0].unit, "seconds");
	graph_fixture_release(&x.a);
}

static void the_label_of_the_base_makes_no_tag(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "a", 5, "pprof::base=true");
	labels_row(&m, "b", 5, "pprof::base=true k=v");
	tag_all(&x, &m);
	expect_tags(&x, "a", "");
	expect_tags(&x, "b", "k:v 5/5 ");
	graph_fixture_release(&x.a);
}

static void samples_without_value_or_stack_have_no_tags(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "a", 0, "k=v");
	labels_row(&m, "", 5, "k=w");
	labels_row(&m, "a", 1, "");
	tag_all(&x, &m);
	assert_int_equal(x.t.n, 0);
	graph_fixture_release(&x.a);
}

static void only_wanted_nodes_have_tags(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "b;a", 5, "k=v");
	tag_start(&x, &m);
	x.wanted[place_named(&x.a.pl, "b")] = false;
	assert_int_equal(tags_make(&x.a.v, &x.nodes, NULL, x.wanted, &x.units, "minimum", 0, x.a.mem, &x.t, NULL), 0);
	expect_tags(&x, "a", "k:v 0/5 ");
	expect_tags(&x, "b", "");
	graph_fixture_release(&x.a);
}

static void display_text_of_labels_is_escaped(void **state)
{
	struct make m = make_start("samples/count");
	struct tag_fixture x;

	(void)state;
	labels_row(&m, "a", 5, "k=v\033[31m\n");
	tag_all(&x, &m);
	assert_string_equal(x.t.tag[0].name, "k:v\033[31m\n");
	assert_string_equal(x.t.tag[0].text, "k:v\\x1b[31m\\n");
	graph_fixture_release(&x.a);
}

static void the_nodes_of_a_tree_have_their_own_tags(void **state)
{
	struct make m = make_start("samples/count");
	struct calltree tree;
	struct tag_fixture x;
	bool wanted[4] = { true, true, true, true };

	(void)state;
	labels_row(&m, "c;a", 5, "k=v");
	labels_row(&m, "c;b", 3, "k=v");
	tag_start(&x, &m);
	assert_int_equal(calltree_make(&x.a.v, &x.a.pl, &tree, NULL), 0);
	x.nodes = calltree_nodes(&tree);
	assert_int_equal(x.nodes.n, 4);
	assert_int_equal(tags_make(&x.a.v, &x.nodes, &tree, wanted, &x.units, "minimum", 0, x.a.mem, &x.t, NULL), 0);
	assert_int_equal(x.t.n, 4);
	for (uint32_t k = 0; k < 4; k++) {
		assert_int_equal(x.t.off[k + 1] - x.t.off[k], 1);
		assert_int_equal(x.t.tag[k].cum, tree.cum[k]);
		assert_int_equal(x.t.tag[k].flat, tree.flat[k]);
	}
	calltree_release(&tree);
	graph_fixture_release(&x.a);
}

static void tags_of_a_mean_have_divisors(void **state)
{
	struct make m = make_start("samples/count delay/ms");
	uint32_t label = labels_one(&m, "k", "v", 0, "");
	struct tag_fixture x;

	(void)state;
	make_row(&m, "b;a", (const int64_t[]){ 2, 10 }, &label, 1);
	make_row(&m, "a", (const int64_t[]){ 3, 5 }, &label, 1);
	make_row(&m, "a", (const int64_t[]){ 1, 0 }, &label, 1);
	x.a = graph_fixture_start(&m);
	x.a.q.mean = true;
	graph_fixture_run(&x.a);
	x.nodes = x.a.g.nodes;
	label_units_make(x.a.p, x.a.mem, &x.units, NULL);
	assert_int_equal(tags_make(&x.a.v, &x.nodes, NULL, (const bool[]){ true, true }, &x.units, "minimum", 0,
				   x.a.mem, &x.t, NULL),
			 0);
	expect_tags(&x, "a", "k:v 5/15 ");
	assert_int_equal(x.t.tag[x.t.off[place_named(&x.a.pl, "a")]].flat_div, 4);
	assert_int_equal(x.t.tag[x.t.off[place_named(&x.a.pl, "a")]].cum_div, 6);
	graph_fixture_release(&x.a);
}

/* 400 samples on 7 functions with pseudo-random labels and numbers. */
static struct make make_many(void)
{
	static const char *const stacks[] = { "a", "b;a", "c;b;a", "a;c", "d;e;f;g", "g;a", "b;b;f" };
	struct make m = make_start("samples/count");
	uint32_t r = 1;

	for (int i = 0; i < 400; i++) {
		char words[60];

		r = r * 1103515245 + 12345;
		snprintf(words, sizeof(words), "k=%u bytes:%u j=%u", r >> 16 & 7, 1 + (r >> 20 & 15), r >> 24 & 1);
		labels_row(&m, stacks[(r >> 8) % 7], (int64_t)(r >> 12 & 15) - 4, i % 5 ? words : words + 4);
	}
	return m;
}

static void labels_dropped_early_are_those_below_the_cutoff(void **state)
{
	struct make m = make_many();
	struct tag_fixture x;

	(void)state;
	tag_all(&x, &m);
	assert_true(x.t.n > 300);
	for (uint64_t cutoff = 1; cutoff < 200; cutoff = cutoff * 3 / 2 + 1) {
		struct tags cut;
		size_t n = 0;

		assert_int_equal(
			tags_make(&x.a.v, &x.nodes, NULL, x.wanted, &x.units, "minimum", cutoff, x.a.mem, &cut, NULL),
			0);
		for (size_t i = 0; i < x.t.n; i++) {
			const struct tag *all = &x.t.tag[i], *one = &cut.tag[n];

			if (num_abs(all->flat) < cutoff && num_abs(all->cum) < cutoff)
				continue;
			assert_true(n++ < cut.n);
			assert_true(one->node == all->node && one->flat == all->flat && one->cum == all->cum);
			assert_string_equal(one->name, all->name);
			assert_true(one->is_number == all->is_number && one->value == all->value);
			assert_true(n - 1 >= cut.off[one->node] && n - 1 < cut.off[one->node + 1]);
		}
		assert_int_equal(n, cut.n);
	}
	graph_fixture_release(&x.a);
}

static void tags_are_sorted_by_weight_then_name(void **state)
{
	const struct tag light = { .name = "a", .flat = 9, .cum = 10 }, heavy = { .name = "b", .flat = 5, .cum = -20 };
	const struct tag twin = { .name = "c", .flat = 9, .cum = 10 }, minus = { .name = "a", .flat = -9, .cum = 10 };

	(void)state;
	assert_true(tags_compare(&heavy, &light, false) < 0);
	assert_true(tags_compare(&heavy, &light, true) > 0);
	assert_true(tags_compare(&light, &twin, true) < 0);
	assert_true(tags_compare(&twin, &light, false) > 0);
	assert_true(tags_compare(&light, &minus, true) < 0);
	assert_int_equal(tags_compare(&light, &light, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_of_a_sample_are_sorted_and_joined_into_one_tag),
		cmocka_unit_test(samples_with_equal_labels_add_up),
		cmocka_unit_test(a_recursion_counts_once),
		cmocka_unit_test(numbers_are_below_the_labels_of_their_sample),
		cmocka_unit_test(numbers_printed_alike_are_one_tag_with_the_first_value),
		cmocka_unit_test(numbers_have_the_unit_of_their_key),
		cmocka_unit_test(the_label_of_the_base_makes_no_tag),
		cmocka_unit_test(samples_without_value_or_stack_have_no_tags),
		cmocka_unit_test(only_wanted_nodes_have_tags),
		cmocka_unit_test(display_text_of_labels_is_escaped),
		cmocka_unit_test(the_nodes_of_a_tree_have_their_own_tags),
		cmocka_unit_test(tags_of_a_mean_have_divisors),
		cmocka_unit_test(labels_dropped_early_are_those_below_the_cutoff),
		cmocka_unit_test(tags_are_sorted_by_weight_then_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
