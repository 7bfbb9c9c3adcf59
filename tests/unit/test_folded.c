/*
 * test_folded.c - folded stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "engine/query.h"
#include "make_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Draw folded stacks; frees p. */
static struct buf folded(struct profile *p, struct query *q)
{
	struct arena *mem = arena_new();
	struct buf out = { 0 }, notes = { 0 };
	struct err err;
	struct view v;

	assert_int_equal(view_make(p, &q->filter, mem, &v, &notes, &err), 0);
	assert_int_equal(export_folded(&v, q, &out, &err), 0);
	buf_release(&notes);
	arena_free(mem);
	profile_free(p);
	query_release(q);
	return out;
}

static void folds_to(struct make *m, const char *want)
{
	struct query q;
	struct buf out;

	query_init(&q);
	out = folded(make_end(m), &q);
	assert_string_equal(buf_text(&out), want);
	buf_release(&out);
}

/* Add a row with the label that marks rows of -diff_base. */
static void base_row(struct make *m, const char *stack, int64_t value)
{
	struct builder_label l = { .key = make_text(m, "pprof::base", 11),
				   .text = make_text(m, "true", 4),
				   .is_text = true };
	uint32_t label;

	builder_label(m->b, &l, &label, NULL);
	make_row(m, stack, &value, &label, 1);
}

static void merges_equal_stacks_of_different_addresses(void **state)
{
	struct make m = make_start("cpu/ns");

	(void)state;
	ROW(&m, "0x10=f;main", 1);
	ROW(&m, "0x20=f;main", 2);
	ROW(&m, "g+f;main", 4);
	folds_to(&m, "main;f 3\nmain;f;g 4\n");
}

static void sorts_lines_by_the_bytes_of_their_stacks(void **state)
{
	struct make m = make_start("cpu/ns");

	(void)state;
	ROW(&m, "ab", 1);
	ROW(&m, "z;a", 2);
	ROW(&m, "a", 3);
	ROW(&m, "a.b", 4);
	ROW(&m, "a b;a", 5);
	ROW(&m, "\xc3\xa4", 6);
	ROW(&m, "a<b", 7);
	folds_to(&m, "a 3\na.b 4\na;a b 5\na;z 2\na<b 7\nab 1\n\xc3\xa4 6\n");
}

static void escapes_semicolons_in_names(void **state)
{
	struct make m = make_start("cpu/ns");
	struct builder_location l = { .id = 1, .map = PROFILE_NONE };
	struct builder_line line = { 0 };
	uint32_t id;

	(void)state;
	line.func = make_function(&m, "a;b\tc\ne", 7, "", 0, 0);
	builder_location(m.b, &l, &line, 1, &id, NULL);
	builder_sample(m.b, &(int64_t){ 1 }, &id, 1, NULL, 0, NULL);
	folds_to(&m, "a\\x3bb\\x09c\\ne 1\n");
}

static void escapes_a_number_at_the_end_of_a_name(void **state)
{
	struct make m = make_start("cpu/ns");

	(void)state;
	ROW(&m, "step 12", 1);
	ROW(&m, "v 1.5", 2);
	ROW(&m, "x12", 3);
	ROW(&m, "7", 4);
	folds_to(&m, "7 4\nstep\\x2012 1\nv\\x201.5 2\nx12 3\n");
}

static void counts_rows_without_a_stack(void **state)
{
	struct make m = make_start("cpu/ns");

	(void)state;
	ROW(&m, "", 5);
	ROW(&m, "f", 0);
	folds_to(&m, "<no stack> 5\n");
}

static void the_first_column_is_the_base(void **state)
{
	struct make m = make_start("cpu/ns");

	(void)state;
	ROW(&m, "same;main", 5);
	ROW(&m, "new;main", 2);
	base_row(&m, "same;main", -3);
	base_row(&m, "old;main", -7);
	folds_to(&m, "main;new 0 2\nmain;old 7 0\nmain;same 3 5\n");
}

static void a_negative_sum_counts_for_the_base(void **state)
{
	struct make m = make_start("cpu/ns");

	(void)state;
	ROW(&m, "up", 5);
	ROW(&m, "down", -3);
	ROW(&m, "even", 2);
	ROW(&m, "even", -2);
	folds_to(&m, "down 3 0\nup 0 5\n");
}

static void omits_lines_whose_value_divide_by_reduces_to_0(void **state)
{
	struct make m = make_start("cpu/ns");
	struct query q;
	struct buf out;

	(void)state;
	query_init(&q);
	q.divide_by = 10;
	ROW(&m, "large", 25);
	ROW(&m, "small", 9);
	out = folded(make_end(&m), &q);
	assert_string_equal(buf_text(&out), "large 2\n");
	buf_release(&out);
}

static void saturates_results_of_divide_by(void **state)
{
	struct make m = make_start("cpu/ns");
	struct query q;
	struct buf out;

	(void)state;
	query_init(&q);
	q.divide_by = 1e-10;
	base_row(&m, "f", -(INT64_MAX / 2));
	ROW(&m, "g", INT64_MAX / 4);
	ROW(&m, "h", -(INT64_MAX / 8));
	out = folded(make_end(&m), &q);
	assert_string_equal(buf_text(&out),
			    "f 9223372036854775807 0\ng 0 9223372036854775807\nh 9223372036854775807 0\n");
	buf_release(&out);
}

static void a_base_in_the_query_makes_two_columns(void **state)
{
	struct make m = make_start("cpu/ns");
	struct query q;
	struct buf out;

	(void)state;
	query_init(&q);
	assert_int_equal(opt_set(opt_find(query_options, query_n_options, "base", 4), &q, "b.pb.gz", NULL), 0);
	ROW(&m, "f", 2);
	out = folded(make_end(&m), &q);
	assert_string_equal(buf_text(&out), "f 0 2\n");
	buf_release(&out);
}

static void an_inverted_stack_starts_at_its_leaf(void **state)
{
	struct make m = make_start("cpu/nanoseconds");
	struct query q;
	struct buf out;

	(void)state;
	ROW(&m, "in+out;main", 3);
	ROW(&m, "leaf;other", 4);
	query_init(&q);
	q.inverted = true;
	out = folded(make_end(&m), &q);
	assert_string_equal(buf_text(&out), "in;out;main 3\nleaf;other 4\n");
	buf_release(&out);
}

static void refuses_output_larger_than_half_of_the_memory(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(export_stacks_check_bytes(1 << 20, &err), 0);
	assert_int_equal(export_stacks_check_bytes(UINT64_MAX, &err), ERR_LIMIT);
	assert_non_null(strstr(err.msg, "18446744073709551615 bytes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_equal_stacks_of_different_addresses),
		cmocka_unit_test(sorts_lines_by_the_bytes_of_their_stacks),
		cmocka_unit_test(escapes_semicolons_in_names),
		cmocka_unit_test(escapes_a_number_at_the_end_of_a_name),
		cmocka_unit_test(counts_rows_without_a_stack),
		cmocka_unit_test(the_first_column_is_the_base),
		cmocka_unit_test(a_negative_sum_counts_for_the_base),
		cmocka_unit_test(omits_lines_whose_value_divide_by_reduces_to_0),
		cmocka_unit_test(saturates_results_of_divide_by),
		cmocka_unit_test(a_base_in_the_query_makes_two_columns),
		cmocka_unit_test(an_inverted_stack_starts_at_its_leaf),
		cmocka_unit_test(refuses_output_larger_than_half_of_the_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
