/*
 * test_flame_runs.c - the terminal cells of flame graph boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "front/shell/views/flame.h"

enum { MOST = 400 };

/* Children of the root with given widths, and the runs of their level. */
struct level {
	struct flame_layout l;
	struct arena *mem;
	struct flame_run run[MOST + 1];
	size_t n;
};

static void start(struct level *x, const int64_t *width, uint32_t n, int64_t span)
{
	*x = (struct level){ .mem = arena_new() };
	x->l = (struct flame_layout){ .n = n + 1, .n_levels = 2, .span = span };
	x->l.tile = arena_zalloc(x->mem, (size_t)n + 1, sizeof(*x->l.tile));
	x->l.tile[0].width = span;
	for (uint32_t i = 0; i < n; i++)
		x->l.tile[i + 1] = (struct flame_tile){
			.box = i + 1, .level = 1, .x = i ? x->l.tile[i].x + x->l.tile[i].width : 0, .width = width[i]
		};
}

static void draw(struct level *x, int columns)
{
	x->n = shell_flame_runs(&x->l, 1, x->l.n, 0, x->l.span, columns, x->run);
}

static void expect_run(const struct level *x, size_t i, int at, int width, int eighths, uint32_t tile, uint32_t n)
{
	assert_in_range(i, 0, x->n - 1);
	assert_int_equal(x->run[i].x, at);
	assert_int_equal(x->run[i].width, width);
	assert_int_equal(x->run[i].eighths, eighths);
	assert_int_equal(x->run[i].tile, tile);
	assert_int_equal(x->run[i].n, n);
}

#define LEVEL(x, span, ...)                                                                                            \
	do {                                                                                                           \
		const int64_t width_[] = { __VA_ARGS__ };                                                              \
		start(x, width_, sizeof(width_) / sizeof(width_[0]), span);                                            \
	} while (0)

static void boxes_take_their_share_of_the_cells(void **state)
{
	struct level x;

	(void)state;
	LEVEL(&x, 100, 50, 25, 25);
	draw(&x, 80);
	assert_int_equal(x.n, 3);
	expect_run(&x, 0, 0, 40, 0, 1, 1);
	expect_run(&x, 1, 40, 20, 0, 2, 1);
	expect_run(&x, 2, 60, 20, 0, 3, 1);
	arena_free(x.mem);
}

static void slivers_of_one_parent_are_joined_in_narrow_windows(void **state)
{
	const uint32_t parent[] = { FLAME_NONE, 0, 0, 0, 0, 0 }, two[] = { FLAME_NONE, 0, 0, 1, 2, 2 };
	const int64_t width[] = { 80, 40, 40, 1, 1, 1 };
	struct flame f = { .n = 6, .parent = parent, .width = width };
	struct level x;

	(void)state;
	LEVEL(&x, 80, 40, 1, 1, 1, 37);
	draw(&x, 80);
	assert_int_equal(x.n, 5);
	x.n = shell_flame_join(&f, &x.l, 80, 80, x.run, x.n);
	assert_int_equal(x.n, 3);
	expect_run(&x, 1, 40, 3, 0, 2, 3);
	assert_int_equal(x.run[1].end, 5);
	draw(&x, 100);
	assert_int_equal(shell_flame_join(&f, &x.l, 80, 100, x.run, x.n), x.n);
	f.parent = two; /* the second sliver has another parent than the first, and both parents are wide */
	draw(&x, 80);
	x.n = shell_flame_join(&f, &x.l, 80, 80, x.run, x.n);
	assert_int_equal(x.n, 5);
	arena_free(x.mem);
}

static void a_partial_last_cell_is_drawn_in_eighths_if_no_box_follows(void **state)
{
	struct level x;

	(void)state;
	LEVEL(&x, 100, 55, 20);
	draw(&x, 10);
	assert_int_equal(x.n, 2);
	expect_run(&x, 0, 0, 5, 0, 1, 1); /* the cell that both boxes share belongs to the second */
	expect_run(&x, 1, 5, 2, 4, 2, 1);
	arena_free(x.mem);
}

static void boxes_in_one_cell_are_one_run_named_after_the_widest(void **state)
{
	struct level x;

	(void)state;
	LEVEL(&x, 1000, 10, 30, 20, 5);
	draw(&x, 10);
	assert_int_equal(x.n, 1);
	expect_run(&x, 0, 0, 0, 5, 2, 4);
	arena_free(x.mem);
}

