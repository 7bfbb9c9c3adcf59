/*
 * test_callgraph.c - call graphs as SVG
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The texts and colours of boxes are those of dot.c, which test_dot.c checks.
 */
#include "config.h"

#include "viewers/graph/callgraph.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "report/calls.h"
#include "tests/unit/make_net.h"

/* A profile, drawn. */
struct drawn {
	struct net_fixture n;
	struct report r;
	struct buf out;
	struct err err;
};

/* Does the test have to be skipped, because Graphviz is missing? */
static bool has_dot(void)
{
	return system("dot -V >/dev/null 2>&1") == 0;
}

static void start(struct drawn *d, struct make *m)
{
	*d = (struct drawn){ .r = { .mem = arena_new() } };
	net_fixture_start(&d->n, m);
}

static int draw(struct drawn *d, const struct callgraph_style *style, const struct stop *stop)
{
	struct callgraph g;

	net_fixture_run(&d->n, true);
	report_calls_head(&d->n.net, &d->n.q, &d->n.v, false, &d->r);
	callgraph_make(&d->n.net, &d->r, d->r.mem, &g);
	return callgraph_draw_svg(&g, style, stop, &d->out, &d->err);
}

static void release(struct drawn *d)
{
	buf_release(&d->out);
	net_fixture_release(&d->n);
	report_release(&d->r);
}

static void expect_text(const struct drawn *d, const char *text)
{
	if (!strstr(buf_text(&d->out), text))
		fail_msg("no %s in:\n%s", text, buf_text(&d->out));
}

static void expect_none(const struct drawn *d, const char *text)
{
	if (strstr(buf_text(&d->out), text))
		fail_msg("%s in:\n%s", text, buf_text(&d->out));
}

static void add_link(void *arg, const struct row_place *place, struct buf *out)
{
	(void)arg;
	buf_addz(out, "peek?f=");
	utf8_add_safe(out, place->function, strlen(place->function));
}

static const struct callgraph_style element = { .is_element = true, .add_link = add_link }, file = { 0 };

static void boxes_are_links_with_title_lines_and_colours_by_weight(void **state)
{
	struct make m = make_start("cpu/ms");
	struct drawn d;

	(void)state;
	if (!has_dot())
		skip();
	ROW(&m, "b;a.c", 75);
	ROW(&m, "a.c", 25);
	start(&d, &m);
	assert_int_equal(draw(&d, &element, NULL), 0);
	assert_memory_equal(d.out.data, "<svg xmlns=", 11);
	expect_text(&d, "<a href=\"peek?f=a.c\" class=\"k8\"><title>a.c (100ms)</title><rect ");
	expect_text(&d, " fill=\"#edd5d5\" stroke=\"#b20000\"/>");
	expect_text(&d, ">a</text><text ");
	expect_text(&d, ">of 100ms (100%)</text></g></a>");
	expect_text(&d, "<g class=\"k7\"><title>a.c → b (75ms)</title><path fill=\"none\" stroke=\"#b20e00\" "
			"stroke-width=\"4\" d=\"M");
	expect_text(&d, "<polygon points=\"");
	expect_none(&d, "style");
	release(&d);
}

static void a_file_has_its_own_title_head_and_style_and_no_links(void **state)
{
	struct make m = make_start("cpu/ms");
	struct drawn d;

	(void)state;
	if (!has_dot())
		skip();
	ROW(&m, "b;a", 75);
	start(&d, &m);
	assert_int_equal(draw(&d, &file, NULL), 0);
	assert_memory_equal(d.out.data, "<?xml version=\"1.0\"?>\n<svg xmlns=", 33);
	expect_text(&d, "<title>Call graph: cpu</title><style>:root{");
	expect_text(&d, ">Showing nodes accounting for 75ms, 100% of 75ms total</text>");
	expect_text(&d, " class=\"k8\"><title>a (75ms)</title>");
	expect_none(&d, "<a ");
	expect_none(&d, "href");
	release(&d);
}

static void residual_calls_are_dotted_and_inlined_calls_and_labels_marked(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	if (!has_dot())
		skip();
	ROW(&m, "c;x;a", 5);
	ROW(&m, "i+a", 20);
	labels_row(&m, "a", 5, "tenant=north");
	start(&d, &m);
	d.n.q.nodecount = 4;
	assert_int_equal(draw(&d, &element, NULL), 0);
	expect_text(&d, "<title>a ... c (5)</title><path fill=\"none\" stroke=\"#");
	expect_text(&d, " stroke-dasharray=\"2,4\"");
	expect_text(&d, "<title>a → i (20, inlined)</title>");
	expect_text(&d, ">(inline)</text>");
	expect_text(&d, "<g class=\"label\"><title>tenant:north (5)</title>");
	release(&d);
}

static void negative_values_have_their_own_class(void **state)
{
	struct make m = make_start("cpu/ms");
	struct drawn d;

	(void)state;
	if (!has_dot())
		skip();
	ROW(&m, "b", -75);
	ROW(&m, "a", 25);
	start(&d, &m);
	assert_int_equal(draw(&d, &element, NULL), 0);
	expect_text(&d, " down\"><title>b (-75ms)</title>");
	release(&d);
}

