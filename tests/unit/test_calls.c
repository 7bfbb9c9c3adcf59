/*
 * test_calls.c - the reports tree and peek
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/calls.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

/* A profile, its view, and the report. Tests may change the query before the report is made. */
struct calls_fixture {
	struct profile *p;
	struct query q;
	struct arena *mem;
	struct view v;
	struct report r;
	struct err err;
};

static void calls_start(struct calls_fixture *c, struct make *m, const char *pattern)
{
	*c = (struct calls_fixture){ .p = make_end(m), .mem = arena_new() };
	query_init(&c->q);
	c->q.pattern = pattern;
}

static int calls_make(struct calls_fixture *c)
{
	static const struct query_defaults peek = { .untrimmed = true }, tree = { .nodecount = 80 };

	query_apply_defaults(&c->q, *c->q.pattern ? &peek : &tree);
	assert_int_equal(view_make(c->p, &c->q.filter, c->mem, &c->v, NULL, &c->err), 0);
	return report_calls_make(&c->v, &c->q, &c->r, NULL, &c->err);
}

static void calls_release(struct calls_fixture *c)
{
	report_release(&c->r);
	arena_free(c->mem);
	profile_free(c->p);
}

/* Compare the rows from `from` on: "<main 100 100%" for a caller, "=a 0 0 100" (flat, sum, cum) for a node, ">b" for
   a callee. */
