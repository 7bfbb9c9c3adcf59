/*
 * test_compact.c - remove empty rows and unused entries from a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The profile of every test has mappings prog, lib and spare, and locations 1 to 3. Location n has n lines, in
 * functions fn and, from location 2 on, f9. Locations 1 and 2 are in prog, 3 is in lib.
 */
#include "config.h"

#include "profile/builder.h"
#include "tests/unit/check_profile.h"
#include "profile/compact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { N_LOCS = 3 };

static struct err err;

static uint32_t add_function(struct builder *b, const char *name)
{
	struct builder_function f = { .id = 50, .name = strtab_addz(builder_strings(b), name) };
	uint32_t id = 0;

	assert_int_equal(builder_function(b, &f, &id, &err), 0);
	return id;
}

static struct builder *begin(void)
{
	static const char *const file[] = { "prog", "lib", "spare" }, *const name[] = { "f1", "f2", "f3", "f9" };
	struct builder *b = builder_new();
	uint32_t id, func[4];

	for (int i = 0; i < 2; i++)
		builder_type(b, strtab_addz(builder_strings(b), "cpu"), strtab_addz(builder_strings(b), "ns"));
	for (int i = 0; i < 3; i++) {
		struct mapping m = { .id = 50, .file = strtab_addz(builder_strings(b), file[i]) };

		assert_int_equal(builder_mapping(b, &m, &id, &err), 0);
	}
	for (int i = 0; i < 4; i++)
		func[i] = add_function(b, name[i]);
	for (uint32_t i = 0; i < N_LOCS; i++) {
		struct builder_location l = { .id = 50, .addr = i + 1, .map = i / 2, .folded = i == 2 };
		struct builder_line line[N_LOCS] = { { .func = func[i], .no = i + 1, .col = 10 },
						     { .func = func[3], .no = 8, .col = 20 },
						     { .func = func[3], .no = 9, .col = 30 } };

		assert_int_equal(builder_location(b, &l, line, i + 1, &id, &err), 0);
	}
	return b;
}

/* Add a row with two locations, numbered from 1, and a text label. */
static void add_row(struct builder *b, int64_t v0, int64_t v1, uint32_t leaf, uint32_t root, const char *label)
{
	struct strtab *str = builder_strings(b);
	struct builder_label l = { .key = strtab_addz(str, "k"), .text = strtab_addz(str, label), .is_text = true };
	const int64_t values[] = { v0, v1 };
	const uint32_t locs[] = { leaf - 1, root - 1 };
	uint32_t id;

	assert_int_equal(builder_label(b, &l, &id, &err), 0);
	assert_int_equal(builder_sample(b, values, locs, 2, &id, 1, &err), 0);
}

static struct profile *compacted(struct builder *b)
{
	struct profile *p = builder_seal(b);

	builder_free(b);
	profile_compact(p);
	if (profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

/* Location i of the stack of a row. */
static uint32_t loc_of(const struct profile *p, uint32_t row, uint32_t i)
{
	return stack_id_at(&p->stacks, p->stacks.off[p->stack[row]] + i);
}

static const char *label_of(const struct profile *p, uint32_t row)
{
	return profile_text(p, p->label_text[p->label_sets.item[p->label_sets.off[p->labels[row]]]]);
}

static const char *function_of(const struct profile *p, uint32_t line)
{
	return profile_text(p, p->func_name[p->line_func[line]]);
}

static void a_profile_without_rows_of_zeros_is_unchanged(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 1, 3, 3, "x");
	p = compacted(b);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(p->n_locs, N_LOCS);
	assert_int_equal(p->n_maps, 3);
	assert_int_equal(p->loc_id[0], 50);
	profile_free(p);
}

static void rows_with_one_value_stay_in_order(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 7, 1, 1, "x");
	add_row(b, 0, 0, 2, 2, "y");
	add_row(b, 8, 0, 3, 3, "z");
	p = compacted(b);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(p->value[1][0], 7);
	assert_int_equal(p->value[0][1], 8);
	assert_string_equal(label_of(p, 0), "x");
	assert_string_equal(label_of(p, 1), "z");
	profile_free(p);
}