static void names_of_a_hostile_profile_are_text_only(void **state)
{
	static const char *const names[] = { "</title><script>alert(1)</script>",
					     "\" onload=\"x",
					     "a\nb\r\t\x01\x1b[31m",
					     "\xef\xbf\xbe\xef\xbf\xbf",
					     "\xff\xfe",
					     "]]></svg><svg>",
					     "javascript:x",
					     "a -> b; n1 [label=x]",
					     "\xe2\x80\xaegnp.js" };
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	if (!has_dot())
		skip();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ROW(&m, names[i], 5);
	labels_row(&m, "leaf", 5, "<script>=</g>");
	start(&d, &m);
	assert_int_equal(draw(&d, &element, NULL), 0);
	expect_none(&d, "<script");
	expect_none(&d, "</svg><");
	expect_none(&d, "\" onload");
	expect_none(&d, "\x1b");
	expect_none(&d, "\xe2\x80\xae");
	expect_none(&d, "\xef\xbf\xbe");
	expect_text(&d, "&lt;script&gt;alert(1)&lt;/script&gt;");
	release(&d);
}

static void long_names_are_shortened(void **state)
{
	struct make m = make_start("samples/count");
	struct buf name = { 0 };
	struct drawn d;

	(void)state;
	if (!has_dot())
		skip();
	for (int i = 0; i < 20000; i++)
		buf_addz(&name, i % 100 ? "long" : ".");
	ROW(&m, name.data, 5);
	start(&d, &m);
	assert_int_equal(draw(&d, &file, NULL), 0);
	assert_in_range(d.out.len, 1000, 20000);
	release(&d);
	buf_release(&name);
}

static void too_many_nodes_are_refused(void **state)
{
	struct make m = make_start("samples/count");
	struct drawn d;

	(void)state;
	for (int i = 0; i <= CALLGRAPH_NODES_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		ROW(&m, name, 5);
	}
	start(&d, &m);
	assert_int_equal(draw(&d, &file, NULL), ERR_LIMIT);
	assert_string_equal(d.err.msg, "a call graph of 501 nodes is too large; show at most 500 (nodecount)");
	assert_int_equal(d.out.len, 0);
	release(&d);
}

/* Draw a profile while PATH has only a program dot with this script; NULL for none. */
static int draw_with(const char *script, const struct stop *stop, struct drawn *d)
{
	char dir[] = "/tmp/test_callgraph.XXXXXX", path[64];
	char *before = strdup(getenv("PATH"));
	struct make m = make_start("samples/count");
	int rc;

	ROW(&m, "a;b", 5);
	start(d, &m);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/dot", dir);
	if (script) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fprintf(f, "#!/bin/sh\n%s\n", script);
		fclose(f);
		chmod(path, 0700);
	}
	setenv("PATH", dir, 1);
	rc = draw(d, &file, stop);
	setenv("PATH", before, 1);
	free(before);
	unlink(path);
	rmdir(dir);
	return rc;
}

static void without_graphviz_the_error_is_that_of_pprof(void **state)
{
	struct drawn d;

	(void)state;
	assert_int_equal(draw_with(NULL, NULL, &d), ERR_UNKNOWN);
	assert_string_equal(d.err.msg, "Could not execute dot; may need to install graphviz.");
	release(&d);
}

static void output_and_failures_of_another_dot_are_errors(void **state)
{
	struct drawn d;

	(void)state;
	assert_int_equal(draw_with("echo '<svg onload=alert(1)>'", NULL, &d), ERR_FORMAT);
	assert_int_equal(d.out.len, 0);
	release(&d);
	assert_int_equal(draw_with("exit 3", NULL, &d), ERR_LIMIT);
	assert_string_equal(d.err.msg, "Graphviz could not place 2 boxes and 1 calls in 10 seconds and 256 MiB; "
				       "show fewer nodes (nodecount)");
	release(&d);
}

static void a_stop_ends_graphviz_with_its_children(void **state)
{
	struct timespec begin, end;
	struct stop stop = { 0 };
	struct drawn d;

	(void)state;
	stop_set(&stop);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_int_equal(draw_with("/bin/sleep 1000 & wait", &stop, &d), ERR_STOPPED);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_in_range(end.tv_sec - begin.tv_sec, 0, 8);
	release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_are_links_with_title_lines_and_colours_by_weight),
		cmocka_unit_test(a_file_has_its_own_title_head_and_style_and_no_links),
		cmocka_unit_test(residual_calls_are_dotted_and_inlined_calls_and_labels_marked),
		cmocka_unit_test(negative_values_have_their_own_class),
		cmocka_unit_test(names_of_a_hostile_profile_are_text_only),
		cmocka_unit_test(long_names_are_shortened),
		cmocka_unit_test(too_many_nodes_are_refused),
		cmocka_unit_test(without_graphviz_the_error_is_that_of_pprof),
		cmocka_unit_test(output_and_failures_of_another_dot_are_errors),
		cmocka_unit_test(a_stop_ends_graphviz_with_its_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
