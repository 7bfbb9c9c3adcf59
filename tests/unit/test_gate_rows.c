/*
 * test_gate_rows.c - rows that a gate makes from functions and stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_gate.h"

#include <math.h>

struct made_rows {
	struct made_gate g;
	struct arena *mem;
	struct gate_rows r;
};

static void start(struct made_rows *m)
{
	made_start(&m->g);
	m->mem = arena_new();
}

static void make(struct made_rows *m)
{
	made_seal(&m->g, 1, 1);
	gate_rows_make(&m->g.s, m->mem, &m->r, NULL);
}

static void release(struct made_rows *m)
{
	made_release(&m->g);
	arena_free(m->mem);
}

/* Row of this kind that is named after a function; fails if there is none. */
static uint32_t row_of(const struct made_rows *m, enum gate_kind kind, const char *name)
{
	for (uint32_t i = 0; i < m->r.n; i++)
		if (m->r.source[i].kind == kind &&
		    (kind == GATE_TOTAL || strcmp(m->g.s.func[m->r.source[i].func].name, name) == 0))
			return i;
	fail_msg("no row is named after %s", name);
	return 0;
}

static bool has_row(const struct made_rows *m, enum gate_kind kind, const char *name)
{
	for (uint32_t i = 0; i < m->r.n; i++)
		if (m->r.source[i].kind == kind && strcmp(m->g.s.func[m->r.source[i].func].name, name) == 0)
			return true;
	return false;
}

static double value_of(const struct made_rows *m, uint32_t row, enum side side)
{
	const struct stats_counts *c = &m->r.counts;
	double sum = 0;

	for (uint32_t i = c->row_off[row]; i < c->row_off[row + 1]; i++) {
		assert_true(i == c->row_off[row] || c->row_class[i - 1] < c->row_class[i]);
		sum += c->value[side][c->row_class[i]];
	}
	return sum;
}

static void assert_values(const struct made_rows *m, enum gate_kind kind, const char *name, double base, double fresh)
{
	uint32_t row = row_of(m, kind, name);

	assert_float_equal(value_of(m, row, SIDE_BASE), base, 1e-9);
	assert_float_equal(value_of(m, row, SIDE_NEW), fresh, 1e-9);
}

static void rows_are_sums_of_classes_and_recursion_counts_once(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "leaf f g f main", 100, 130);
	made_stack(&m.g, "f main", 50, 60);
	made_stack(&m.g, "other main", 850, 800);
	make(&m);
	assert_values(&m, GATE_CUM, "f", 150, 190);
	assert_values(&m, GATE_FLAT, "f", 50, 60);
	assert_values(&m, GATE_CUM, "other", 850, 800);
	assert_values(&m, GATE_CUM, "main", 1000, 990);
	assert_false(has_row(&m, GATE_FLAT, "other"));
	assert_int_equal(m.r.counts.n_rows, m.r.n);
	release(&m);
}

static void stacks_with_the_same_leaf_and_rows_form_a_class(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "leaf tiny1 f main", 50, 50);
	made_stack(&m.g, "leaf tiny2 f main", 40, 60);
	made_stack(&m.g, "leaf f tiny1 main", 10, 0);
	made_stack(&m.g, "leaf main", 300, 300);
	made_stack(&m.g, "other main", 30000, 30000);
	m.g.options.min_share = 0.003;
	make(&m);
	assert_int_equal(m.r.counts.n_classes, 3);
	assert_values(&m, GATE_CUM, "f", 100, 110);
	release(&m);
}

static void classes_ignore_the_order_of_rows_in_a_stack(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "leaf f h main", 50, 50);
	made_stack(&m.g, "leaf h f main", 40, 60);
	made_stack(&m.g, "leaf f main", 100, 100);
	made_stack(&m.g, "leaf h main", 100, 100);
	make(&m);
	assert_int_equal(m.r.counts.n_classes, 3);
	assert_values(&m, GATE_CUM, "f", 190, 210);
	assert_values(&m, GATE_CUM, "h", 190, 210);
	release(&m);
}

