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

/* What is drawn for a profile; the query may be changed between make and draw. */
struct drawn {
	struct netted n;
	struct buf out;
};

static void dot_start(struct drawn *d, struct make *m)
{
	*d = (struct drawn){ 0 };
	net_about(&d->n, m);
}

static void dot(struct drawn *d)
{
	struct report r = { .mem = arena_new() };

	net_ask(&d->n, true);
	report_calls_head(&d->n.net, &d->n.q, &d->n.v, false, &r);
	dot_draw(&d->n.net, &r, &d->out);
	report_release(&r);
}

static void dot_release(struct drawn *d)
{
	buf_release(&d->out);
	net_done(&d->n);
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

/* No control characters but line ends, quotes in pairs in each line, and nothing else outside of them. */
static void expect_harmless(const struct drawn *d)
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

static void a_call_has_a_label_a_weight_and_tips(void **state)
{
	struct make m = make_start("cpu/ms");
	struct drawn d;

	(void)state;
	ROW(&m, "b;a", 75);
	ROW(&m, "a", 25);
	dot_start(&d, &m);
	dot(&d);
	expect_harmless(&d);
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

static void residual_calls_are_dotted_and_inlined_ones_say_so(void **state)
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

static void hostile_names_are_escaped(void **state)
{
	static const char *const names[] = { "a\"] N9 [label=\"x", "back\\", "\\\"", "li\nne", "\033[31m", "\\N\\G",
					     "\x7f\xff\xc2\x9b" };
	struct drawn d;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		draw_row(&d, names[i], "");
		expect_harmless(&d);
		dot_release(&d);
	}
	draw_row(&d, "q\"\\\n", "");
	expect_text(&d, "N1 [label=\"q\\\"\\\\\\\\n\\n5 (100%)\"");
	expect_text(&d, "tooltip=\"q\\\"\\\\\\\\n (5)\"");
	dot_release(&d);
}

static void names_are_cut_into_lines(void **state)
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

static void labels_are_boxes_and_escaped(void **state)
{
	struct drawn d;

	(void)state;
	draw_row(&d, "a", "k=\"v\\\n a=b");
	expect_harmless(&d);
	expect_text(&d, "N1_0 [label = \"a:b\\nk:\\\"v\\\\\\\\n\" id=\"N1_0\" fontsize=8 shape=box3d tooltip=\"5\"]\n"
			"N1 -> N1_0 [label=\" 5\" weight=100 tooltip=\"5\" labeltooltip=\"5\"]\n");
	dot_release(&d);
}

static void numbers_are_boxes_under_their_label_or_their_node(void **state)
{
	struct drawn d;

	(void)state;
	draw_row(&d, "a", "k=v bytes:2048");
	expect_text(&d, "NN1_0_0 [label = \"2kB\" ");
	expect_text(&d, "N1_0 -> NN1_0_0 [label=\" 5\" weight=100");
	dot_release(&d);
	draw_row(&d, "b;a", "bytes:2048");
	expect_text(&d, "NN1_0 [label = \"2kB\" ");
	expect_none(&d, "minlen=2"); /* a has nothing of its own */
	dot_release(&d);
}

static void calls_out_of_a_node_with_boxes_are_longer(void **state)
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

static void more_than_four_numbers_are_grouped(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	labels_row(&m, "a", 50, "bytes:10");
	labels_row(&m, "a", 40, "bytes:100");
	labels_row(&m, "a", 30, "bytes:200");
	labels_row(&m, "a", 20, "bytes:300");
	labels_row(&m, "a", 1, "bytes:12");
	labels_row(&m, "a", 2, "bytes:150"); /* as near to 100 as to 200: the heavier one has it */
	dot_start(&d, &m);
	dot(&d);
	expect_text(&d, "[label = \"10B..12B\" id=\"NN1_0\" fontsize=8 shape=box3d tooltip=\"51\"]");
	expect_text(&d, "[label = \"100B..150B\" id=\"NN1_1\" fontsize=8 shape=box3d tooltip=\"42\"]");
	expect_text(&d, "[label = \"200B\" id=\"NN1_2\"");
	expect_none(&d, "NN1_4");
	dot_release(&d);
}

static void at_most_four_labels_are_drawn(void **state)
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

static void titles_files_and_binaries_are_escaped(void **state)
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
	expect_harmless(&d);
	expect_text(&d, "digraph \"ti\\\"t\\\\le\\\\n\" {");
	expect_text(&d, "{ \"File: ti\\\"t\\\\le\\\\n\" [shape=box");
	expect_text(&d, "[ti\\\"t\\\\le\\\\n]\\n");
	expect_text(&d, "f\\nx\\\"y\\\\z:3\\n");
	dot_release(&d);
}

static void units_are_escaped(void **state)
{
	struct make m = make_start("sam\"ples/co\"unt\\");
	struct drawn d;

	(void)state;
	ROW(&m, "b;a", 5);
	dot_start(&d, &m);
	dot(&d);
	expect_harmless(&d);
	expect_text(&d, "[label=\" 5co\\\"unt\\\\\"");
	dot_release(&d);
}

static void a_profile_of_nothing_is_a_legend(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	dot_start(&d, &m);
	dot(&d);
	expect_harmless(&d);
	expect_none(&d, "N1");
	dot_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_a_label_a_weight_and_tips),
		cmocka_unit_test(residual_calls_are_dotted_and_inlined_ones_say_so),
		cmocka_unit_test(hostile_names_are_escaped),
		cmocka_unit_test(names_are_cut_into_lines),
		cmocka_unit_test(labels_are_boxes_and_escaped),
		cmocka_unit_test(numbers_are_boxes_under_their_label_or_their_node),
		cmocka_unit_test(calls_out_of_a_node_with_boxes_are_longer),
		cmocka_unit_test(more_than_four_numbers_are_grouped),
		cmocka_unit_test(at_most_four_labels_are_drawn),
		cmocka_unit_test(titles_files_and_binaries_are_escaped),
		cmocka_unit_test(units_are_escaped),
		cmocka_unit_test(a_profile_of_nothing_is_a_legend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
