/*
 * test_merge.c - merge profiles: values, types, headers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "merge_parts.h"

#include <string.h>

/* A profile with a row at an address and this header. */
static struct builder *with_header(const struct profile_meta *meta)
{
	struct builder *b = with_cpu();

	*builder_meta(b) = *meta;
	add_row(b, add_frame(b, 1, PROFILE_NONE), 1);
	return b;
}

static struct builder *with_period(const char *name, const char *unit, int64_t period)
{
	struct builder *b = with_cpu();
	struct profile_meta *meta = builder_meta(b);

	meta->has_period_type = true;
	meta->period_type = (struct value_type){ text(b, name), text(b, unit) };
	meta->period = period;
	return b;
}

static void assert_refused(struct builder *a, struct builder *b, int code, const char *message)
{
	struct profile *p = NULL;

	assert_int_equal(try_merge(a, b, &p), code);
	assert_null(p);
	if (!strstr(err.msg, message))
		fail_msg("\"%s\" does not contain \"%s\"", err.msg, message);
}

/* Add a row of two values without a stack. */
static void add_pair(struct builder *b, int64_t first, int64_t second)
{
	int64_t values[] = { first, second };

	assert_int_equal(builder_sample(b, values, NULL, 0, NULL, 0, &err), 0);
}

static void rows_of_equal_stacks_are_added(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	add_row(a, add_frame(a, 1, PROFILE_NONE), 10);
	add_row(b, add_frame(b, 2, PROFILE_NONE), 5);
	add_row(b, add_frame(b, 1, PROFILE_NONE), 3);
	p = merged(a, b);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(value(p, 0, 0), 13);
	assert_int_equal(value(p, 0, 1), 5);
	assert_int_equal(p->n_locs, 2);
	assert_int_equal(p->n_funcs, 2);
	profile_free(p);
}

static void equal_rows_of_one_profile_are_added_too(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	add_row(a, add_frame(a, 1, PROFILE_NONE), 10);
	add_row(a, add_frame(a, 1, PROFILE_NONE), 1);
	p = merged(a, b);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(value(p, 0, 0), 11);
	profile_free(p);
}

static void many_rows_are_added_to_equal_rows(void **state)
{
	enum { N = 3000 };
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	for (int64_t i = 0; i < N; i++) {
		add_row(a, add_location(a, (uint64_t)i, PROFILE_NONE, NULL, 0), i + 1);
		add_row(b, add_location(b, (uint64_t)(N - 1 - i), PROFILE_NONE, NULL, 0), 10000);
	}
	p = merged(a, b);
	assert_int_equal(p->n_rows, N);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(value(p, 0, i), 10001 + i);
	profile_free(p);
}

static void types_that_some_profile_lacks_are_dropped(void **state)
{
	struct builder *a = with_type("samples", "count"), *b = with_type("cpu", "ns");
	struct profile *p;

	(void)state;
	builder_type(a, text(a, "cpu"), text(a, "ns"));
	add_pair(a, 1, 10);
	add_row(b, add_frame(b, 1, PROFILE_NONE), 3);
	p = merged(a, b);
	assert_int_equal(p->n_types, 1);
	assert_string_equal(profile_text(p, p->type[0].name), "cpu");
	assert_int_equal(value(p, 0, 0), 10);
	assert_int_equal(value(p, 0, 1), 3);
	profile_free(p);
}

static void types_have_the_order_of_the_first_profile(void **state)
{
	struct builder *a = with_type("samples", "count"), *b = with_type("cpu", "ns");
	struct profile *p;

	(void)state;
	builder_type(a, text(a, "cpu"), text(a, "ns"));
	builder_type(b, text(b, "samples"), text(b, "count"));
	add_pair(a, 1, 10);
	add_pair(b, 20, 2);
	p = merged(a, b);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(value(p, 0, 0), 3);
	assert_int_equal(value(p, 1, 0), 30);
	profile_free(p);
}

static void values_are_scaled_to_the_finest_unit(void **state)
{
	struct builder *a = with_type("cpu", "ms"), *b = with_type("cpu", "us");
	struct profile *p;

	(void)state;
	add_row(a, add_frame(a, 1, PROFILE_NONE), 2);
	add_row(b, add_frame(b, 1, PROFILE_NONE), 7);
	p = merged(a, b);
	assert_string_equal(profile_text(p, p->type[0].unit), "us");
	assert_int_equal(value(p, 0, 0), 2007);
	profile_free(p);
}

/* pprof drops this row, since it checks only values that were scaled. */
static void a_row_whose_only_value_was_not_scaled_is_kept(void **state)
{
	struct builder *a = with_type("samples", "count"), *b = with_type("samples", "count");
	struct profile *p;

	(void)state;
	builder_type(a, text(a, "cpu"), text(a, "ms"));
	builder_type(b, text(b, "cpu"), text(b, "ns"));
	add_pair(a, 5, 0);
	p = merged(a, b);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(value(p, 0, 0), 5);
	profile_free(p);
}

static void a_value_too_large_for_the_finer_unit_is_refused(void **state)
{
	struct builder *a = with_type("cpu", "ns"), *b = with_type("cpu", "s");

	(void)state;
	add_row(b, add_frame(b, 1, PROFILE_NONE), 1);
	add_row(b, add_frame(b, 2, PROFILE_NONE), INT64_MAX / 2);
	assert_refused(a, b, ERR_RANGE, "profile 2, sample 2: cpu in s");
}

static void a_sum_that_overflows_64_bits_is_refused(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();

	(void)state;
	add_row(a, add_frame(a, 1, PROFILE_NONE), INT64_MAX);
	add_row(b, add_frame(b, 2, PROFILE_NONE), 1);
	add_row(b, add_frame(b, 1, PROFILE_NONE), 1);
	assert_refused(a, b, ERR_RANGE, "profile 2, sample 2: the sum of cpu");
}

