/*
 * test_builder.c - build a profile: append, then seal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/builder.h"
#include "tests/unit/check_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct err err;

static str_id text(struct builder *b, const char *s)
{
	return strtab_addz(builder_strings(b), s);
}

static struct builder *with_types(int n)
{
	struct builder *b = builder_new();

	for (int i = 0; i < n; i++)
		builder_type(b, text(b, "samples"), text(b, "count"));
	return b;
}

/* Append n locations of one function at addresses 0, 1 ... */
static void add_locations(struct builder *b, uint32_t n)
{
	struct builder_function f = { .id = 1, .name = text(b, "main") };
	uint32_t func = 0, id = 0;

	assert_int_equal(builder_function(b, &f, &func, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct builder_location l = { .id = i + 1, .addr = i, .map = PROFILE_NONE };
		struct builder_line line = { .func = func, .no = i };

		assert_int_equal(builder_location(b, &l, &line, 1, &id, &err), 0);
		assert_int_equal(id, i);
	}
}

static uint32_t stack(struct builder *b, const uint32_t *locs, size_t n)
{
	uint32_t id = PROFILE_NONE;

	assert_int_equal(builder_stack(b, locs, n, builder_stack_hash(locs, n), &id, &err), 0);
	return id;
}

static uint32_t label(struct builder *b, const char *key, const char *value, int64_t num)
{
	struct builder_label l = { .key = text(b, key), .text = text(b, value), .num = num, .is_text = *value != 0 };
	uint32_t id = PROFILE_NONE;

	assert_int_equal(builder_label(b, &l, &id, &err), 0);
	return id;
}

static uint32_t label_set(struct builder *b, const uint32_t *labels, size_t n)
{
	uint32_t id = PROFILE_NONE;

	assert_int_equal(builder_label_set(b, labels, n, &id, &err), 0);
	return id;
}

static struct profile *seal(struct builder *b)
{
	struct profile *p = builder_seal(b);

	builder_free(b);
	if (profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void equal_stacks_share_an_id(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t a[] = { 0, 1, 1 }, again[] = { 0, 1, 1 };

	(void)state;
	add_locations(b, 2);
	assert_int_equal(stack(b, a, 3), stack(b, again, 3));
	profile_free(seal(b));
}

static void a_stack_differs_from_its_prefix_and_its_reverse(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t up[] = { 0, 1 }, down[] = { 1, 0 };
	struct profile *p;

	(void)state;
	add_locations(b, 2);
	assert_int_equal(stack(b, up, 2), 0);
	assert_int_equal(stack(b, down, 2), 1);
	assert_int_equal(stack(b, up, 1), 2);
	p = seal(b);
	assert_int_equal(p->stacks.n, 3);
	assert_int_equal(p->stacks.off[3], 5);
	assert_int_equal(stack_id_at(&p->stacks, 4), 0);
	profile_free(p);
}

static void stacks_with_equal_hashes_are_distinct(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t x[] = { 0 }, y[] = { 1 };
	uint32_t id_x, id_y, again;

	(void)state;
	add_locations(b, 2);
	assert_int_equal(builder_stack(b, x, 1, 99, &id_x, &err), 0);
	assert_int_equal(builder_stack(b, y, 1, 99, &id_y, &err), 0);
	assert_int_equal(builder_stack(b, x, 1, 99, &again, &err), 0);
	assert_int_equal(id_x, 0);
	assert_int_equal(id_y, 1);
	assert_int_equal(again, 0);
	profile_free(seal(b));
}

static void the_empty_stack_has_its_own_id(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t x[] = { 0 };

	(void)state;
	add_locations(b, 1);
	assert_int_equal(stack(b, x, 1), 0);
	assert_int_equal(stack(b, x, 0), 1);
	assert_int_equal(stack(b, x, 0), 1);
	profile_free(seal(b));
}

static void equal_labels_share_an_id(void **state)
{
	struct builder *b = with_types(1);

	(void)state;
	assert_int_equal(label(b, "key", "a", 0), 0);
	assert_int_equal(label(b, "key", "b", 0), 1);
	assert_int_equal(label(b, "key", "", 5), 2);
	assert_int_equal(label(b, "key", "", 6), 3);
	assert_int_equal(label(b, "other", "a", 0), 4);
	assert_int_equal(label(b, "key", "a", 0), 0);
	assert_int_equal(label(b, "key", "", 5), 2);
	profile_free(seal(b));
}

static void label_set_0_is_empty(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t a = label(b, "key", "a", 0);

	(void)state;
	assert_int_equal(label_set(b, &a, 1), 1);
	assert_int_equal(label_set(b, NULL, 0), 0);
	assert_int_equal(label_set(b, &a, 1), 1);
	profile_free(seal(b));
}

static void label_sets_keep_the_order_of_their_labels(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t one = label(b, "k", "1", 0), two = label(b, "k", "2", 0);
	const uint32_t up[] = { one, two }, down[] = { two, one };
	struct profile *p;

	(void)state;
	assert_int_equal(label_set(b, down, 2), 1);
	assert_int_equal(label_set(b, up, 2), 2);
	p = seal(b);
	assert_int_equal(p->label_sets.item[p->label_sets.off[1]], two);
	profile_free(p);
}

static void label_sets_added_at_once_have_the_ids_of_single_ones(void **state)
{
	enum { N = 50 };
	struct builder *b = with_types(1), *single = with_types(1);
	const uint32_t two[] = { label(b, "k", "1", 0), label(b, "k", "2", 0) };
	uint32_t labels[3 * N], ids[N];
	size_t end[N], n = 0;

	(void)state;
	assert_int_equal(label(single, "k", "1", 0), two[0]);
	assert_int_equal(label(single, "k", "2", 0), two[1]);
	for (uint32_t i = 0; i < N; i++) {
		for (uint32_t k = 0; k < i % 4; k++)
			labels[n++] = two[i >> k & 1];
		end[i] = n;
	}
	assert_int_equal(builder_label_sets(b, labels, end, N, ids, &err), 0);
	for (uint32_t i = 0; i < N; i++) {
		size_t from = i ? end[i - 1] : 0;

		assert_int_equal(ids[i], label_set(single, labels + from, end[i] - from));
	}
	assert_int_equal(builder_label_sets(b, NULL, NULL, 0, NULL, &err), 0);
	builder_reserve_label_sets(b, N, 1000);
	assert_int_equal(label_set(b, two, 2), label_set(single, two, 2));
	profile_free(seal(b));
	profile_free(seal(single));
}

static void a_row_has_a_value_of_every_type(void **state)
{
	struct builder *b = with_types(3);
	const int64_t values[] = { 1, -2, INT64_MAX };
	const uint32_t locs[] = { 0 };
	struct profile *p;

	(void)state;
	add_locations(b, 1);
	assert_int_equal(builder_sample(b, values, locs, 1, NULL, 0, &err), 0);
	p = seal(b);
	assert_int_equal(p->n_rows, 1);
	for (int t = 0; t < 3; t++)
		assert_int_equal(p->value[t][0], values[t]);
	profile_free(p);
}

static void appended_rows_are_initially_zero(void **state)
{
	struct builder *b = with_types(2);
	struct builder_rows rows;
	struct profile *p;

	(void)state;
	add_locations(b, 1);
	stack(b, NULL, 0);
	assert_int_equal(builder_rows(b, 2, &rows, &err), 0);
	memset(rows.stack, 0, 2 * sizeof(*rows.stack));
	memset(rows.labels, 0, 2 * sizeof(*rows.labels));
	builder_values(b, 1)[0] = 9;
	assert_int_equal(builder_rows(b, 1, &rows, &err), 0);
	assert_int_equal(rows.first, 2);
	rows.stack[0] = rows.labels[0] = 0;
	p = seal(b);
	assert_int_equal(p->value[0][1], 0);
	assert_int_equal(p->value[1][0], 9);
	assert_int_equal(p->value[1][2], 0);
	profile_free(p);
}

/* The columns of a table share a capacity, so a type that grows alone would be detected here. */
static void values_of_many_types_survive_growth(void **state)
{
	enum { TYPES = 40, ROWS = 3000 };
	struct builder *b = with_types(TYPES);
	const uint32_t locs[] = { 0 };
	struct profile *p;

	(void)state;
	add_locations(b, 1);
	for (int64_t row = 0; row < ROWS; row++) {
		int64_t values[TYPES];

		for (int t = 0; t < TYPES; t++)
			values[t] = row * TYPES + t;
		assert_int_equal(builder_sample(b, values, locs, 1, NULL, 0, &err), 0);
	}
	p = seal(b);
	assert_int_equal(p->n_rows, ROWS);
	for (int64_t row = 0; row < ROWS; row++)
		for (int t = 0; t < TYPES; t++)
			assert_int_equal(p->value[t][row], row * TYPES + t);
	profile_free(p);
}

static void every_table_survives_growth(void **state)
{
	enum { N = 5000 };
	struct builder *b = with_types(1);
	struct profile *p;

	(void)state;
	add_locations(b, N);
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t l = label(b, "n", "", (int64_t)i + 1);
		const struct mapping m = { .id = i + 1, .start = i };
		uint32_t map = 0;

		assert_int_equal(stack(b, &i, 1), i);
		assert_int_equal(label_set(b, &l, 1), i + 1);
		assert_int_equal(builder_mapping(b, &m, &map, &err), 0);
		builder_comment(b, text(b, "c"));
	}
	p = seal(b);
	assert_int_equal(p->n_locs, N);
	assert_int_equal(p->n_labels, N);
	assert_int_equal(p->map[N - 1].start, N - 1);
	assert_int_equal(p->meta.n_comments, N);
	assert_int_equal(p->line_no[N - 1], N - 1);
	profile_free(p);
}

static void reserving_memory_changes_no_id(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t x[] = { 0 }, y[] = { 1 };

	(void)state;
	builder_reserve(b, 1000, 1000, 1000);
	add_locations(b, 2);
	assert_int_equal(stack(b, x, 1), 0);
	builder_reserve(b, 100000, 100000, 100000);
	assert_int_equal(stack(b, y, 1), 1);
	assert_int_equal(stack(b, x, 1), 0);
	profile_free(seal(b));
}

/* The first id that does not fit into three bytes widens the others. */
static void ids_of_four_bytes_are_stored(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t narrow[] = { 0xffffff, 0, 1 }, wide[] = { 1 << 24, UINT32_MAX - 1 };
	uint32_t id;
	struct profile *p;

	(void)state;
	assert_int_equal(stack(b, narrow, 3), 0);
	assert_int_equal(builder_stack_append(b, narrow, 2, &id, &err), 0);
	assert_int_equal(stack(b, wide, 2), 2);
	assert_int_equal(stack(b, narrow, 3), 0);
	assert_int_equal(stack(b, wide, 2), 2);
	assert_int_equal(builder_stack_append(b, wide, 1, &id, &err), 0);
	p = builder_seal(b);
	builder_free(b);
	assert_int_equal(p->stacks.width, STACK_WIDE);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(stack_id_at(&p->stacks, i), narrow[i]);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(stack_id_at(&p->stacks, 3 + i), narrow[i]);
		assert_int_equal(stack_id_at(&p->stacks, 5 + i), wide[i]);
	}
	assert_int_equal(stack_id_at(&p->stacks, 7), wide[0]);
	profile_free(p);
}

static void appended_stacks_are_not_shared(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t x[] = { 1, 0 };
	uint32_t id;
	struct profile *p;

	(void)state;
	add_locations(b, 2);
	assert_int_equal(stack(b, x, 2), 0);
	assert_int_equal(builder_stack_append(b, x, 2, &id, &err), 0);
	assert_int_equal(id, 1);
	assert_int_equal(stack(b, x, 2), 0);
	p = seal(b);
	assert_int_equal(p->stacks.n, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(stack_id_at(&p->stacks, p->stacks.off[1] + i), x[i]);
	profile_free(p);
}

static void equal_stacks_of_a_profile_are_found(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t x[] = { 1, 0 }, expected[] = { 0, 1, 2, 1, 4, 0, 2 };
	const size_t n[] = { 1, 2, 0, 2, 1, 1, 0 }, from[] = { 0, 0, 0, 0, 1, 0, 1 };
	uint32_t id, *first;
	struct profile *p;

	(void)state;
	add_locations(b, 2);
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(builder_stack_append(b, x + from[i], n[i], &id, &err), 0);
	p = seal(b);
	first = profile_equal_stacks(&p->stacks);
	assert_memory_equal(first, expected, sizeof(expected));
	free(first);
	profile_free(p);
}

static void stacks_of_rows_can_be_repeated(void **state)
{
	const uint32_t x[] = { 1, 0, 2 }, y[] = { 2 }, wide[] = { 1 << 24 };

	(void)state;
	for (int is_wide = 0; is_wide <= 1; is_wide++) {
		uint32_t of_row[] = { 0, 0, 1, 2, 1, 0, 2, is_wide ? 3 : 0 };
		struct builder *b = with_types(1);
		const struct stack_lists *l;
		struct profile *p;

		add_locations(b, 3);
		assert_int_equal(stack(b, x, 3), 0);
		assert_int_equal(stack(b, y, 1), 1);
		assert_int_equal(stack(b, x, 0), 2);
		if (is_wide)
			assert_int_equal(stack(b, wide, 1), 3);
		assert_int_equal(builder_repeat_stacks(b, of_row, 8, &err), 0);
		for (uint32_t i = 0; i < 8; i++)
			assert_int_equal(of_row[i], i);
		assert_int_equal(stack(b, y, 1), 8);
		p = builder_seal(b);
		builder_free(b);
		l = &p->stacks;
		assert_int_equal(l->n, 9);
		assert_memory_equal(l->off, ((uint32_t[]){ 0, 3, 6, 7, 7, 8, 11, 11, is_wide ? 12 : 14 }), 9 * 4);
		for (uint32_t i = 0; i < 3; i++) {
			assert_int_equal(stack_id_at(l, i), x[i]);
			assert_int_equal(stack_id_at(l, 3 + i), x[i]);
			assert_int_equal(stack_id_at(l, 8 + i), x[i]);
		}
		assert_int_equal(stack_id_at(l, 6), 2);
		assert_int_equal(stack_id_at(l, 7), 2);
		assert_int_equal(stack_id_at(l, 11), is_wide ? wide[0] : x[0]);
		profile_free(p);
	}
}

static void more_rows_than_ids_are_refused(void **state)
{
	struct builder *b = with_types(1);
	struct builder_rows rows;

	(void)state;
	assert_int_equal(builder_rows(b, UINT32_MAX, &rows, &err), ERR_LIMIT);
	assert_non_null(strstr(err.msg, "4294967280 samples"));
	profile_free(seal(b));
}

static void a_stack_with_more_frames_than_ids_is_refused(void **state)
{
	struct builder *b = with_types(1);
	const uint32_t locs[] = { 0 };
	uint32_t id;

	(void)state;
	add_locations(b, 1);
	assert_int_equal(builder_stack(b, locs, UINT32_MAX, 1, &id, &err), ERR_LIMIT);
	assert_non_null(strstr(err.msg, "stacks: "));
	profile_free(seal(b));
}

static void more_lines_than_ids_are_refused(void **state)
{
	struct builder *b = with_types(1);
	struct builder_location l = { .id = 2, .map = PROFILE_NONE };
	struct builder_line line = { 0 };
	struct profile *p;
	uint32_t id;

	(void)state;
	add_locations(b, 1);
	assert_int_equal(builder_location(b, &l, &line, UINT32_MAX, &id, &err), ERR_LIMIT);
	p = seal(b);
	assert_int_equal(p->n_locs, 1);
	assert_int_equal(p->n_lines, 1);
	profile_free(p);
}

static void a_profile_with_only_types_is_valid(void **state)
{
	struct profile *p = seal(with_types(1));

	(void)state;
	assert_int_equal(p->n_rows, 0);
	assert_int_equal(p->stacks.n, 0);
	assert_int_equal(p->label_sets.n, 1);
	profile_free(p);
}

static void a_builder_can_be_freed_before_sealing(void **state)
{
	struct builder *b = with_types(2);
	const int64_t values[] = { 1, 2 };
	const uint32_t locs[] = { 0 };

	(void)state;
	add_locations(b, 1);
	assert_int_equal(builder_sample(b, values, locs, 1, NULL, 0, &err), 0);
	builder_free(b);
	builder_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_share_an_id),
		cmocka_unit_test(a_stack_differs_from_its_prefix_and_its_reverse),
		cmocka_unit_test(stacks_with_equal_hashes_are_distinct),
		cmocka_unit_test(the_empty_stack_has_its_own_id),
		cmocka_unit_test(equal_labels_share_an_id),
		cmocka_unit_test(label_set_0_is_empty),
		cmocka_unit_test(label_sets_keep_the_order_of_their_labels),
		cmocka_unit_test(label_sets_added_at_once_have_the_ids_of_single_ones),
		cmocka_unit_test(a_row_has_a_value_of_every_type),
		cmocka_unit_test(appended_rows_are_initially_zero),
		cmocka_unit_test(values_of_many_types_survive_growth),
		cmocka_unit_test(every_table_survives_growth),
		cmocka_unit_test(reserving_memory_changes_no_id),
		cmocka_unit_test(ids_of_four_bytes_are_stored),
		cmocka_unit_test(appended_stacks_are_not_shared),
		cmocka_unit_test(equal_stacks_of_a_profile_are_found),
		cmocka_unit_test(stacks_of_rows_can_be_repeated),
		cmocka_unit_test(more_rows_than_ids_are_refused),
		cmocka_unit_test(a_stack_with_more_frames_than_ids_is_refused),
		cmocka_unit_test(more_lines_than_ids_are_refused),
		cmocka_unit_test(a_profile_with_only_types_is_valid),
		cmocka_unit_test(a_builder_can_be_freed_before_sealing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
