/*
 * test_dot.c - a call graph for Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/calls.h"
#include "tests/unit/make_net.h"

/* A drawing of a profile. Tests can change the query between make and draw. */
struct drawn {
	struct net_fixture n;
	struct buf out;
};

static void dot_start(struct drawn *d, struct make *m)
{
	*d = (struct drawn){ 0 };
	net_fixture_start(&d->n, m);
}

static void dot(struct drawn *d)
{
	struct report r = { .mem = arena_new() };

	net_fixture_run(&d->n, true);
	report_calls_head(&d->n.net, &d->n.q, &d->n.v, false, &r);
	dot_draw(&d->n.net, &r, &d->out);
	report_release(&r);
}

static void dot_release(struct drawn *d)
{
	buf_release(&d->out);
	net_fixture_release(&d->n);
}

static void expect_text(const struct drawn *d, const char *text)
{
	if (!strstr(d->out.data, text))
		fail_msg("no %s in:\n%s", text, d->out.data);
}

static void expect_none(const struct drawn *d, const char *text)
{
	if (strstr(d->out.data, text))
		fail_msg("%s in:\n%s", text, d->out.data);
}

/* Expect no control characters except line ends, and paired quotes in each line. */
static void expect_escaped(const struct drawn *d)
{
	bool quoted = false;

	for (size_t i = 0; i < d->out.len; i++) {
		unsigned char c = (unsigned char)d->out.data[i];

		assert_true(c >= ' ' || c == '\n');
		assert_true(c != 127);
		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		assert_false(quoted && c == '\n');
	}
	assert_false(quoted);
}

static void draw_row(struct drawn *d, const char *stack, const char *labels)
{
	struct make m = make_start("samples/count");

	labels_row(&m, stack, 5, labels);
	dot_start(d, &m);
	dot(d);
}

static void a_call_has_label_weight_and_tooltips(void **state)
{
	struct make m = make_start("cpu/ms");
	struct drawn d;

	(void)state;
	ROW(&m, "b;a", 75);
	ROW(&m, "a", 25);
	dot_start(&d, &m);
	dot(&d);
	expect_escaped(&d);
	expect_text(&d, "digraph \"unnamed\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n"
			"subgraph cluster_L { \"Type: cpu\" [shape=box fontsize=16 label=\"Type: cpu\\l"
			"Showing nodes accounting for 100ms, 100% of 100ms total\\l\\l"
			"See https://git.io/JfYMW for how to read the graph\\l\"] }\n");
	expect_text(&d, "N1 [label=\"a\\n25ms (25.00%)\\nof 100ms (100%)\" id=\"node1\" fontsize=18 shape=box "
			"tooltip=\"a (100ms)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n");
	expect_text(&d, "N2 [label=\"b\\n75ms (75.00%)\" id=\"node2\" fontsize=24 ");
	expect_text(&d, "N1 -> N2 [label=\" 75ms\" weight=76 penwidth=4 color=\"#b20e00\" tooltip=\"a -> b (75ms)\" "
			"labeltooltip=\"a -> b (75ms)\"]\n}\n");
	dot_release(&d);
}

/* Like pprof of November 2026. */
static void decreases_are_blue(void **state)
{
	struct make m = make_start("cpu/ms");
	struct drawn d;

	(void)state;
	ROW(&m, "a", -75);
	ROW(&m, "b", -25);
	dot_start(&d, &m);
	dot(&d);
	expect_text(&d, "(-75ms)\" color=\"#0e0eb2\" fillcolor=\"#d7d7ed\"]");
	dot_release(&d);
}

static void residual_calls_are_dotted_and_inlined_calls_marked(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	ROW(&m, "c;x;a", 5);
	ROW(&m, "i+a", 20);
	dot_start(&d, &m);
	d.n.q.nodecount = 3;
	dot(&d);
	expect_text(&d, "tooltip=\"a -> i (20)\" labeltooltip=\"a -> i (20)\"]");
	expect_text(&d, "[label=\" 20\\n (inline)\"");
	expect_text(&d, "tooltip=\"a ... ");
	expect_text(&d, "(5)\" style=\"dotted\"]\n");
	dot_release(&d);
}

static void escapes_hostile_names(void **state)
{
	static const char *const names[] = { "a\"] N9 [label=\"x", "back\\", "\\\"", "li\nne", "\033[31m", "\\N\\G",
					     "\x7f\xff\xc2\x9b" };
	struct drawn d;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		draw_row(&d, names[i], "");
		expect_escaped(&d);
		dot_release(&d);
	}
	draw_row(&d, "q\"\\\n", "");
	expect_text(&d, "N1 [label=\"q\\\"\\\\\\\\n\\n5 (100%)\"");
	expect_text(&d, "tooltip=\"q\\\"\\\\\\\\n (5)\"");
	dot_release(&d);
}

static void splits_names_into_lines(void **state)
{
	struct drawn d;

	(void)state;
	draw_row(&d, "x/net/http.(*T[...]).Serve", "");
	expect_text(&d, "[label=\"http\\n(*T[\xe2\x80\xa6])\\nServe\\n5 (100%)\"");
	expect_text(&d, "tooltip=\"x/net/http.(*T[...]).Serve (5)\"");
	dot_release(&d);
	draw_row(&d, "a::b::Klass::run", "");
	expect_text(&d, "[label=\"Klass\\nrun\\n5 (100%)\"");
	dot_release(&d);
}