static void leaves_with_few_samples_share_a_cell(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "rare1 main", 9, 10);
	made_stack(&m.g, "rare2 main", 10, 9);
	made_stack(&m.g, "", 5, 5);
	made_stack(&m.g, "often main", 10, 10);
	made_stack(&m.g, "most main", 500, 500);
	make(&m);
	assert_int_equal(m.r.counts.n_cells, 3);
	assert_int_equal(m.r.counts.n_classes, 4); /* the stack without a frame has no row */
	release(&m);
}

static void functions_below_min_share_have_no_row(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "small main", 9, 9);    /* 9 of 1000 samples: a share below 1 % */
	made_stack(&m.g, "grown main", 5, 40);   /* 4 % of new */
	made_stack(&m.g, "few main", 19.5, 20);  /* 39.5 samples */
	made_stack(&m.g, "enough main", 20, 20); /* 40 */
	made_stack(&m.g, "rest main", 946.5, 911);
	make(&m);
	assert_false(has_row(&m, GATE_CUM, "small"));
	assert_true(has_row(&m, GATE_CUM, "grown"));
	assert_false(has_row(&m, GATE_CUM, "few"));
	assert_true(has_row(&m, GATE_CUM, "enough"));
	release(&m);
}

static void flat_has_a_row_if_it_is_below_90_percent_of_cum(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "most main", 95, 95);
	made_stack(&m.g, "callee most main", 5, 5);
	made_stack(&m.g, "half main", 50, 50);
	made_stack(&m.g, "callee half main", 50, 50);
	made_stack(&m.g, "main", 5, 5);
	make(&m);
	assert_false(has_row(&m, GATE_FLAT, "most"));
	assert_true(has_row(&m, GATE_FLAT, "half"));
	assert_false(has_row(&m, GATE_FLAT, "main")); /* the function has too few samples */
	release(&m);
}

static void a_chain_of_wrappers_is_one_row_named_after_the_function_nearest_the_leaf(void **state)
{
	struct made_rows m;
	uint32_t row;

	(void)state;
	start(&m);
	made_stack(&m.g, "x.find x.deflate x.close x.Close main", 60, 60);
	made_stack(&m.g, "x.store x.deflate x.close x.Close main", 39, 39);
	made_stack(&m.g, "x.close x.Close main", 1, 1);
	made_stack(&m.g, "x.Close main", 1, 1);
	made_stack(&m.g, "rest main", 200, 200);
	make(&m);
	row = row_of(&m, GATE_CUM, "x.deflate");
	assert_values(&m, GATE_CUM, "x.deflate", 99, 99);
	assert_int_equal(m.r.source[row].n_aliases, 2);
	assert_string_equal(m.g.s.func[m.r.source[row].alias[0]].name, "x.close");
	assert_string_equal(m.g.s.func[m.r.source[row].alias[1]].name, "x.Close");
	assert_false(has_row(&m, GATE_CUM, "x.close"));
	assert_true(has_row(&m, GATE_CUM, "x.find"));
	release(&m);
}

static void a_chain_into_a_library_is_named_after_the_function_of_the_program(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(
		&m.g,
		"flate.find|/usr/local/go/src/compress/flate/deflate.go|9 compress/flate.(*compressor).deflate "
		"compress/gzip.(*Writer).Close main.compressBody|/src/shop/compress.go|7 main.main|/src/shop/main.go|1",
		60, 60);
	made_stack(&m.g,
		   "compress/flate.store compress/flate.(*compressor).deflate compress/gzip.(*Writer).Close "
		   "main.compressBody main.main",
		   40, 40);
	made_stack(&m.g, "main.rest main.main", 200, 200);
	make(&m);
	assert_values(&m, GATE_CUM, "main.compressBody", 100, 100);
	assert_int_equal(m.r.source[row_of(&m, GATE_CUM, "main.compressBody")].n_aliases, 2);
	release(&m);
}

static void a_long_chain_is_not_merged_into_one_row(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "x.e x.d x.c x.b x.a main", 1000, 1000);
	made_stack(&m.g, "x.d x.c x.b x.a main", 40, 40);
	made_stack(&m.g, "x.c x.b x.a main", 40, 40);
	made_stack(&m.g, "x.b x.a main", 40, 40);
	made_stack(&m.g, "x.a main", 40, 40);
	made_stack(&m.g, "rest main", 3000, 3000);
	make(&m);
	assert_true(has_row(&m, GATE_CUM, "x.b")); /* merged with x.a: cum of 1120 and 1160 */
	assert_true(has_row(&m, GATE_CUM, "x.d")); /* merged with x.c: cum of 1040 and 1080 */
	assert_true(has_row(&m, GATE_CUM, "x.e")); /* 1000 */
	assert_false(has_row(&m, GATE_CUM, "x.a") || has_row(&m, GATE_CUM, "x.c"));
	release(&m);
}

