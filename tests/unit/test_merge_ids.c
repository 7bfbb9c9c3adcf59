/*
 * test_merge_ids.c - entries of two profiles that are merged
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "merge_parts.h"

/* A profile with a row that has these labels in this order. */
static struct builder *with_labels(const uint32_t *order, size_t n)
{
	struct builder *b = with_cpu();
	uint32_t all[] = { add_label(b, "b", "x", 0), add_label(b, "a", "x", 0), add_label(b, "a", "y", 0),
			   add_label(b, "a", "", 5) };
	uint32_t labels[8];

	for (size_t i = 0; i < n; i++)
		labels[i] = all[order[i]];
	assert_int_equal(builder_sample(b, &(int64_t){ 1 }, NULL, 0, labels, n, &err), 0);
	return b;
}

static void ids_are_numbered_from_1_in_order_of_first_use(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	uint32_t unused = add_frame(a, 9, PROFILE_NONE), late = add_frame(a, 2, PROFILE_NONE);
	struct profile *p;

	(void)state;
	(void)unused;
	add_row(a, add_frame(a, 1, PROFILE_NONE), 1);
	add_row(a, late, 1);
	p = merged(a, b);
	assert_int_equal(p->n_locs, 2);
	assert_int_equal(p->n_funcs, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(p->loc_addr[i], i + 1);
		assert_int_equal(p->loc_id[i], i + 1);
		assert_int_equal(p->func_id[i], i + 1);
	}
	profile_free(p);
}

static void the_order_of_labels_does_not_matter(void **state)
{
	const uint32_t one[] = { 0, 1, 3 }, other[] = { 3, 1, 0 };
	struct profile *p = merged(with_labels(one, 3), with_labels(other, 3));

	(void)state;
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(value(p, 0, 0), 2);
	profile_free(p);
}

static void the_order_of_values_of_a_key_matters(void **state)
{
	const uint32_t one[] = { 1, 2 }, other[] = { 2, 1 };
	struct profile *p = merged(with_labels(one, 2), with_labels(other, 2));

	(void)state;
	assert_int_equal(p->n_rows, 2);
	profile_free(p);
}

static void merged_text_labels_come_first_and_each_kind_is_sorted_by_key(void **state)
{
	const uint32_t order[] = { 3, 0, 2, 1 };
	struct profile *p = merged(with_labels(order, 4), with_labels(order, 4));
	const uint32_t *set = p->label_sets.item + p->label_sets.off[p->labels[0]];

	(void)state;
	assert_string_equal(profile_text(p, p->label_text[set[0]]), "y");
	assert_string_equal(profile_text(p, p->label_text[set[1]]), "x");
	assert_string_equal(profile_text(p, p->label_key[set[2]]), "b");
	assert_int_equal(p->label_num[set[3]], 5);
	profile_free(p);
}

static void rows_with_different_labels_are_not_added(void **state)
{
	const uint32_t one[] = { 1 }, other[] = { 3 };
	struct profile *p = merged(with_labels(one, 1), with_labels(other, 1));

	(void)state;
	assert_int_equal(p->n_rows, 2);
	profile_free(p);
}

static void addresses_are_adjusted_to_the_first_load_address(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	add_row(a, add_location(a, 0x10010, add_mapping(a, 0x10000, 0x11000, "lib"), NULL, 0), 1);
	add_row(b, add_location(b, 0x70010, add_mapping(b, 0x70000, 0x71000, "lib"), NULL, 0), 2);
	p = merged(a, b);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(p->n_maps, 1);
	assert_int_equal(p->map[0].start, 0x10000);
	assert_int_equal(p->loc_addr[0], 0x10010);
	profile_free(p);
}

static void mapping_sizes_are_compared_in_pages(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	add_row(a, add_location(a, 1, add_mapping(a, 0, 0x1000, "lib"), NULL, 0), 1);
	add_row(b, add_location(b, 1, add_mapping(b, 0, 0x0fff, "lib"), NULL, 0), 1);
	add_row(b, add_location(b, 1, add_mapping(b, 0, 0x1001, "lib"), NULL, 0), 1);
	p = merged(a, b);
	assert_int_equal(p->n_maps, 2);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(p->map[1].id, 2);
	profile_free(p);
}

static void build_ids_take_precedence_over_file_names(void **state)
{
	struct builder *side[] = { with_cpu(), with_cpu() };
	struct profile *p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct builder *b = side[i];
		struct mapping m = { .limit = 0x1000,
				     .file = text(b, i ? "new" : "old"),
				     .build_id = text(b, "cafe"),
				     .has_functions = i == 0,
				     .has_filenames = i == 1 };
		uint32_t map = 0;

		assert_int_equal(builder_mapping(b, &m, &map, &err), 0);
		add_row(b, add_frame(b, 1, map), 1);
	}
	p = merged(side[0], side[1]);
	assert_int_equal(p->n_maps, 1);
	assert_string_equal(profile_text(p, p->map[0].file), "old");
	assert_true(p->map[0].has_functions);
	assert_false(p->map[0].has_filenames);
	profile_free(p);
}

static void the_first_mapping_of_the_first_profile_stays_first(void **state)
{
	struct builder *a = with_cpu(), *b = with_cpu();
	struct profile *p;

	(void)state;
	add_mapping(a, 0, 0x1000, "prog");
	add_mapping(a, 0x1000, 0x2000, "unused");
	add_row(a, add_frame(a, 1, add_mapping(a, 0x2000, 0x3000, "lib")), 1);
	p = merged(a, b);
	assert_int_equal(p->n_maps, 2);
	assert_string_equal(profile_text(p, p->map[0].file), "prog");
	assert_string_equal(profile_text(p, p->map[1].file), "lib");
	profile_free(p);
}

/* The newest pprof does the same. The pprof of Go 1.26 compares only the column of the last line. */
static void columns_of_inner_lines_distinguish_locations(void **state)
{
	struct builder *side[] = { with_cpu(), with_cpu() };
	struct profile *p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct builder *b = side[i];
		struct builder_line lines[] = { { .no = 3, .col = i }, { .no = 4, .col = 1 } };

		lines[0].func = add_function(b, "inner");
		lines[1].func = add_function(b, "outer");
		add_row(b, add_location(b, 1, PROFILE_NONE, lines, 2), 1);
	}
	p = merged(side[0], side[1]);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(p->n_funcs, 2);
	assert_int_equal(p->line_col[0], 0);
	assert_int_equal(p->line_col[2], 1);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_numbered_from_1_in_order_of_first_use),
		cmocka_unit_test(the_order_of_labels_does_not_matter),
		cmocka_unit_test(the_order_of_values_of_a_key_matters),
		cmocka_unit_test(merged_text_labels_come_first_and_each_kind_is_sorted_by_key),
		cmocka_unit_test(rows_with_different_labels_are_not_added),
		cmocka_unit_test(addresses_are_adjusted_to_the_first_load_address),
		cmocka_unit_test(mapping_sizes_are_compared_in_pages),
		cmocka_unit_test(build_ids_take_precedence_over_file_names),
		cmocka_unit_test(the_first_mapping_of_the_first_profile_stays_first),
		cmocka_unit_test(columns_of_inner_lines_distinguish_locations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