static void draws_labels_as_boxes_with_escaped_text(void **state)
{
	struct drawn d;

	(void)state;
	draw_row(&d, "a", "k=\"v\\\n a=b");
	expect_escaped(&d);
	expect_text(&d, "N1_0 [label = \"a:b\\nk:\\\"v\\\\\\\\n\" id=\"N1_0\" fontsize=8 shape=box3d tooltip=\"5\"]\n"
			"N1 -> N1_0 [label=\" 5\" weight=100 tooltip=\"5\" labeltooltip=\"5\"]\n");
	dot_release(&d);
}

static void draws_numbers_as_boxes_below_their_label_or_node(void **state)
{
	struct drawn d;

	(void)state;
	draw_row(&d, "a", "k=v bytes:2048");
	expect_text(&d, "NN1_0_0 [label = \"2kB\" ");
	expect_text(&d, "N1_0 -> NN1_0_0 [label=\" 5\" weight=100");
	dot_release(&d);
	draw_row(&d, "b;a", "bytes:2048");
	expect_text(&d, "NN1_0 [label = \"2kB\" ");
	expect_none(&d, "minlen=2"); /* a has no flat value, so it has no box */
	dot_release(&d);
}

static void lengthens_edges_from_nodes_with_label_boxes(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	labels_row(&m, "a", 10, "k=v");
	labels_row(&m, "b;a", 5, "");
	dot_start(&d, &m);
	dot(&d);
	expect_text(&d, "labeltooltip=\"a -> b (5)\" minlen=2]\n");
	dot_release(&d);
}

static void groups_more_than_four_numbers(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	labels_row(&m, "a", 50, "bytes:10");
	labels_row(&m, "a", 40, "bytes:100");
	labels_row(&m, "a", 30, "bytes:200");
	labels_row(&m, "a", 20, "bytes:300");
	labels_row(&m, "a", 1, "bytes:12");
	labels_row(&m, "a", 2, "bytes:150"); /* as close to 100 as to 200, so it joins the heavier group */
	dot_start(&d, &m);
	dot(&d);
	expect_text(&d, "[label = \"10B..12B\" id=\"NN1_0\" fontsize=8 shape=box3d tooltip=\"51\"]");
	expect_text(&d, "[label = \"100B..150B\" id=\"NN1_1\" fontsize=8 shape=box3d tooltip=\"42\"]");
	expect_text(&d, "[label = \"200B\" id=\"NN1_2\"");
	expect_none(&d, "NN1_4");
	dot_release(&d);
}

static void draws_at_most_four_labels(void **state)
{
	static const char *const words[] = { "k=1", "k=2", "k=3", "k=4", "k=5" };
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	for (int i = 0; i < 5; i++)
		labels_row(&m, "a", 10 - i, words[i]);
	dot_start(&d, &m);
	dot(&d);
	expect_text(&d, "N1_3 [label = \"k:4\"");
	expect_none(&d, "k:5");
	dot_release(&d);
}

static void escapes_titles_files_and_binaries(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	make_map(&m, "/bin/ti\"t\\le\n");
	ROW(&m, "0x10", 5);
	ROW(&m, "f@/d/x\"y\\z:3", 4);
	ROW(&m, "@/d/only\n\"file", 3);
	dot_start(&d, &m);
	d.n.q.granularity = GRAIN_LINES;
	dot(&d);
	expect_escaped(&d);
	expect_text(&d, "digraph \"ti\\\"t\\\\le\\\\n\" {");
	expect_text(&d, "{ \"File: ti\\\"t\\\\le\\\\n\" [shape=box");
	expect_text(&d, "[ti\\\"t\\\\le\\\\n]\\n");
	expect_text(&d, "f\\nx\\\"y\\\\z:3\\n");
	dot_release(&d);
}

static void escapes_units(void **state)
{
	struct make m = make_start("sam\"ples/co\"unt\\");
	struct drawn d;

	(void)state;
	ROW(&m, "b;a", 5);
	dot_start(&d, &m);
	dot(&d);
	expect_escaped(&d);
	expect_text(&d, "[label=\" 5co\\\"unt\\\\\"");
	dot_release(&d);
}

static void draws_only_a_legend_without_samples(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	dot_start(&d, &m);
	dot(&d);
	expect_escaped(&d);
	expect_none(&d, "N1");
	dot_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_label_weight_and_tooltips),
		cmocka_unit_test(decreases_are_blue),
		cmocka_unit_test(residual_calls_are_dotted_and_inlined_calls_marked),
		cmocka_unit_test(escapes_hostile_names),
		cmocka_unit_test(splits_names_into_lines),
		cmocka_unit_test(draws_labels_as_boxes_with_escaped_text),
		cmocka_unit_test(draws_numbers_as_boxes_below_their_label_or_node),
		cmocka_unit_test(lengthens_edges_from_nodes_with_label_boxes),
		cmocka_unit_test(groups_more_than_four_numbers),
		cmocka_unit_test(draws_at_most_four_labels),
		cmocka_unit_test(escapes_titles_files_and_binaries),
		cmocka_unit_test(escapes_units),
		cmocka_unit_test(draws_only_a_legend_without_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