static void a_function_is_merged_with_the_first_similar_one(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "x.k x.i x.a main", 1042, 1042); /* cum: x.k 1060, x.i 1065, x.a 1100 */
	made_stack(&m.g, "x.k x.a main", 18, 18);
	made_stack(&m.g, "x.a main", 40, 40);
	made_stack(&m.g, "x.i main", 23, 23);
	made_stack(&m.g, "rest main", 3000, 3000);
	make(&m);
	assert_int_equal(m.r.source[row_of(&m, GATE_CUM, "x.k")].n_aliases, 1);
	assert_int_equal(m.r.source[row_of(&m, GATE_CUM, "x.i")].n_aliases, 0);
	assert_false(has_row(&m, GATE_CUM, "x.a"));
	release(&m);
}

static void a_function_on_one_side_is_not_merged_with_one_on_both(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "x.work x.old main", 1000, 0);
	made_stack(&m.g, "x.work x.fresh main", 0, 50);
	made_stack(&m.g, "rest main", 9000, 9950); /* x.fresh has few of the samples of x.work */
	m.g.options.min_share = 0.004;
	make(&m);
	assert_values(&m, GATE_CUM, "x.work", 1000, 50);
	assert_values(&m, GATE_CUM, "x.old", 1000, 0);
	assert_values(&m, GATE_CUM, "x.fresh", 0, 50);
	assert_int_equal(m.r.source[row_of(&m, GATE_CUM, "x.work")].n_aliases, 0);
	release(&m);
}

static void a_slower_wrapper_is_not_merged_with_its_callee(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "x.work x.wrap main", 1000, 100); /* the base has ten times as many samples */
	made_stack(&m.g, "x.wrap main", 0, 30);
	made_stack(&m.g, "rest main", 9000, 900);
	make(&m);
	assert_values(&m, GATE_CUM, "x.wrap", 1000, 130);
	assert_values(&m, GATE_CUM, "x.work", 1000, 100);
	release(&m);
}

static void a_renamed_function_is_added_to_its_new_name(void **state)
{
	struct made_rows m;
	uint32_t row;

	(void)state;
	start(&m);
	made_stack(&m.g, "leaf old main", 100, 0);
	made_stack(&m.g, "leaf fresh main", 0, 120);
	made_stack(&m.g, "old main", 30, 0);
	made_stack(&m.g, "fresh main", 0, 40);
	made_stack(&m.g, "rest main", 500, 500);
	made_rule(&m.g, GATE_LIMIT, "^old$", 0.5);
	m.g.s.func[1].canonical = 3;
	made_seal(&m.g, 2, 2);
	gate_rows_make(&m.g.s, m.mem, &m.r, NULL);
	assert_string_equal(m.g.s.func[3].name, "fresh");
	assert_values(&m, GATE_CUM, "fresh", 130, 160);
	assert_values(&m, GATE_FLAT, "fresh", 30, 40);
	assert_false(has_row(&m, GATE_CUM, "old"));
	row = row_of(&m, GATE_CUM, "fresh");
	assert_int_equal(m.r.old_func[3], 1);
	assert_float_equal(m.r.counts.row_limit[row], 0.5, 0);
	assert_float_equal(m.r.counts.row_file[row * 4 + 1], 65, 1e-9);
	assert_float_equal(m.r.counts.row_file[row * 4 + 2], 80, 1e-9);
	release(&m);
}

static void the_total_has_a_row_only_if_the_work_is_known(void **state)
{
	(void)state;
	for (int n = GATE_BULK; n <= GATE_SHARE; n++) {
		struct made_rows m;

		start(&m);
		made_stack(&m.g, "f main", 100, 100);
		made_stack(&m.g, "", 20, 20);
		m.g.options.normalize = (enum gate_normalize)n;
		make(&m);
		assert_int_equal(m.r.n > 0 && m.r.source[0].kind == GATE_TOTAL,
				 n == GATE_NONE || n == GATE_WORK || n == GATE_DURATION);
		if (m.r.source[0].kind == GATE_TOTAL) {
			assert_values(&m, GATE_TOTAL, "", 120, 120);
			assert_false(m.r.counts.row_is_reference[0]);
			assert_true(m.r.counts.row_is_tested[0]);
		}
		release(&m);
	}
}

