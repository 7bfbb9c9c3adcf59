/*
 * test_layout.c - the graph that Graphviz receives, and its output
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/graph/layout.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NODE1 "node n1 1 2.5 1 0.5 \"\" solid box black lightgrey\n"
#define NODE2 "node n2 1 0.5 1 0.5 \"\" solid box black lightgrey\n"
#define EDGE12 "edge n1 n2 4 1 2.25 1 2 1 1.5 1 0.75 xxx 1.25 1.5 solid black\n"
#define EDGE22 "edge n2 n2 7 1.5 0.5 1.6 0.5 1.7 0.5 1.7 0.4 1.7 0.3 1.6 0.3 1.5 0.3 solid black\n"
#define GRAPH "graph 1 2 3\n"

/* Two boxes, a call with a label, and a recursive call without one. */
struct pair {
	struct layout_box box[2];
	struct layout_arrow arrow[2];
	struct layout l;
	struct arena *mem;
};

static void pair_init(struct pair *p)
{
	*p = (struct pair){ .box = { { .width = 72, .height = 36 }, { .width = 100.5, .height = 36 } },
			    .arrow = { { .from = 0, .to = 1, .weight = 84, .columns = 3, .lines = 1 },
				       { .from = 1, .to = 1, .weight = 1, .is_long = true } } };
	p->l = (struct layout){ .box = p->box, .n_boxes = 2, .arrow = p->arrow, .n_arrows = 2 };
	p->mem = arena_new();
}

static int read_text(const char *text, struct pair *p, struct err *err)
{
	pair_init(p);
	return layout_read(&p->l, text, strlen(text), p->mem, err);
}

static void writes_numbered_boxes_without_text_of_the_profile(void **state)
{
	struct buf out = { 0 };
	struct pair p;

	(void)state;
	pair_init(&p);
	p.arrow[0].lines = 2;
	layout_write(&p.l, &out);
	assert_string_equal(out.data, "digraph {\nnode [shape=box fixedsize=true label=\"\"]\n"
				      "edge [fontname=Courier fontsize=12]\n"
				      "n1 [width=1.0000 height=0.5000]\nn2 [width=1.3958 height=0.5000]\n"
				      "n1 -> n2 [weight=84 label=\"xxx\\nxxx\"]\nn2 -> n2 [weight=1 minlen=2]\n}\n");
	buf_release(&out);
	arena_free(p.mem);
}

static void reads_centres_curves_and_labels_in_points_with_y_downwards(void **state)
{
	struct pair p;
	struct err err;

	(void)state;
	assert_int_equal(read_text(GRAPH NODE1 NODE2 EDGE12 EDGE22 "stop\n", &p, &err), 0);
	assert_float_equal(p.l.width, 144, 1e-4);
	assert_float_equal(p.l.height, 216, 1e-4);
	assert_float_equal(p.box[0].at.x, 72, 1e-4);
	assert_float_equal(p.box[0].at.y, 36, 1e-4);
	assert_float_equal(p.box[1].at.y, 180, 1e-4);
	assert_int_equal(p.arrow[0].n_points, 4);
	assert_float_equal(p.arrow[0].point[3].y, 162, 1e-4);
	assert_float_equal(p.arrow[0].label.x, 90, 1e-4);
	assert_int_equal(p.arrow[1].n_points, 7);
	arena_free(p.mem);
}

static void reads_numbers_with_sign_and_exponent(void **state)
{
	struct pair p;
	struct err err;

	(void)state;
	assert_int_equal(read_text("graph 1 2e+00 1.5e-1\n"
				   "node n1 -1.25 0 1 1 \"\" solid box black lightgrey\n" NODE2 EDGE12 EDGE22 "stop\n",
				   &p, &err),
			 0);
	assert_float_equal(p.l.width, 144, 1e-4);
	assert_float_equal(p.l.height, 10.8, 1e-4);
	assert_float_equal(p.box[0].at.x, -90, 1e-4);
	arena_free(p.mem);
}

static void arrows_between_the_same_boxes_keep_their_order(void **state)
{
	struct pair p;
	struct err err;

	(void)state;
	pair_init(&p);
	p.arrow[1] = p.arrow[0];
	assert_int_equal(layout_read(&p.l,
				     GRAPH NODE1 NODE2 EDGE12
				     "edge n1 n2 4 0 0 0 0 0 0 0 0 xxx 0.5 1.5 solid black\nstop\n",
				     strlen(GRAPH NODE1 NODE2 EDGE12) + 58, p.mem, &err),
			 0);
	assert_float_equal(p.arrow[0].label.x, 90, 1e-4);
	assert_float_equal(p.arrow[1].label.x, 36, 1e-4);
	arena_free(p.mem);
}

