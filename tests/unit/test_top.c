/*
 * test_top.c - the report top
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/top.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

/* A profile, its view, and the report. Tests may change the query before the report is made. */
struct top_fixture {
	struct profile *p;
	struct query q;
	struct arena *mem;
	struct view v;
	struct report r;
};

static void top_start(struct top_fixture *t, struct make *m)
{
	t->p = make_end(m);
	query_init(&t->q);
	t->mem = arena_new();
}

static void top(struct top_fixture *t, int64_t nodecount)
{
	if (t->q.nodecount < 0)
		t->q.nodecount = nodecount;
	query_apply_defaults(&t->q, &(struct query_defaults){ 0 });
	assert_int_equal(view_make(t->p, &t->q.filter, t->mem, &t->v, NULL, NULL), 0);
	assert_int_equal(report_top_make(&t->v, &t->q, &t->r, NULL, NULL), 0);
}

static void top_release(struct top_fixture *t)
{
	report_release(&t->r);
	arena_free(t->mem);
	profile_free(t->p);
}

/* The cell of a column by its key. */
static const union cell *cell(const struct top_fixture *t, uint32_t row, const char *key)
{
	const struct table *table = &t->r.table;

	assert_true(row < table->n_rows);
	for (uint32_t c = 0; c < table->n_cols; c++)
		if (strcmp(table->col[c].key, key) == 0)
			return &table->cell[row * table->n_cols + c];
	fail_msg("no column %s", key);
	return NULL;
}

static void expect_row(const struct top_fixture *t, uint32_t row, const char *name, int64_t flat, int64_t sum,
		       int64_t cum, const char *note)
{
	assert_string_equal(cell(t, row, "name")->text, name);
	assert_int_equal(cell(t, row, "flat")->value, flat);
	assert_int_equal(cell(t, row, "flat_percent")->value, flat);
	assert_int_equal(cell(t, row, "sum_percent")->value, sum);
	assert_int_equal(cell(t, row, "cum")->value, cum);
	assert_int_equal(cell(t, row, "cum_percent")->value, cum);
	assert_string_equal(cell(t, row, "inlined")->text, note);
}

static void the_example_of_the_specification_has_the_expected_rows(void **state)
{
	struct make m = make_example();
	struct top_fixture t;

	(void)state;
	top_start(&t, &m);
	top(&t, 0);
	assert_int_equal(t.r.table.n_rows, 6);
	expect_row(&t, 0, "c", 50, 50, 50, "");
	expect_row(&t, 1, "b", 30, 80, 100, "");
	expect_row(&t, 2, "a", 20, 100, 100, "");
	expect_row(&t, 3, "inl", 20, 120, 20, "(partial-inline)");
	expect_row(&t, 4, "host", 0, 120, 10, "");
	expect_row(&t, 5, "main", 0, 120, 120, "");
	assert_int_equal(t.r.head.total, 120);
	assert_int_equal(t.r.head.shown, 120);
	assert_string_equal(t.r.head.out_unit, "ms");
	assert_string_equal(t.r.head.command, "top");
	top_release(&t);
}

static void functions_that_are_always_inlined_are_marked(void **state)
{
	struct make m = make_start("cpu/ms");
	struct top_fixture t;

	(void)state;
	ROW(&m, "in+out;main", 7);
	top_start(&t, &m);
	top(&t, 0);
	expect_row(&t, 0, "in", 7, 7, 7, "(inline)");
	top_release(&t);
}

static void the_quick_report_lacks_only_inline_notes(void **state)
{
	struct make m = make_start("cpu/ms");
	struct top_fixture t;

	(void)state;
	ROW(&m, "in+out;main", 7);
	ROW(&m, "out;main", 2);
	top_start(&t, &m);
	top(&t, 0);
	report_release(&t.r);
	assert_int_equal(report_top_make_quick(&t.v, &t.q, &t.r, NULL, NULL), 0);
	assert_int_equal(t.r.table.n_rows, 3);
	assert_int_equal(t.r.head.shown, 9);
	assert_string_equal(cell(&t, 0, "name")->text, "in");
	assert_int_equal(cell(&t, 0, "flat")->value, 7);
	assert_string_equal(cell(&t, 0, "inlined")->text, "");
	assert_string_equal(cell(&t, 1, "name")->text, "out");
	assert_int_equal(cell(&t, 1, "cum")->value, 9);
	top_release(&t);
}