static void lists_and_labels_used_only_by_zero_rows_are_removed(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 0, 1, 2, "x");
	add_row(b, 1, 1, 2, 1, "y");
	add_row(b, 0, 0, 2, 2, "x");
	p = compacted(b);
	assert_int_equal(p->stacks.n, 1);
	assert_int_equal(p->stacks.off[1], 2);
	assert_int_equal(p->label_sets.n, 2);
	assert_int_equal(p->n_labels, 1);
	assert_string_equal(label_of(p, 0), "y");
	profile_free(p);
}

static void entries_shared_with_zero_rows_are_kept(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 0, 1, 2, "x");
	add_row(b, 1, 1, 1, 2, "x");
	p = compacted(b);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(p->n_locs, 2);
	assert_int_equal(p->n_labels, 1);
	profile_free(p);
}

/* The row of zeros uses location 1 first; without it, 3 precedes 1. */
static void locations_are_numbered_by_the_remaining_rows(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 0, 1, 2, "x");
	add_row(b, 1, 1, 3, 1, "x");
	p = compacted(b);
	assert_int_equal(p->n_locs, 2);
	assert_int_equal(p->loc_addr[0], 3);
	assert_int_equal(p->loc_addr[1], 1);
	assert_true(p->loc_folded[0]);
	assert_int_equal(p->loc_id[1], 2);
	assert_int_equal(loc_of(p, 0, 0), 0);
	assert_int_equal(loc_of(p, 0, 1), 1);
	profile_free(p);
}

static void lines_move_with_their_locations(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 0, 1, 2, "x");
	add_row(b, 1, 1, 3, 1, "x");
	p = compacted(b);
	assert_int_equal(p->n_lines, 4);
	assert_int_equal(p->loc_line[1], 3);
	assert_int_equal(p->loc_line[2], 4);
	assert_int_equal(p->line_no[0], 3);
	assert_int_equal(p->line_col[2], 30);
	assert_int_equal(p->line_no[3], 1);
	profile_free(p);
}

static void functions_are_numbered_by_the_remaining_lines(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 0, 1, 2, "x");
	add_row(b, 1, 1, 3, 1, "x");
	p = compacted(b);
	assert_int_equal(p->n_funcs, 3);
	assert_string_equal(function_of(p, 0), "f3");
	assert_string_equal(function_of(p, 1), "f9");
	assert_string_equal(function_of(p, 3), "f1");
	assert_int_equal(p->line_func[3], 2);
	assert_int_equal(p->func_id[2], 3);
	profile_free(p);
}

static void the_first_mapping_stays_first_even_if_unused(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 0, 1, 2, "x");
	add_row(b, 1, 1, 3, 3, "x");
	p = compacted(b);
	assert_int_equal(p->n_maps, 2);
	assert_string_equal(profile_text(p, p->map[0].file), "prog");
	assert_string_equal(profile_text(p, p->map[1].file), "lib");
	assert_int_equal(p->map[1].id, 2);
	assert_int_equal(p->loc_map[0], 1);
	profile_free(p);
}

static void a_profile_of_zeros_keeps_only_the_first_mapping(void **state)
{
	struct builder *b = begin();
	struct profile *p;

	(void)state;
	add_row(b, 0, 0, 1, 2, "x");
	p = compacted(b);
	assert_int_equal(p->n_rows, 0);
	assert_int_equal(p->n_locs, 0);
	assert_int_equal(p->n_lines, 0);
	assert_int_equal(p->n_funcs, 0);
	assert_int_equal(p->n_maps, 1);
	assert_int_equal(p->stacks.n, 0);
	assert_int_equal(p->label_sets.n, 1);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_without_rows_of_zeros_is_unchanged),
		cmocka_unit_test(rows_with_one_value_stay_in_order),
		cmocka_unit_test(lists_and_labels_used_only_by_zero_rows_are_removed),
		cmocka_unit_test(entries_shared_with_zero_rows_are_kept),
		cmocka_unit_test(locations_are_numbered_by_the_remaining_rows),
		cmocka_unit_test(lines_move_with_their_locations),
		cmocka_unit_test(functions_are_numbered_by_the_remaining_lines),
		cmocka_unit_test(the_first_mapping_stays_first_even_if_unused),
		cmocka_unit_test(a_profile_of_zeros_keeps_only_the_first_mapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