static void the_longest_period_is_kept_in_the_finest_unit(void **state)
{
	struct profile *p = merged(with_period("cpu", "ns", 999), with_period("cpu", "us", 2));

	(void)state;
	assert_int_equal(p->meta.period, 2000);
	assert_string_equal(profile_text(p, p->meta.period_type.unit), "ns");
	assert_true(p->meta.has_period_type);
	profile_free(p);
}

static void the_earliest_time_is_kept_and_durations_are_added(void **state)
{
	const struct profile_meta a = { .time_ns = 500, .duration_ns = 3 };
	const struct profile_meta b = { .time_ns = 200, .duration_ns = 4 };
	struct profile *p = merged(with_header(&a), with_header(&b));

	(void)state;
	assert_int_equal(p->meta.time_ns, 200);
	assert_int_equal(p->meta.duration_ns, 7);
	profile_free(p);
}

static void a_later_profile_without_time_makes_the_time_unknown(void **state)
{
	const struct profile_meta a = { .time_ns = 500 }, b = { 0 };
	struct profile *p = merged(with_header(&a), with_header(&b));

	(void)state;
	assert_int_equal(p->meta.time_ns, 0);
	profile_free(p);
}

static void durations_that_overflow_64_bits_are_refused(void **state)
{
	const struct profile_meta a = { .duration_ns = INT64_MAX }, b = { .duration_ns = 1 };

	(void)state;
	assert_refused(with_header(&a), with_header(&b), ERR_RANGE, "profile 2: duration of 1 ns");
}

static void duplicate_comments_are_removed(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	builder_comment(a, text(a, "one"));
	builder_comment(a, text(a, "one"));
	builder_comment(b, text(b, "two"));
	builder_comment(b, text(b, "one"));
	p = merged(a, b);
	assert_int_equal(p->meta.n_comments, 2);
	assert_string_equal(profile_text(p, p->meta.comment[0]), "one");
	assert_string_equal(profile_text(p, p->meta.comment[1]), "two");
	profile_free(p);
}

static void drop_frames_is_that_of_the_first_profile(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	builder_meta(a)->drop_frames = text(a, "malloc");
	builder_meta(b)->keep_frames = text(b, "main");
	p = merged(a, b);
	assert_string_equal(profile_text(p, p->meta.drop_frames), "malloc");
	assert_string_equal(profile_text(p, p->meta.keep_frames), "");
	profile_free(p);
}

static void the_first_default_type_and_doc_url_are_kept(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	builder_meta(b)->default_type = text(b, "cpu");
	builder_meta(b)->doc_url = text(b, "http://b");
	p = merged(a, b);
	assert_string_equal(profile_text(p, p->meta.default_type), "cpu");
	assert_string_equal(profile_text(p, p->meta.doc_url), "http://b");
	profile_free(p);
}

static void rows_of_zeros_are_removed(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	add_row(a, add_frame(a, 1, PROFILE_NONE), 0);
	add_row(b, add_frame(b, 2, PROFILE_NONE), 4);
	p = merged(a, b);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(p->n_locs, 1);
	assert_int_equal(p->loc_addr[0], 2);
	profile_free(p);
}

static void a_profile_and_its_negative_sum_to_an_empty_one(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	add_row(a, add_frame(a, 1, add_mapping(a, 0, 0x1000, "prog")), 5);
	add_row(b, add_frame(b, 1, add_mapping(b, 0, 0x1000, "prog")), -5);
	p = merged(a, b);
	assert_int_equal(p->n_rows, 0);
	assert_int_equal(p->n_locs, 0);
	assert_int_equal(p->n_lines, 0);
	assert_int_equal(p->n_funcs, 0);
	assert_int_equal(p->n_maps, 1);
	profile_free(p);
}

static void merging_is_associative(void **state)
{
	struct profile *src[3], *p = NULL;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct builder *b = with_cpu();

		add_row(b, add_frame(b, 1, PROFILE_NONE), 1 << i);
		src[i] = seal(b);
	}
	assert_int_equal(profile_merge((const struct profile *const *)src, 3, NULL, &p, &err), 0);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(value(p, 0, 0), 7);
	profile_free(p);
	for (int i = 0; i < 3; i++)
		profile_free(src[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_equal_stacks_are_added),
		cmocka_unit_test(equal_rows_of_one_profile_are_added_too),
		cmocka_unit_test(many_rows_are_added_to_equal_rows),
		cmocka_unit_test(types_that_some_profile_lacks_are_dropped),
		cmocka_unit_test(types_have_the_order_of_the_first_profile),
		cmocka_unit_test(values_are_scaled_to_the_finest_unit),
		cmocka_unit_test(a_row_whose_only_value_was_not_scaled_is_kept),
		cmocka_unit_test(a_value_too_large_for_the_finer_unit_is_refused),
		cmocka_unit_test(a_sum_that_overflows_64_bits_is_refused),
		cmocka_unit_test(the_longest_period_is_kept_in_the_finest_unit),
		cmocka_unit_test(the_earliest_time_is_kept_and_durations_are_added),
		cmocka_unit_test(a_later_profile_without_time_makes_the_time_unknown),
		cmocka_unit_test(durations_that_overflow_64_bits_are_refused),
		cmocka_unit_test(duplicate_comments_are_removed),
		cmocka_unit_test(drop_frames_is_that_of_the_first_profile),
		cmocka_unit_test(the_first_default_type_and_doc_url_are_kept),
		cmocka_unit_test(rows_of_zeros_are_removed),
		cmocka_unit_test(a_profile_and_its_negative_sum_to_an_empty_one),
		cmocka_unit_test(merging_is_associative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