static void gate_lines_select_tested_rows_and_others_are_reference(void **state)
{
	struct made_rows m;
	uint32_t row;

	(void)state;
	start(&m);
	made_stack(&m.g, "main.f main.main", 100, 100);
	made_stack(&m.g, "lib.g main.main", 50, 100);
	made_rule(&m.g, GATE_ONLY, "^main\\.f", 0);
	make(&m);
	row = row_of(&m, GATE_CUM, "main.f");
	assert_true(m.r.counts.row_is_tested[row]);
	row = row_of(&m, GATE_CUM, "lib.g");
	assert_false(m.r.counts.row_is_tested[row]);
	assert_true(m.r.counts.row_is_reference[row]);
	assert_int_equal(m.g.options.rule[0].n_used, 1);
	release(&m);
}

static void untested_rows_have_a_ratio_but_no_p_value(void **state)
{
	const struct stats_options options = { .mode = STATS_FIXED, .rho = 1, .noise = 0.02 };
	struct stats_summary judged;
	struct stats_row row[8];
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "main.f main.main", 100, 100);
	made_stack(&m.g, "lib.g main.main", 50, 100);
	made_rule(&m.g, GATE_ONLY, "^main\\.f", 0);
	make(&m);
	assert_int_equal(m.r.n, 3);
	stats_judge(&m.r.counts, &options, row, &judged);
	assert_float_equal(row[row_of(&m, GATE_CUM, "lib.g")].ratio, 2, 1e-9);
	assert_true(isnan(row[row_of(&m, GATE_CUM, "lib.g")].p));
	assert_true(isnan(row[row_of(&m, GATE_CUM, "lib.g")].p_adjusted));
	assert_float_equal(row[row_of(&m, GATE_CUM, "main.f")].p_adjusted, 0.526, 0.01);
	release(&m);
}

static void the_last_matching_limit_is_used(void **state)
{
	struct made_rows m;
	uint32_t row;

	(void)state;
	start(&m);
	made_stack(&m.g, "f|/src/app/parse.c|3 wrap main", 100, 100);
	made_stack(&m.g, "g main", 50, 100);
	made_rule(&m.g, GATE_LIMIT, "parse", 0.3);  /* the limit is found by the file */
	made_rule(&m.g, GATE_LIMIT, "^wrap$", 0.5); /* the limit is found by an alias */
	made_rule(&m.g, GATE_LIMIT, "^gg$", 0.7);
	made_rule(&m.g, GATE_NOISE, "^f$", 0.1);
	made_rule(&m.g, GATE_NOISE, "^g$", 0.01); /* smaller than the noise of all rows */
	make(&m);
	row = row_of(&m, GATE_CUM, "f");
	assert_float_equal(m.r.counts.row_limit[row], 0.5, 0);
	assert_float_equal(m.r.counts.row_noise[row], 0.1, 0);
	row = row_of(&m, GATE_CUM, "g");
	assert_float_equal(m.r.counts.row_limit[row], 0.2, 0);
	assert_float_equal(m.r.counts.row_noise[row], 0.02, 0);
	assert_int_equal(m.g.options.rule[0].n_used, 0);
	assert_int_equal(m.g.options.rule[1].n_used, 1);
	release(&m);
}

static void a_limit_line_can_match_functions_by_file(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "f|/src/app/parse.c|3 main", 100, 100);
	made_stack(&m.g, "g|/src/app/print.c|3 main", 100, 100);
	made_rule(&m.g, GATE_LIMIT, "/parse\\.c$", 0.3);
	make(&m);
	assert_float_equal(m.r.counts.row_limit[row_of(&m, GATE_CUM, "f")], 0.3, 0);
	assert_float_equal(m.r.counts.row_limit[row_of(&m, GATE_CUM, "g")], 0.2, 0);
	release(&m);
}

