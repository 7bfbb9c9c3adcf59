/*
 * test_top_sides.c - the report top of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/top.h"

#include "engine/query.h"
#include "sources/sides.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

/* Both forms of a comparison, and the options of a report. */
struct pair {
	struct profile *separate, *joined;
	struct query q;
	struct arena *mem;
	struct buf notes;
};

static struct pair pair_of(struct profile *separate)
{
	struct pair x = { .separate = separate, .mem = arena_new() };

	query_init(&x.q);
	assert_int_equal(sides_join(separate, &x.joined, NULL), 0);
	return x;
}

static void pair_release(struct pair *x)
{
	buf_release(&x->notes);
	arena_free(x->mem);
	profile_free(x->joined);
	profile_free(x->separate);
}

static struct view view_of(struct pair *x, const struct profile *p)
{
	struct view v;
	struct err err;

	if (view_make(p, &x->q.filter, x->mem, &v, &x->notes, &err) < 0)
		fail_msg("%s", err.msg);
	return v;
}

static struct report sides_of(struct pair *x)
{
	const struct view v = view_of(x, x->separate);
	struct report r;

	assert_int_equal(report_top_sides_make(&v, &x->q, &r, NULL), 0);
	return r;
}

static const union cell *row_of(const struct report *r, const char *name)
{
	for (uint32_t i = 0; i < r->table.n_rows; i++)
		if (strcmp(r->table.cell[i * N_TOP_SIDES_COLS + TOP_SIDES_NAME].text, name) == 0)
			return r->table.cell + (size_t)i * N_TOP_SIDES_COLS;
	fail_msg("no row %s", name);
	return NULL;
}

/* main calls a (10) and b (4) before; a (25, recursive), c (3) and b (4) after. */
static struct profile *small_separate(void)
{
	const struct sides_options options = { .keep_sides = true, .normalize = "", .new_name = "t", .base_name = "b" };
	struct make after = make_start("cpu/nanoseconds"), before = make_start("cpu/nanoseconds");
	struct profile *p[2], *separate;

	ROW(&after, "a;a;main", 25);
	ROW(&after, "c;main", 3);
	ROW(&after, "b;main", 4);
	ROW(&before, "a;main", 10);
	ROW(&before, "b;main", 4);
	p[0] = make_end(&after);
	p[1] = make_end(&before);
	assert_int_equal(sides_make(p[0], p[1], &options, &separate, NULL), 0);
	profile_free(p[0]);
	profile_free(p[1]);
	return separate;
}

static void rows_have_before_after_and_change(void **state)
{
	struct pair x = pair_of(small_separate());
	struct report r = sides_of(&x);
	const union cell *a = row_of(&r, "a"), *c = row_of(&r, "c"), *main_row = row_of(&r, "main");

	(void)state;
	assert_int_equal(a[TOP_SIDES_FLAT_BEFORE].value, 10);
	assert_int_equal(a[TOP_SIDES_FLAT_AFTER].value, 25);
	assert_int_equal(a[TOP_SIDES_FLAT_DELTA].value, 15);
	assert_true(a[TOP_SIDES_FLAT_DELTA_PCT].real == 150);
	assert_int_equal(a[TOP_SIDES_CUM_AFTER].value, 25);
	assert_int_equal(c[TOP_SIDES_FLAT_BEFORE].value, 0);
	assert_true(isnan(c[TOP_SIDES_FLAT_DELTA_PCT].real));
	assert_int_equal(main_row[TOP_SIDES_FLAT_AFTER].value, 0);
	assert_int_equal(main_row[TOP_SIDES_CUM_BEFORE].value, 14);
	assert_int_equal(main_row[TOP_SIDES_CUM_AFTER].value, 32);
	assert_int_equal(main_row[TOP_SIDES_CUM_DELTA].value, 18);
	report_release(&r);
	pair_release(&x);
}

static void omits_rows_that_did_not_change(void **state)
{
	struct pair x = pair_of(small_separate());
	struct report r = sides_of(&x);

	(void)state;
	assert_int_equal(r.table.n_rows, 3);
	for (uint32_t i = 0; i < r.table.n_rows; i++)
		assert_string_not_equal(r.table.cell[i * N_TOP_SIDES_COLS + TOP_SIDES_NAME].text, "b");
	report_release(&r);
	pair_release(&x);
}