static void a_cell_belongs_to_the_box_that_extends_beyond_it(void **state)
{
	struct level x;

	(void)state;
	LEVEL(&x, 1000, 10, 20, 300);
	draw(&x, 10);
	assert_int_equal(x.n, 1);
	expect_run(&x, 0, 0, 3, 2, 3, 1);
	assert_int_equal(shell_flame_run_of(x.run, x.n, 1), 0); /* the narrow boxes are in the cell of this box */
	arena_free(x.mem);
}

static void the_smallest_box_has_an_eighth_of_a_cell(void **state)
{
	struct level x;

	(void)state;
	LEVEL(&x, 1000000, 1);
	draw(&x, 80);
	assert_int_equal(x.n, 1);
	expect_run(&x, 0, 0, 0, 1, 1, 1);
	arena_free(x.mem);
}

static void boxes_of_width_0_are_not_drawn(void **state)
{
	struct level x;

	(void)state;
	LEVEL(&x, 10, 0, 5, 0);
	draw(&x, 80);
	assert_int_equal(x.n, 1);
	expect_run(&x, 0, 0, 40, 0, 2, 1);
	arena_free(x.mem);
	LEVEL(&x, 0, 0);
	draw(&x, 80);
	assert_int_equal(x.n, 0);
	arena_free(x.mem);
}

static void the_largest_widths_do_not_overflow(void **state)
{
	struct level x;

	(void)state;
	LEVEL(&x, INT64_MAX, INT64_MAX / 2, INT64_MAX / 4);
	draw(&x, 400);
	assert_int_equal(x.n, 2);
	assert_int_equal(x.run[0].x, 0);
	assert_in_range(x.run[0].width, 199, 200);
	assert_in_range(x.run[1].x, 199, 200);
	assert_in_range(x.run[1].width, 99, 101);
	arena_free(x.mem);
}

/* Compare each run with the share of its boxes, on a screen of this many columns. */
static void expect_shares(const struct level *x, int columns)
{
	int behind = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct flame_run *r = &x->run[i];
		double cell = (double)columns / (double)x->l.span;
		double from = (double)x->l.tile[r->tile].x * cell, share = (double)x->l.tile[r->tile].width * cell;

		assert_in_range(r->x, behind, columns - 1);
		assert_in_range(r->width + (r->eighths > 0), 1, columns - r->x);
		behind = r->x + r->width + (r->eighths > 0);
		assert_in_range(r->eighths, 0, 7);
		if (r->width == 0) {
			assert_true(share < 1.001);
			continue;
		}
		assert_true(r->x <= from + 0.001 && from < r->x + 1);
		assert_true(r->width > share - 1 && r->width < share + 1);
	}
	assert_in_range(behind, 0, columns);
}

static void runs_are_at_most_a_cell_off_and_do_not_overlap(void **state)
{
	enum { ROUNDS = 2000, BOXES = 300 };
	int64_t width[BOXES];
	struct level x;

	(void)state;
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = 1 + (uint32_t)rand() % BOXES;
		int columns = 1 + rand() % MOST;
		int64_t sum = 0;

		for (uint32_t i = 0; i < n; i++) {
			int shift = rand() % 20;

			width[i] = 1 + rand() % (1 << shift);
			sum += width[i];
		}
		start(&x, width, n, sum + rand() % 1000);
		draw(&x, columns);
		expect_shares(&x, columns);
		for (uint32_t t = 1; t <= n; t++)
			assert_in_range(shell_flame_run_of(x.run, x.n, t), 0, x.n - 1);
		arena_free(x.mem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_take_their_share_of_the_cells),
		cmocka_unit_test(slivers_of_one_parent_are_joined_in_narrow_windows),
		cmocka_unit_test(a_partial_last_cell_is_drawn_in_eighths_if_no_box_follows),
		cmocka_unit_test(boxes_in_one_cell_are_one_run_named_after_the_widest),
		cmocka_unit_test(a_cell_belongs_to_the_box_that_extends_beyond_it),
		cmocka_unit_test(the_smallest_box_has_an_eighth_of_a_cell),
		cmocka_unit_test(boxes_of_width_0_are_not_drawn),
		cmocka_unit_test(the_largest_widths_do_not_overflow),
		cmocka_unit_test(runs_are_at_most_a_cell_off_and_do_not_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