static void the_running_sum_is_signed(void **state)
{
	struct make m = make_start("cpu/ms");
	struct top_fixture t;

	(void)state;
	ROW(&m, "x", 200);
	ROW(&m, "y", -150);
	ROW(&m, "z", -100);
	ROW(&m, "w", 50);
	top_start(&t, &m);
	top(&t, 0);
	expect_row(&t, 0, "x", 200, 200, 200, "");
	expect_row(&t, 1, "y", -150, 50, -150, "");
	expect_row(&t, 2, "z", -100, -50, -100, "");
	expect_row(&t, 3, "w", 50, 0, 50, "");
	assert_int_equal(t.r.head.shown, 0);
	assert_int_equal(t.r.head.total, 500);
	top_release(&t);
}

static void the_report_has_a_default_nodecount(void **state)
{
	struct make m = make_example();
	struct top_fixture t;

	(void)state;
	top_start(&t, &m);
	top(&t, 2);
	assert_int_equal(t.r.table.n_rows, 2);
	assert_int_equal(t.r.head.shown, 80);
	assert_int_equal(t.r.head.n_before_limit, 6);
	top_release(&t);
}

static void a_given_nodecount_overrides_the_default(void **state)
{
	struct make m = make_example();
	struct top_fixture t;

	(void)state;
	top_start(&t, &m);
	t.q.nodecount = 3;
	top(&t, 2);
	assert_int_equal(t.r.table.n_rows, 3);
	top_release(&t);
}

static void a_nodecount_of_0_shows_all(void **state)
{
	struct make m = make_example();
	struct top_fixture t;

	(void)state;
	top_start(&t, &m);
	t.q.nodecount = 0;
	top(&t, 2);
	assert_int_equal(t.r.table.n_rows, 6);
	top_release(&t);
}

static void dropped_rows_are_counted(void **state)
{
	struct make m = make_start("samples/count");
	struct top_fixture t;

	(void)state;
	ROW(&m, "big", 1000);
	ROW(&m, "five", 5);
	ROW(&m, "four", 4);
	top_start(&t, &m);
	top(&t, 0);
	assert_int_equal(t.r.table.n_rows, 2);
	assert_int_equal(t.r.head.n_dropped, 1);
	assert_int_equal(t.r.head.dropped_cum, 5);
	assert_int_equal(t.r.head.shown, 1005);
	top_release(&t);
}

static void a_mean_divides_every_row(void **state)
{
	struct make m = make_start("contentions/count delay/ns");
	struct top_fixture t;

	(void)state;
	ROW(&m, "f;main", 2, 1000);
	ROW(&m, "g;main", 8, 800);
	top_start(&t, &m);
	t.q.mean = true;
	top(&t, 0);
	expect_row(&t, 0, "f", 500, 500, 500, "");
	expect_row(&t, 1, "g", 100, 600, 100, "");
	expect_row(&t, 2, "main", 0, 600, 180, "");
	assert_int_equal(t.r.head.total, 180);
	top_release(&t);
}

static void a_profile_without_samples_is_an_empty_table(void **state)
{
	struct make m = make_start("samples/count");
	struct top_fixture t;

	(void)state;
	top_start(&t, &m);
	top(&t, 0);
	assert_int_equal(t.r.table.n_rows, 0);
	assert_int_equal(t.r.head.total, 0);
	top_release(&t);
}

static void columns_are_in_the_order_of_pprof(void **state)
{
	static const char *const title[] = { "flat", "flat%", "sum%", "cum", "cum%", "", "" };
	struct make m = make_example();
	struct top_fixture t;

	(void)state;
	top_start(&t, &m);
	top(&t, 0);
	assert_int_equal(t.r.table.n_cols, 7);
	for (uint32_t c = 0; c < 7; c++)
		assert_string_equal(t.r.table.col[c].title, title[c]);
	top_release(&t);
}

