/*
 * test_match.c - the same function in several profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/match.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

/* Up to four profiles of one stack each, and the rows of their places. */
struct match_fixture {
	struct match *m;
	struct arena *mem;
	struct profile *p[4];
	struct places pl[4];
	int n;
};

static void match_start(struct match_fixture *t)
{
	*t = (struct match_fixture){ .m = match_new(), .mem = arena_new() };
}

static void match_end(struct match_fixture *t)
{
	for (int i = 0; i < t->n; i++)
		profile_free(t->p[i]);
	arena_free(t->mem);
	match_free(t->m);
}

static void match_next(struct match_fixture *t, const char *stack, enum grain grain)
{
	struct make m = make_start("samples/count");
	struct query q, by_file;

	ROW(&m, stack, 1);
	t->p[t->n] = make_end(&m);
	query_init(&q);
	q.granularity = (int)grain;
	assert_int_equal(match_query(&q.filter, &by_file.filter, NULL), 0);
	assert_int_equal(places_make(t->p[t->n], &by_file.filter, t->mem, &t->pl[t->n], NULL), 0);
	assert_int_equal(match_places(t->m, &t->pl[t->n], NULL), 0);
	places_release(&t->pl[t->n]);
	t->n++;
}

/* The row of the i-th word of profile p. */
static uint32_t row(const struct match_fixture *t, int p, uint32_t i)
{
	uint32_t n;

	return *places_of(&t->pl[p], i, &n);
}

static void a_unique_name_is_one_function_in_any_file(void **state)
{
	struct match_fixture t;

	(void)state;
	match_start(&t);
	match_next(&t, "0x10=f@/a/x.c:1;0x20=g@/a/y.c:1;0x30=h", GRAIN_FUNCTIONS);
	match_next(&t, "0x99=h@z.c:5;0x98=g@/b/other.c:7;0x97=f@/b/x.c:9", GRAIN_FUNCTIONS);
	assert_int_equal(row(&t, 0, 0), row(&t, 1, 2));
	assert_int_equal(row(&t, 0, 1), row(&t, 1, 1));
	assert_int_equal(row(&t, 0, 2), row(&t, 1, 0));
	assert_int_equal(match_count(t.m), 3);
	assert_string_equal(match_file(t.m, row(&t, 0, 0)), "/b/x.c");
	match_end(&t);
}

static void functions_with_the_same_name_in_two_files_are_different(void **state)
{
	struct match_fixture t;

	(void)state;
	match_start(&t);
	match_next(&t, "f@/a/json/p.c:1;f@/a/xml/p.c:1;f@/a/one.c:1", GRAIN_FUNCTIONS);
	match_next(&t, "f@/b/xml/p.c:1;f@/b/json/p.c:1;f@/b/two.c:1", GRAIN_FUNCTIONS);
	assert_int_equal(row(&t, 0, 0), row(&t, 1, 1));
	assert_int_equal(row(&t, 0, 1), row(&t, 1, 0));
	assert_int_not_equal(row(&t, 0, 2), row(&t, 1, 2));
	assert_int_equal(match_count(t.m), 4);
	match_end(&t);
}

static void an_ambiguous_path_end_matches_nothing(void **state)
{
	struct match_fixture t;

	(void)state;
	match_start(&t);
	match_next(&t, "f@/a/1/p.c:1;f@/a/2/p.c:1", GRAIN_FUNCTIONS);
	match_next(&t, "f@/b/3/p.c:1;f@/b/4/p.c:1", GRAIN_FUNCTIONS);
	assert_int_equal(match_count(t.m), 4);
	match_end(&t);
}

static void a_function_without_a_file_matches_the_only_one_of_its_name_with_a_file(void **state)
{
	struct match_fixture t;

	(void)state;
	match_start(&t);
	match_next(&t, "f.cold;f@f.c:1;g;g@g1.c:1;g@g2.c:1", GRAIN_FUNCTIONS);
	assert_int_equal(row(&t, 0, 0), row(&t, 0, 1));
	assert_int_not_equal(row(&t, 0, 2), row(&t, 0, 3));
	assert_int_equal(match_count(t.m), 4);
	match_end(&t);
}

static void renumbers_inlined_calls_too(void **state)
{
	struct match_fixture t;
	const uint32_t *rows;
	uint32_t n;

	(void)state;
	match_start(&t);
	match_next(&t, "a@a.c:1;b@b.c:1", GRAIN_FUNCTIONS);
	match_next(&t, "x@x.c:1;a@a.c:1+b@b.c:2", GRAIN_FUNCTIONS);
	rows = places_of(&t.pl[1], 1, &n);
	assert_int_equal(n, 2);
	assert_int_equal(rows[0], row(&t, 0, 0));
	assert_int_equal(rows[1], row(&t, 0, 1));
	assert_int_equal(rows[2], row(&t, 0, 1)); /* padding */
	assert_int_equal(t.pl[1].n, 3);
	match_end(&t);
}

static void files_match_by_path_end(void **state)
{
	struct match_fixture t;

	(void)state;
	match_start(&t);
	match_next(&t, "f@/a/x.c:1;g@/a/y.c:1", GRAIN_FILES);
	match_next(&t, "f@/b/x.c:1;g@/b/z.c:1", GRAIN_FILES);
	assert_int_equal(row(&t, 0, 0), row(&t, 1, 0));
	assert_int_equal(match_count(t.m), 3);
	match_end(&t);
}

static void lines_of_one_function_are_different_rows(void **state)
{
	struct match_fixture t;
	struct buf label = { 0 };

	(void)state;
	match_start(&t);
	match_next(&t, "f@/a/x.c:1;f@/a/x.c:2", GRAIN_LINES);
	match_next(&t, "f@/b/x.c:2", GRAIN_LINES);
	assert_int_equal(match_count(t.m), 2);
	assert_int_equal(row(&t, 1, 0), row(&t, 0, 1));
	match_add_label(t.m, row(&t, 1, 0), false, &label);
	assert_string_equal(buf_text(&label), "f /b/x.c:2");
	buf_release(&label);
	match_end(&t);
}

static void a_place_without_function_matches_by_its_printed_name(void **state)
{
	struct match_fixture t;
	struct buf label = { 0 };

	(void)state;
	match_start(&t);
	match_next(&t, "0x10=;0x20=", GRAIN_FUNCTIONS);
	match_next(&t, "0x77=", GRAIN_FUNCTIONS);
	assert_int_equal(match_count(t.m), 1);
	match_add_label(t.m, 0, true, &label);
	assert_string_equal(buf_text(&label), "<unknown>");
	buf_release(&label);
	match_end(&t);
}

static void rejects_addresses(void **state)
{
	struct query q, out;
	struct err err;

	(void)state;
	query_init(&q);
	q.granularity = GRAIN_ADDRESSES;
	assert_int_equal(match_query(&q.filter, &out.filter, &err), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unique_name_is_one_function_in_any_file),
		cmocka_unit_test(functions_with_the_same_name_in_two_files_are_different),
		cmocka_unit_test(an_ambiguous_path_end_matches_nothing),
		cmocka_unit_test(a_function_without_a_file_matches_the_only_one_of_its_name_with_a_file),
		cmocka_unit_test(renumbers_inlined_calls_too),
		cmocka_unit_test(files_match_by_path_end),
		cmocka_unit_test(lines_of_one_function_are_different_rows),
		cmocka_unit_test(a_place_without_function_matches_by_its_printed_name),
		cmocka_unit_test(rejects_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
