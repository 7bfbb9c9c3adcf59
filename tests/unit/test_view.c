/*
 * test_view.c - the rows of a profile that a query selects
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "engine/view.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

static struct profile *profile_of(const char *types)
{
	struct make m = make_start(types);

	return make_end(&m);
}

/* The sample type chosen by sample_index. The profile is not freed. */
static uint32_t type_of(const struct profile *p, const char *index)
{
	uint32_t t = 99;
	struct err err;

	if (view_find_type(p, index, &t, &err) < 0)
		fail_msg("%s", err.msg);
	return t;
}

static void expect_no_type(const char *types, const char *index, const char *sentence)
{
	struct profile *p = profile_of(types);
	uint32_t t = 99;
	struct err err;

	assert_int_equal(view_find_type(p, index, &t, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
	assert_int_equal(t, 99);
	profile_free(p);
}

static void without_an_index_uses_the_last_type(void **state)
{
	struct profile *p = profile_of("samples/count cpu/ns");

	(void)state;
	assert_int_equal(type_of(p, ""), 1);
	profile_free(p);
}

static void without_an_index_prefers_the_default_type(void **state)
{
	struct make m = make_start("samples/count cpu/ns wall/ns");
	struct profile *p;

	(void)state;
	builder_meta(m.b)->default_type = make_text(&m, "cpu", 3);
	p = make_end(&m);
	assert_int_equal(type_of(p, ""), 1);
	profile_free(p);
}

static void ignores_a_missing_default_type(void **state)
{
	struct make m = make_start("samples/count cpu/ns wall/ns");
	struct profile *p;

	(void)state;
	builder_meta(m.b)->default_type = make_text(&m, "heap", 4);
	p = make_end(&m);
	assert_int_equal(type_of(p, ""), 2);
	profile_free(p);
}

static void a_number_is_an_index_from_0(void **state)
{
	struct profile *p = profile_of("samples/count cpu/ns");

	(void)state;
	assert_int_equal(type_of(p, "0"), 0);
	assert_int_equal(type_of(p, "1"), 1);
	assert_int_equal(type_of(p, "01"), 1);
	profile_free(p);
}

static void rejects_a_number_beyond_the_types(void **state)
{
	(void)state;
	expect_no_type("samples/count cpu/ns", "7", "sample_index 7 is outside the range [0..1]");
	expect_no_type("samples/count cpu/ns", "2", "sample_index 2 is outside the range [0..1]");
	expect_no_type("samples/count cpu/ns", "18446744073709551616",
		       "sample_index 18446744073709551616 is outside the range [0..1]");
}

static void matches_a_whole_name_case_sensitively(void **state)
{
	struct profile *p = profile_of("alloc_space/bytes space/bytes");

	(void)state;
	assert_int_equal(type_of(p, "space"), 1);
	assert_int_equal(type_of(p, "alloc_space"), 0);
	profile_free(p);
	expect_no_type("samples/count cpu/ns", "CPU", "sample_index \"CPU\" must be one of: [samples cpu]");
}

static void an_unknown_name_lists_the_types(void **state)
{
	(void)state;
	expect_no_type("samples/count cpu/ns", "foo", "sample_index \"foo\" must be one of: [samples cpu]");
}

static void accepts_known_units_and_those_of_the_profile(void **state)
{
	struct make m = make_start("samples/count cpu/widgets");
	struct profile *p;
	struct err err;

	(void)state;
	ROW(&m, "main", 1, 1);
	p = make_end(&m);
	assert_int_equal(view_check_unit(p, "minimum", &err), 0);
	assert_int_equal(view_check_unit(p, "MB", &err), 0);
	assert_int_equal(view_check_unit(p, "widgets", &err), 0);
	assert_int_equal(view_check_unit(p, "parsec", &err), ERR_USAGE);
	assert_memory_equal(err.msg, "-unit=parsec: unknown unit; use ", 32);
	profile_free(p);
}

static void accepts_a_name_with_a_leading_inuse(void **state)
{
	struct profile *p = profile_of("objects/count space/bytes x/y");

	(void)state;
	assert_int_equal(type_of(p, "inuse_space"), 1);
	profile_free(p);
	expect_no_type("space/bytes", "inuse_inuse_space",
		       "sample_index \"inuse_inuse_space\" must be one of: [space]");
	expect_no_type("inuse_space/bytes", "space", "sample_index \"space\" must be one of: [inuse_space]");
}

static void uses_the_first_type_that_matches_with_or_without_inuse(void **state)
{
	struct profile *p = profile_of("space/bytes inuse_space/bytes");

	(void)state;
	assert_int_equal(type_of(p, "inuse_space"), 0);
	profile_free(p);
}

/* A view of rows with two types: count and cpu. */
static int view_rows(const int64_t (*row)[2], size_t n, bool mean, struct profile **p, struct view *v, struct err *err)
{
	struct make m = make_start("samples/count cpu/ns");
	struct query q;
	struct arena *mem;
	int rc;

	for (size_t i = 0; i < n; i++)
		make_row(&m, "main", row[i], NULL, 0);
	*p = make_end(&m);
	query_init(&q);
	q.mean = mean;
	mem = arena_new();
	rc = view_make(*p, &q.filter, mem, v, NULL, err);
	arena_free(mem);
	return rc;
}

static void expect_total(const int64_t (*row)[2], size_t n, bool mean, int64_t total)
{
	struct profile *p;
	struct view v;

	assert_int_equal(view_rows(row, n, mean, &p, &v, NULL), 0);
	assert_true(v.total == total);
	profile_free(p);
}
#define TOTAL(mean, total, ...)                                                                                        \
	expect_total((const int64_t[][2]){ __VA_ARGS__ },                                                              \
		     sizeof((const int64_t[][2]){ __VA_ARGS__ }) / (2 * sizeof(int64_t)), mean, total)

static void expect_overflow(const int64_t (*row)[2], size_t n, bool mean, const char *sentence)
{
	struct profile *p;
	struct view v = { .type = 77 };
	struct err err;

	assert_int_equal(view_rows(row, n, mean, &p, &v, &err), ERR_RANGE);
	assert_string_equal(err.msg, sentence);
	assert_int_equal(v.type, 77);
	profile_free(p);
}

static void a_view_has_the_column_and_unit_of_its_type(void **state)
{
	const int64_t row[][2] = { { 1, 10 }, { 2, 20 } };
	struct profile *p;
	struct view v;

	(void)state;
	assert_int_equal(view_rows(row, 2, false, &p, &v, NULL), 0);
	assert_int_equal(v.n, 2);
	assert_int_equal(v.type, 1);
	assert_string_equal(v.unit, "ns");
	assert_int_equal(v.val[1], 20);
	assert_null(v.div);
	profile_free(p);
}

static void the_total_of_no_rows_is_0(void **state)
{
	(void)state;
	expect_total(NULL, 0, false, 0);
	expect_total(NULL, 0, true, 0);
}

static void the_total_is_the_sum_of_magnitudes(void **state)
{
	(void)state;
	TOTAL(false, 40, { 1, 30 }, { 1, -10 });
}

static void the_total_can_be_the_largest_number(void **state)
{
	(void)state;
	TOTAL(false, INT64_MAX, { 1, INT64_MAX - 5 }, { 1, -5 });
}

static void rejects_a_total_that_overflows_and_names_the_sample(void **state)
{
	const int64_t sum[][2] = { { 1, INT64_MAX }, { 1, 0 }, { 1, -1 } };
	const int64_t smallest[][2] = { { 1, INT64_MIN } };

	(void)state;
	expect_overflow(sum, 3, false, "sample 3: the sum of cpu overflows 64 bits");
	expect_overflow(smallest, 1, false, "sample 1: the sum of cpu overflows 64 bits");
}

static void the_mean_divides_by_the_first_type_toward_zero(void **state)
{
	(void)state;
	TOTAL(true, 5, { 2, 10 }, { 2, 11 });
}

static void divisors_count_with_their_sign(void **state)
{
	(void)state;
	TOTAL(true, 10, { 5, 10 }, { -3, 10 });
	TOTAL(true, -10, { 3, 10 }, { -5, 10 });
}

static void values_are_not_divided_if_their_divisors_sum_to_0(void **state)
{
	(void)state;
	TOTAL(true, 20, { 5, 10 }, { -5, 10 });
}

static void rejects_divisors_that_overflow(void **state)
{
	const int64_t row[][2] = { { INT64_MAX, 1 }, { 1, 1 } };

	(void)state;
	expect_overflow(row, 2, true, "sample 2: the sum of samples overflows 64 bits");
}

static void without_mean_divisors_can_overflow(void **state)
{
	(void)state;
	TOTAL(false, 2, { INT64_MAX, 1 }, { INT64_MIN, 1 });
}

/* A row of 7 samples, 70 ns, and a row of the base with -2 samples, -10 ns, or with 0. */
static struct profile *with_base(const char *label, int64_t base_samples, int64_t base_ns)
{
	struct make m = make_start("samples/count cpu/ns");
	struct builder_label l = { .key = make_text(&m, "pprof::base", 11),
				   .text = make_text(&m, label, strlen(label)),
				   .is_text = true };
	uint32_t id = 0;

	builder_label(m.b, &l, &id, NULL);
	ROW(&m, "a", 7, 70);
	make_row(&m, "a", (const int64_t[]){ base_samples, base_ns }, &id, 1);
	return make_end(&m);
}

/* The total of a profile; frees the profile. */
static int64_t total_of(struct profile *p, bool mean)
{
	struct arena *mem = arena_new();
	struct buf notes = { 0 };
	struct query q;
	struct view v;
	struct err err;

	query_init(&q);
	q.mean = mean;
	if (view_make(p, &q.filter, mem, &v, &notes, &err) < 0)
		fail_msg("%s", err.msg);
	arena_free(mem);
	profile_free(p);
	return v.total;
}

static void rows_of_the_base_alone_are_100_percent(void **state)
{
	(void)state;
	assert_int_equal(total_of(with_base("true", -2, -10), false), 10);
	assert_int_equal(total_of(with_base("yes", -2, -10), false), 80);
}

static void a_base_of_zeros_is_not_100_percent(void **state)
{
	(void)state;
	assert_int_equal(total_of(with_base("true", -2, 0), false), 70);
}

static void means_of_a_base_are_divided_by_its_signed_count(void **state)
{
	(void)state;
	assert_int_equal(total_of(with_base("true", -2, -10), true), -5);
	assert_int_equal(total_of(with_base("yes", -2, -10), true), 16);
}

/* A stack of n locations with n lines each. */
static struct profile *inlined(uint32_t n)
{
	struct builder *b = builder_new();
	struct builder_line *line = calloc(n, sizeof(*line));
	struct builder_location l = { .id = 1, .map = PROFILE_NONE };
	uint32_t *loc = calloc(n, sizeof(*loc));
	int64_t one = 1;
	struct profile *p;

	builder_type(b, strtab_add(builder_strings(b), "cpu", 3), strtab_add(builder_strings(b), "ns", 2));
	assert_int_equal(builder_function(b, &(struct builder_function){ .id = 1 }, &line[0].func, NULL), 0);
	assert_int_equal(builder_location(b, &l, line, n, &loc[0], NULL), 0);
	for (uint32_t i = 1; i < n; i++)
		loc[i] = loc[0];
	assert_int_equal(builder_sample(b, &one, loc, n, NULL, 0, NULL), 0);
	p = builder_seal(b);
	builder_free(b);
	free(line);
	free(loc);
	return p;
}

static int view_of(struct profile *p, bool noinlines, struct err *err)
{
	struct arena *mem = arena_new();
	struct buf notes = { 0 };
	struct query q;
	struct view v;
	int rc;

	query_init(&q);
	q.noinlines = noinlines;
	rc = view_make(p, &q.filter, mem, &v, &notes, err);
	buf_release(&notes);
	query_release(&q);
	arena_free(mem);
	profile_free(p);
	return rc;
}

static void rejects_inlined_calls_that_make_stacks_huge(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(view_of(inlined(8000), false, &err), 0);
	assert_int_equal(view_of(inlined(9000), false, &err), ERR_LIMIT);
	assert_string_equal(err.msg,
			    "inlined calls make 81000000 frames of the 9000 in its stacks; -noinlines leaves them out");
}

static void accepts_large_stacks_without_inlined_calls(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(view_of(inlined(9000), true, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_an_index_uses_the_last_type),
		cmocka_unit_test(without_an_index_prefers_the_default_type),
		cmocka_unit_test(ignores_a_missing_default_type),
		cmocka_unit_test(a_number_is_an_index_from_0),
		cmocka_unit_test(rejects_a_number_beyond_the_types),
		cmocka_unit_test(matches_a_whole_name_case_sensitively),
		cmocka_unit_test(an_unknown_name_lists_the_types),
		cmocka_unit_test(accepts_known_units_and_those_of_the_profile),
		cmocka_unit_test(accepts_a_name_with_a_leading_inuse),
		cmocka_unit_test(uses_the_first_type_that_matches_with_or_without_inuse),
		cmocka_unit_test(a_view_has_the_column_and_unit_of_its_type),
		cmocka_unit_test(the_total_of_no_rows_is_0),
		cmocka_unit_test(the_total_is_the_sum_of_magnitudes),
		cmocka_unit_test(the_total_can_be_the_largest_number),
		cmocka_unit_test(rejects_a_total_that_overflows_and_names_the_sample),
		cmocka_unit_test(the_mean_divides_by_the_first_type_toward_zero),
		cmocka_unit_test(divisors_count_with_their_sign),
		cmocka_unit_test(values_are_not_divided_if_their_divisors_sum_to_0),
		cmocka_unit_test(rejects_divisors_that_overflow),
		cmocka_unit_test(without_mean_divisors_can_overflow),
		cmocka_unit_test(rows_of_the_base_alone_are_100_percent),
		cmocka_unit_test(a_base_of_zeros_is_not_100_percent),
		cmocka_unit_test(means_of_a_base_are_divided_by_its_signed_count),
		cmocka_unit_test(rejects_inlined_calls_that_make_stacks_huge),
		cmocka_unit_test(accepts_large_stacks_without_inlined_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