static void expect_rows(const struct calls_fixture *c, uint32_t from, const char *want)
{
	const struct table *t = &c->r.table;
	struct buf b = { 0 };

	for (uint32_t i = from; i < t->n_rows; i++) {
		const union cell *cell = t->cell + (size_t)i * t->n_cols;
		bool node = t->role[i] == ROW_NODE;

		assert_int_equal(report_has(t, i, CALLS_FLAT), node);
		assert_int_equal(report_has(t, i, CALLS_WEIGHT), !node);
		assert_int_equal(report_has(t, i, CALLS_INLINED), !node);
		assert_true(report_has(t, i, CALLS_NAME));
		buf_addf(&b, "%c%s ", node ? '=' : t->role[i] == ROW_CALLER ? '<' : '>', cell[CALLS_NAME].text);
		if (node)
			buf_addf(&b, "%d %d %d\n", (int)cell[CALLS_FLAT].value, (int)cell[CALLS_SUM_PCT].value,
				 (int)cell[CALLS_CUM].value);
		else
			buf_addf(&b, "%d %.0f%%%s\n", (int)cell[CALLS_WEIGHT].value, cell[CALLS_WEIGHT_PCT].real,
				 cell[CALLS_INLINED].text);
	}
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void callers_precede_a_node_and_callees_follow_it(void **state)
{
	struct make m = make_example();
	struct calls_fixture c;

	(void)state;
	calls_start(&c, &m, "");
	assert_int_equal(calls_make(&c), 0);
	expect_rows(&c, 0,
		    "<b 50 100%\n=c 50 50 50\n"
		    "<a 100 100%\n=b 30 80 100\n>c 50 50%\n>a 20 20%\n"
		    "<main 100 100%\n<b 20 20%\n=a 20 100 100\n>b 100 100%\n"
		    "<host 10 50%(inline)\n<main 10 50%\n=inl 20 120 20\n"
		    "<main 10 100%\n=host 0 120 10\n>inl 10 100%(inline)\n"
		    "=main 0 120 120\n>a 100 83%\n>host 10 8%\n>inl 10 8%\n");
	assert_string_equal(c.r.head.command, "tree");
	assert_int_equal(c.r.head.n_shown, 6);
	assert_int_equal(c.r.head.shown, 120);
	calls_release(&c);
}

static void peek_shows_matching_nodes_with_their_calls(void **state)
{
	struct make m = make_example();
	struct calls_fixture c;

	(void)state;
	calls_start(&c, &m, "^(b|host)$");
	assert_int_equal(calls_make(&c), 0);
	expect_rows(&c, 0,
		    "<a 100 100%\n=b 30 30 100\n>c 50 50%\n>a 20 20%\n"
		    "<main 10 100%\n=host 0 30 10\n>inl 10 100%(inline)\n");
	assert_string_equal(c.r.head.command, "peek");
	assert_int_equal(c.r.head.shown, 120);
	calls_release(&c);
}

static void callers_and_callees_have_file_and_line(void **state)
{
	struct make m = make_start("n/count");
	struct calls_fixture c;

	(void)state;
	ROW(&m, "c@c.c:3;b@b.c:2;a@a.c:1", 5);
	calls_start(&c, &m, "^b ");
	c.q.granularity = GRAIN_LINES;
	assert_int_equal(calls_make(&c), 0);
	expect_rows(&c, 0, "<a a.c:1 5 100%\n=b b.c:2 0 0 5\n>c c.c:3 5 100%\n");
	for (uint32_t i = 0; i < 3; i++) {
		assert_string_equal(c.r.table.place[i].function, i == 0 ? "a" : i == 1 ? "b" : "c");
		assert_int_equal(c.r.table.place[i].line, i + 1);
	}
	calls_release(&c);
}

static void peek_does_not_drop_nodes(void **state)
{
	struct make m = make_example();
	struct calls_fixture c;

	(void)state;
	calls_start(&c, &m, "c");
	c.q.nodecount = 1;
	c.q.nodefraction = 0.9;
	c.q.edgefraction = 0.9;
	assert_int_equal(calls_make(&c), 0);
	expect_rows(&c, 0, "<b 50 100%\n=c 50 50 50\n");
	assert_int_equal(c.r.head.n_shown, 6);
	assert_int_equal(c.r.head.n_dropped, 0);
	calls_release(&c);
}

static void peek_fails_if_nothing_matches(void **state)
{
	struct make m = make_example();
	struct calls_fixture c;

	(void)state;
	calls_start(&c, &m, "nobody");
	assert_int_equal(calls_make(&c), ERR_USAGE);
	assert_string_equal(c.err.msg, "no matches found for regexp: nobody");
	calls_release(&c);
}

static void fails_if_the_pattern_does_not_parse(void **state)
{
	struct make m = make_example();
	struct calls_fixture c;

	(void)state;
	calls_start(&c, &m, "a(");
	assert_true(calls_make(&c) < 0);
	assert_memory_equal(c.err.msg, "parsing argument regexp: ", 25);
	calls_release(&c);
}

static void head_counts_dropped_nodes_and_edges(void **state)
{
	struct make m = make_example();
	struct calls_fixture c;

	(void)state;
	calls_start(&c, &m, "");
	c.q.nodefraction = 0.1; /* 10 % of 120 is 12 */
	c.q.edgefraction = 0.2; /* 24 */
	c.q.nodecount = 4;
	assert_int_equal(calls_make(&c), 0);
	assert_int_equal(c.r.head.n_dropped, 1);
	assert_int_equal(c.r.head.n_before_limit, 5);
	assert_int_equal(c.r.head.n_shown, 4);
	assert_int_equal(c.r.head.n_dropped_edges, 1); /* the edge from b to a, after other nodes were dropped */
	calls_release(&c);
}

static void percentages_of_calls_are_relative_to_the_absolute_cum(void **state)
{
	struct make m = make_start("samples/count");
	struct calls_fixture c;

	(void)state;
	ROW(&m, "b;a", -30);
	ROW(&m, "c;a", 10);
	calls_start(&c, &m, "^a$");
	assert_int_equal(calls_make(&c), 0);
	expect_rows(&c, 0, "=a 0 0 -20\n>b -30 150%\n>c 10 50%\n");
	calls_release(&c);
}

static void flat_cum_and_calls_of_a_mean_are_divided(void **state)
{
	struct make m = make_start("samples/count delay/ms");
	struct calls_fixture c;

	(void)state;
	ROW(&m, "b;a", 2, 10);
	ROW(&m, "a", 3, 15);
	calls_start(&c, &m, "");
	c.q.mean = true;
	assert_int_equal(calls_make(&c), 0);
	expect_rows(&c, 0, "=a 5 5 5\n>b 5 100%\n<a 5 100%\n=b 5 10 5\n");
	calls_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_precede_a_node_and_callees_follow_it),
		cmocka_unit_test(peek_shows_matching_nodes_with_their_calls),
		cmocka_unit_test(callers_and_callees_have_file_and_line),
		cmocka_unit_test(peek_does_not_drop_nodes),
		cmocka_unit_test(peek_fails_if_nothing_matches),
		cmocka_unit_test(fails_if_the_pattern_does_not_parse),
		cmocka_unit_test(head_counts_dropped_nodes_and_edges),
		cmocka_unit_test(percentages_of_calls_are_relative_to_the_absolute_cum),
		cmocka_unit_test(flat_cum_and_calls_of_a_mean_are_divided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
