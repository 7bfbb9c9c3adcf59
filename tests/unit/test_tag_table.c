/*
 * test_tag_table.c - the report tags
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "report/tags.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_labels.h"

/* Append the label of a row. */
static void add_row(const struct tag_row *row, struct buf *out)
{
	if (row->has_text)
		buf_addf(out, " '%.*s'", (int)row->n_text, row->text);
	if (row->has_number)
		buf_addf(out, " %lld..%lld %s", (long long)row->lo, (long long)row->hi, row->unit);
	buf_addz(out, "\n");
}

/* Compare rows of tags with lines "key value cum", or with their labels; an error is compared with its message. */
static void expect(struct make *m, const char *unit, bool rows, const char *lines)
{
	struct profile *p = make_end(m);
	struct arena *mem = arena_new();
	struct buf got = { 0 };
	struct report r = { 0 };
	struct query q;
	struct view v;
	struct err err;

	query_init(&q);
	q.unit = unit;
	assert_int_equal(view_make(p, &q.filter, mem, &v, NULL, NULL), 0);
	if (report_tags_make(&v, &q, &r, NULL, &err) < 0)
		buf_addz(&got, err.msg);
	for (uint32_t i = 0; i < r.table.n_rows; i++) {
		const union cell *cell = r.table.cell + (size_t)i * TAGS_COLS;

		assert_int_equal(cell[TAGS_CUM].value, cell[TAGS_CUM_PCT].value);
		buf_addf(&got, "%s %s", cell[TAGS_KEY].text, cell[TAGS_VALUE].text);
		if (rows)
			add_row(&r.tag[i], &got);
		else
			buf_addf(&got, " %lld\n", (long long)cell[TAGS_CUM].value);
	}
	assert_string_equal(buf_text(&got), lines);
	buf_release(&got);
	report_release(&r);
	arena_free(mem);
	profile_free(p);
}

static void expect_tags(struct make *m, const char *unit, const char *lines)
{
	expect(m, unit, false, lines);
}

static void keys_are_sorted_by_name_and_values_by_cum_then_name(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	labels_row(&m, "f", 5, "z=c a=x");
	labels_row(&m, "g", 5, "z=b");
	labels_row(&m, "g", -7, "z=d");
	expect_tags(&m, "minimum", "a x 5\nz d -7\nz b 5\nz c 5\n");
}

static void values_printed_the_same_share_a_row(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	labels_row(&m, "f", 1, "bytes:1024");
	labels_row(&m, "f", 2, "bytes:1025:bytes");
	labels_row(&m, "f", 4, "bytes=1kB");
	labels_row(&m, "f", 8, "bytes:512");
	expect_tags(&m, "minimum", "bytes 512B 8\nbytes 1kB 7\n");
}

static void rows_contain_the_labels_they_represent(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	labels_row(&m, "f", 1, "bytes:1025:bytes");
	labels_row(&m, "f", 2, "bytes:1024");
	labels_row(&m, "f", 4, "bytes=1kB");
	labels_row(&m, "f", 8, "bytes:512");
	labels_row(&m, "f", 16, "k=x");
	expect(&m, "minimum", true, "bytes 512B 512..512 bytes\nbytes 1kB '1kB' 1024..1025 bytes\nk x 'x'\n");
}

static void numbers_are_in_the_unit_of_the_query(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	labels_row(&m, "f", 1, "bytes:2048");
	expect_tags(&m, "MB", "bytes 0 1\n");
}

static void a_sample_with_the_same_label_twice_counts_twice(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	labels_row(&m, "f", 3, "k=a k=b k=a");
	expect_tags(&m, "minimum", "k a 6\nk b 3\n");
}

static void a_profile_without_labels_has_no_rows(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	labels_row(&m, "f", 3, "");
	expect_tags(&m, "minimum", "");
}

static void a_sum_that_overflows_is_an_error(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	labels_row(&m, "f", INT64_MAX / 2 + 1, "k=a k=a");
	expect_tags(&m, "minimum", "the sum of all values of the label k overflows 64 bits");
	m = make_start("cpu/count");
	labels_row(&m, "f", INT64_MAX / 2 + 1, "k=a k=b");
	expect_tags(&m, "minimum", "the sum of all values of the label k overflows 64 bits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_sorted_by_name_and_values_by_cum_then_name),
		cmocka_unit_test(values_printed_the_same_share_a_row),
		cmocka_unit_test(rows_contain_the_labels_they_represent),
		cmocka_unit_test(numbers_are_in_the_unit_of_the_query),
		cmocka_unit_test(a_sample_with_the_same_label_twice_counts_twice),
		cmocka_unit_test(a_profile_without_labels_has_no_rows),
		cmocka_unit_test(a_sum_that_overflows_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