static void a_function_above_its_budget_has_a_row_below_min_share(void **state)
{
	struct made_rows m;
	uint32_t row;

	(void)state;
	start(&m);
	made_stack(&m.g, "a main", 5, 6);
	made_stack(&m.g, "b main", 5, 3);
	made_stack(&m.g, "c main", 5, 6);
	made_stack(&m.g, "rest main", 985, 985);
	made_rule(&m.g, GATE_BUDGET, "^[ab]$", 0.005);
	make(&m);
	row = row_of(&m, GATE_CUM, "a");
	assert_false(m.r.counts.row_is_tested[row]);
	assert_false(m.r.counts.row_is_reference[row]);
	assert_false(has_row(&m, GATE_CUM, "b"));
	assert_false(has_row(&m, GATE_CUM, "c"));
	release(&m);
}

static void files_of_the_base_come_first(void **state)
{
	struct made_rows m;
	struct gate_file *file;
	uint32_t row;

	(void)state;
	start(&m);
	made_stack(&m.g, "f main", 100, 300);
	made_stack(&m.g, "g main", 100, 300);
	made_seal(&m.g, 1, 2);
	file = arena_alloc(m.mem, 3, sizeof(*file));
	file[0] = m.g.s.file[1];
	file[1] = m.g.s.file[0];
	file[2] = m.g.s.file[2];
	m.g.s.file = file;
	gate_rows_make(&m.g.s, m.mem, &m.r, NULL);
	row = row_of(&m, GATE_CUM, "f");
	assert_int_equal(m.r.counts.n_files[SIDE_BASE], 1);
	assert_int_equal(m.r.counts.n_files[SIDE_NEW], 2);
	assert_float_equal(m.r.counts.file_total[0], 200, 1e-9);
	assert_float_equal(m.r.counts.file_total[1], 300, 1e-9);
	assert_float_equal(m.r.counts.row_file[row * 3], 100, 1e-9);
	assert_float_equal(m.r.counts.row_file[row * 3 + 2], 150, 1e-9);
	release(&m);
}

static void one_file_per_side_has_no_values_per_file(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	made_stack(&m.g, "f main", 100, 300);
	make(&m);
	assert_null(m.r.counts.row_file);
	assert_null(m.r.counts.file_total);
	release(&m);
}

static void empty_sums_have_no_rows(void **state)
{
	struct made_rows m;

	(void)state;
	start(&m);
	make(&m);
	assert_int_equal(m.r.n, 0);
	assert_int_equal(m.r.counts.n_classes, 0);
	release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sums_of_classes_and_recursion_counts_once),
		cmocka_unit_test(stacks_with_the_same_leaf_and_rows_form_a_class),
		cmocka_unit_test(classes_ignore_the_order_of_rows_in_a_stack),
		cmocka_unit_test(leaves_with_few_samples_share_a_cell),
		cmocka_unit_test(functions_below_min_share_have_no_row),
		cmocka_unit_test(flat_has_a_row_if_it_is_below_90_percent_of_cum),
		cmocka_unit_test(a_chain_of_wrappers_is_one_row_named_after_the_function_nearest_the_leaf),
		cmocka_unit_test(a_chain_into_a_library_is_named_after_the_function_of_the_program),
		cmocka_unit_test(a_long_chain_is_not_merged_into_one_row),
		cmocka_unit_test(a_function_is_merged_with_the_first_similar_one),
		cmocka_unit_test(a_function_on_one_side_is_not_merged_with_one_on_both),
		cmocka_unit_test(a_slower_wrapper_is_not_merged_with_its_callee),
		cmocka_unit_test(a_renamed_function_is_added_to_its_new_name),
		cmocka_unit_test(the_total_has_a_row_only_if_the_work_is_known),
		cmocka_unit_test(gate_lines_select_tested_rows_and_others_are_reference),
		cmocka_unit_test(untested_rows_have_a_ratio_but_no_p_value),
		cmocka_unit_test(the_last_matching_limit_is_used),
		cmocka_unit_test(a_limit_line_can_match_functions_by_file),
		cmocka_unit_test(a_function_above_its_budget_has_a_row_below_min_share),
		cmocka_unit_test(files_of_the_base_come_first),
		cmocka_unit_test(one_file_per_side_has_no_values_per_file),
		cmocka_unit_test(empty_sums_have_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