static void expect_place(const struct top_fixture *t, const char *name, struct row_place want)
{
	const struct table *table = &t->r.table;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		if (strcmp(cell(t, i, "name")->text, name) != 0)
			continue;
		assert_string_equal(table->place[i].function, want.function);
		assert_string_equal(table->place[i].file, want.file);
		assert_string_equal(table->place[i].binary, want.binary);
		assert_int_equal(table->place[i].line, want.line);
		assert_int_equal(table->place[i].address, want.address);
		return;
	}
	fail_msg("no row %s", name);
}

static void rows_contain_their_function_at_any_granularity(void **state)
{
	static const struct {
		enum grain grain;
		const char *name, *file;
		int64_t line;
		uint64_t address;
	} want[] = {
		{ GRAIN_FUNCTIONS, "work (x)", "", 0, 0 },
		{ GRAIN_FILEFUNCTIONS, "work (x) a.c", "a.c", 0, 0 },
		{ GRAIN_LINES, "work (x) a.c:7", "a.c", 7, 0 },
		{ GRAIN_ADDRESSES, "0000000000000010 work (x) a.c:7", "a.c", 7, 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct make m = make_start("n/count");
		struct top_fixture t;

		ROW(&m, "0x10=work (x)@./a.c:7;main", 5);
		top_start(&t, &m);
		t.q.granularity = want[i].grain;
		top(&t, 0);
		expect_place(&t, want[i].name,
			     (struct row_place){ "work (x)", want[i].file, "", want[i].line, want[i].address });
		top_release(&t);
	}
}

static void file_and_binary_rows_contain_their_path(void **state)
{
	struct make m = make_start("n/count");
	struct top_fixture t;

	(void)state;
	make_map(&m, "/lib/c.so");
	ROW(&m, "0x20;work@a.c:7", 5);
	top_start(&t, &m);
	t.q.granularity = GRAIN_FILES;
	top(&t, 0);
	expect_place(&t, "a.c", (struct row_place){ "", "a.c", "", 0, 0 });
	expect_place(&t, "[c.so]", (struct row_place){ "", "", "/lib/c.so", 0, 0 });
	top_release(&t);
}

static void time_that_was_not_sampled_is_shown_in_the_head(void **state)
{
	struct make m = make_start("cpu/nanoseconds");
	struct top_fixture t;

	(void)state;
	ROW(&m, "[cpa: not sampled]", 50);
	ROW(&m, "f;main", 30);
	ROW(&m, "g;main", 20);
	top_start(&t, &m);
	top(&t, 2);
	assert_int_equal(t.r.head.total, 100);
	assert_int_equal(t.r.head.not_sampled, 50);
	assert_int_equal(t.r.head.shown, 50);
	assert_int_equal(t.r.head.n_shown, 2);
	assert_int_equal(t.r.head.n_before_limit, 3);
	assert_int_equal(t.r.table.n_rows, 2);
	expect_row(&t, 0, "f", 30, 30, 30, "");
	expect_row(&t, 1, "g", 20, 50, 20, "");
	top_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_the_specification_has_the_expected_rows),
		cmocka_unit_test(functions_that_are_always_inlined_are_marked),
		cmocka_unit_test(the_quick_report_lacks_only_inline_notes),
		cmocka_unit_test(the_running_sum_is_signed),
		cmocka_unit_test(the_report_has_a_default_nodecount),
		cmocka_unit_test(a_given_nodecount_overrides_the_default),
		cmocka_unit_test(a_nodecount_of_0_shows_all),
		cmocka_unit_test(dropped_rows_are_counted),
		cmocka_unit_test(a_mean_divides_every_row),
		cmocka_unit_test(a_profile_without_samples_is_an_empty_table),
		cmocka_unit_test(columns_are_in_the_order_of_pprof),
		cmocka_unit_test(rows_contain_their_function_at_any_granularity),
		cmocka_unit_test(file_and_binary_rows_contain_their_path),
		cmocka_unit_test(time_that_was_not_sampled_is_shown_in_the_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