static void rejects_mean(void **state)
{
	struct pair x = pair_of(small_separate());
	struct report r;
	struct view v;

	(void)state;
	x.q.mean = true;
	v = view_of(&x, x.separate);
	assert_int_equal(report_top_sides_make(&v, &x.q, &r, NULL), ERR_USAGE);
	pair_release(&x);
}

static struct profile *load_separate(const char *new, const char *base)
{
	const char *folder = getenv("TESTDATA");
	struct query q = { 0 };
	struct source_set t = { .n = 1, .kind = "source", .q = &q }, b = { .n = 1, .kind = "base", .q = &q };
	char name[2][1000];
	const char *path[] = { name[0], name[1] };
	struct profile *p;
	struct err err;

	if (!folder)
		skip();
	query_init(&q);
	q.keep_base = true;
	q.symbolize = "none";
	snprintf(name[0], sizeof(name[0]), "%s/%s", folder, new);
	snprintf(name[1], sizeof(name[1]), "%s/%s", folder, base);
	t.source = &path[0];
	b.source = &path[1];
	if (sides_read(&t, &b, &p, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(&t.notes);
	buf_release(&t.info);
	buf_release(&b.notes);
	buf_release(&b.info);
	return p;
}

/* Expect the rows of top for the joined profile: the same names in the same order, with its values as changes. */
static void expect_rows_of_top(struct pair *x, const char *what)
{
	enum { FLAT, CUM = 3, NAME = 5, INLINED, COLS }; /* columns of top */
	const struct view v = view_of(x, x->joined);
	struct report r = sides_of(x), top;

	assert_int_equal(report_top_make(&v, &x->q, &top, NULL, NULL), 0);
	assert_int_equal(top.table.n_cols, COLS);
	if (r.table.n_rows != top.table.n_rows)
		fail_msg("%s: %u rows of %u", what, r.table.n_rows, top.table.n_rows);
	for (uint32_t i = 0; i < r.table.n_rows; i++) {
		const union cell *cell = r.table.cell + (size_t)i * N_TOP_SIDES_COLS;
		const union cell *want = top.table.cell + (size_t)i * COLS;

		assert_string_equal(cell[TOP_SIDES_NAME].text, want[NAME].text);
		assert_string_equal(cell[TOP_SIDES_INLINED].text, want[INLINED].text);
		assert_int_equal(cell[TOP_SIDES_FLAT_DELTA].value, want[FLAT].value);
		assert_int_equal(cell[TOP_SIDES_CUM_DELTA].value, want[CUM].value);
	}
	assert_int_equal(r.head.n_before_limit, top.head.n_before_limit);
	assert_int_equal(r.head.shown, top.head.shown);
	report_release(&top);
	report_release(&r);
}

static void rows_are_the_same_as_in_top_with_base(void **state)
{
	static const char *const pairs[][2] = { { "compare/build-new.pb.gz", "compare/build-base.pb.gz" },
						{ "compare/label-new.pb.gz", "compare/label-base.pb.gz" },
						{ "go-heap2.pb.gz", "go-heap1.pb.gz" } };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct pair x = pair_of(load_separate(pairs[i][0], pairs[i][1]));

		for (int grain = GRAIN_FUNCTIONS; grain <= GRAIN_ADDRESSES; grain++) {
			x.q.granularity = grain;
			x.q.nodecount = 0;
			x.q.nodefraction = 0;
			x.q.edgefraction = 0;
			expect_rows_of_top(&x, "all");
			x.q.nodefraction = 0.005;
			x.q.edgefraction = 0.001;
			expect_rows_of_top(&x, "trimmed");
			x.q.nodecount = 7;
			x.q.sort = SORT_CUM;
			expect_rows_of_top(&x, "seven");
			x.q.sort = SORT_FLAT;
			x.q.focus = "a.*e";
			x.q.hide = "runtime";
			expect_rows_of_top(&x, "filtered");
			x.q.focus = x.q.hide = "";
		}
		pair_release(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_before_after_and_change),
		cmocka_unit_test(omits_rows_that_did_not_change),
		cmocka_unit_test(rejects_mean),
		cmocka_unit_test(rows_are_the_same_as_in_top_with_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