static void refuses_output_that_does_not_describe_the_graph(void **state)
{
	static const char *const bad[][2] = {
		{ "", "line 1: an unexpected word" },
		{ "graph 2 2 3\n", "line 1: an unexpected word" },
		{ "graph 1 nan 3\n", "line 1: an invalid number" },
		{ "graph 1 inf 3\n", "line 1: an invalid number" },
		{ "graph 1 0x10 3\n", "line 1: an invalid number" },
		{ "graph 1 1e99 3\n", "line 1: an invalid number" },
		{ "graph 1 1e+ 3\n", "line 1: an invalid number" },
		{ "graph 1 1. 3\n", "line 1: an invalid number" },
		{ "graph 1 .5 3\n", "line 1: an invalid number" },
		{ "graph 1 1,5 3\n", "line 1: an invalid number" },
		{ "graph 1 9999999 3\n", "line 1: an invalid number" },
		{ "graph 1 -2 3\n", "line 1: a negative size" },
		{ "graph 1 2 3 4\n", "line 1: too many words" },
		{ "graph 1 2  3\n", "line 1: an invalid number" },
		{ GRAPH "node n3 1 1 1 1 \"\" solid box black lightgrey\n", "line 2: an invalid number" },
		{ GRAPH "node n0 1 1 1 1 \"\" solid box black lightgrey\n", "line 2: an invalid number" },
		{ GRAPH "node n01 1 1 1 1 \"\" solid box black lightgrey\n", "line 2: an invalid number" },
		{ GRAPH "node m1 1 1 1 1 \"\" solid box black lightgrey\n", "line 2: an unknown node" },
		{ GRAPH "node n1 1 1 1 1 text solid box black lightgrey\n", "line 2: an unexpected word" },
		{ GRAPH NODE1 NODE1, "line 3: a duplicate node" },
		{ GRAPH NODE1 NODE2 "edge n2 n1 4 1 1 1 1 1 1 1 1 solid black\n", "line 4: an unknown edge" },
		{ GRAPH NODE1 NODE2 EDGE12 EDGE12, "line 5: an unknown edge" },
		{ GRAPH NODE1 NODE2 "edge n2 n2 3 1 1 1 1 1 1 solid black\n", "line 4: an incomplete curve" },
		{ GRAPH NODE1 NODE2 "edge n2 n2 5 1 1 1 1 1 1 1 1 1 1 solid black\n", "line 4: an incomplete curve" },
		{ GRAPH NODE1 NODE2 "edge n2 n2 400000 1 1 1 1 1 1 solid black\n", "line 4: an invalid number" },
		{ GRAPH NODE1 NODE2 "edge n2 n2 4 1 1 1 1 1 1 1\n", "line 4: an invalid number" },
		{ GRAPH NODE1 NODE2 "edge n1 n2 4 1 1 1 1 1 1 1 1 solid black\n", "line 4: no label" },
		{ GRAPH NODE1 NODE2 "edge n2 n2 4 1 1 1 1 1 1 1 1 dotted black\n", "line 4: an unexpected word" },
		{ GRAPH NODE1 NODE2 EDGE12 "stop\n", "line 6: an edge is missing" },
		{ GRAPH NODE1 EDGE12 EDGE22 "stop\n", "line 6: a node is missing" },
		{ GRAPH NODE1 NODE2 EDGE12 EDGE22, "line 6: an unknown line" },
		{ GRAPH NODE1 NODE2 EDGE12 EDGE22 "stop", "line 6: too many words" },
		{ GRAPH NODE1 NODE2 EDGE12 EDGE22 "stop\n\n", "line 7: text after the end" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct buf want = { 0 };
		struct pair p;
		struct err err = { 0 };

		buf_addf(&want, "output of dot: %s", bad[i][1]);
		assert_int_equal(read_text(bad[i][0], &p, &err), ERR_FORMAT);
		assert_string_equal(err.msg, want.data);
		buf_release(&want);
		arena_free(p.mem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_numbered_boxes_without_text_of_the_profile),
		cmocka_unit_test(reads_centres_curves_and_labels_in_points_with_y_downwards),
		cmocka_unit_test(reads_numbers_with_sign_and_exponent),
		cmocka_unit_test(arrows_between_the_same_boxes_keep_their_order),
		cmocka_unit_test(refuses_output_that_does_not_describe_the_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
