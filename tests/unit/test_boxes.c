/*
 * test_boxes.c - stacks folded into a tree of boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/boxes.h"

#include "base/pool.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

enum { ROOT = 0, BEFORE = SIDE_BASE, AFTER = SIDE_TARGET };

/* A profile folded into boxes. */
struct boxed {
	struct asked a;
	struct boxes_ask ask;
	struct boxes b;
};

/* Fold again, with what b->ask says now. */
static void box_again(struct boxed *x)
{
	struct err err;

	if (boxes_make(&x->a.v, &x->a.pl, &x->ask, x->a.mem, &x->b, &err) < 0)
		fail_msg("%s", err.msg);
}

static void box(struct boxed *x, struct make *m)
{
	*x = (struct boxed){ .a = ask_about(m), .ask.max_levels = 100 };
	ask(&x->a);
	box_again(x);
}

static void box_release(struct boxed *x)
{
	ask_release(&x->a);
}

static uint32_t find_child(const struct boxed *x, uint32_t parent, uint32_t place)
{
	for (uint32_t i = parent + 1; i < x->b.n; i++)
		if (x->b.parent[i] == parent && x->b.place[i] == place && !x->b.n_rest[i])
			return i;
	return BOXES_NONE;
}

/* The box at the end of a way "main;a;b", BOXES_NONE when there is none. */
static uint32_t find_box(const struct boxed *x, const char *way)
{
	uint32_t at = ROOT;

	while (*way && at != BOXES_NONE) {
		size_t n = strcspn(way, ";");
		char name[80] = "";

		memcpy(name, way, n);
		at = find_child(x, at, place_named(&x->a.pl, name));
		way += n;
		way += *way == ';';
	}
	return at;
}

static uint32_t box_at(const struct boxed *x, const char *way)
{
	uint32_t i = find_box(x, way);

	if (i == BOXES_NONE)
		fail_msg("no box %s", way);
	return i;
}

/* The rest among the children of a box. */
static uint32_t rest_of(const struct boxed *x, const char *way)
{
	uint32_t parent = box_at(x, way);

	for (uint32_t i = 0; i < x->b.n; i++)
		if (x->b.parent[i] == parent && x->b.n_rest[i])
			return i;
	return BOXES_NONE;
}

static void expect_box(const struct boxed *x, const char *way, int64_t self, int64_t total)
{
	uint32_t i = box_at(x, way);

	assert_int_equal(x->b.self[AFTER][i], self);
	assert_int_equal(x->b.total[AFTER][i], total);
	assert_int_equal(x->b.width[i], total);
}

static void expect_sides(const struct boxed *x, const char *way, int64_t before, int64_t after, int64_t width)
{
	uint32_t i = box_at(x, way);

	assert_int_equal(x->b.total[BEFORE][i], before);
	assert_int_equal(x->b.total[AFTER][i], after);
	assert_int_equal(x->b.width[i], width);
}

/* On each side self and children make the total, and they fill the width. */
static void expect_sums(const struct boxed *x)
{
	const struct boxes *b = &x->b;
	int64_t *sum[N_SIDES + 1];
	int n_sides = b->has_base ? N_SIDES : 1;

	for (int k = 0; k <= N_SIDES; k++)
		sum[k] = calloc(b->n, sizeof(int64_t));
	for (uint32_t i = b->n; i-- > 0;) {
		int64_t self = 0;

		for (int side = 0; side < n_sides; side++) {
			sum[side][i] += b->self[side][i];
			self = b->self[side][i] > self ? b->self[side][i] : self;
			assert_true(b->n_rest[i] || sum[side][i] == b->total[side][i]);
		}
		assert_true(b->n_rest[i] || sum[N_SIDES][i] + self == b->width[i]);
		if (i == ROOT)
			break;
		assert_in_range(b->parent[i], 0, i - 1);
		sum[N_SIDES][b->parent[i]] += b->width[i];
		for (int side = 0; side < n_sides; side++)
			sum[side][b->parent[i]] += b->total[side][i];
	}
	for (int k = 0; k <= N_SIDES; k++)
		free(sum[k]);
}

static void the_example_is_a_tree_that_adds_up(void **state)
{
	struct make m = make_example();
	struct boxed x;

	(void)state;
	box(&x, &m);
	assert_int_equal(x.b.n, 9);
	assert_int_equal(x.b.parent[ROOT], BOXES_NONE);
	assert_int_equal(x.b.place[ROOT], BOXES_NONE);
	assert_false(x.b.has_base);
	assert_null(x.b.total[BEFORE]);
	expect_box(&x, "", 0, 120);
	expect_box(&x, "main", 0, 120);
	expect_box(&x, "main;a", 0, 100);
	expect_box(&x, "main;a;b", 30, 100);
	expect_box(&x, "main;a;b;c", 50, 50);
	expect_box(&x, "main;a;b;a", 20, 20);
	expect_box(&x, "main;host;inl", 10, 10);
	expect_box(&x, "main;inl", 10, 10);
	expect_sums(&x);
	assert_int_equal(x.b.n_cut, 0);
	box_release(&x);
}

static void a_box_is_inlined_when_it_is_so_in_every_stack(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "g+f", 1);
	ROW(&m, "g;f", 2);
	ROW(&m, "h+f", 4);
	box(&x, &m);
	expect_box(&x, "f;g", 3, 3);
	assert_false(x.b.inlined[box_at(&x, "f;g")]);
	assert_true(x.b.inlined[box_at(&x, "f;h")]);
	assert_false(x.b.inlined[box_at(&x, "f")]);
	x.ask.inverted = true;
	box_again(&x);
	assert_true(x.b.inlined[box_at(&x, "h")]);
	assert_false(x.b.inlined[box_at(&x, "h;f")]);
	box_release(&x);
}

static void each_frame_of_a_recursion_is_a_box(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "f;f;f;main", 5);
	ROW(&m, "f;main", 2);
	box(&x, &m);
	assert_int_equal(x.b.n, 5);
	expect_box(&x, "main;f", 2, 7);
	expect_box(&x, "main;f;f", 0, 5);
	expect_box(&x, "main;f;f;f", 5, 5);
	box_release(&x);
}

static void a_stack_without_frames_is_the_root_itself(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "", 5);
	ROW(&m, "a", 3);
	box(&x, &m);
	assert_int_equal(x.b.n, 2);
	expect_box(&x, "", 5, 8);
	expect_box(&x, "a", 3, 3);
	box_release(&x);
}

static void locations_without_function_are_boxes_named_as_in_top(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "0x10=;main", 1);
	make_map(&m, "/usr/lib/libx.so");
	ROW(&m, "0x20=;main", 2);
	ROW(&m, "0x30=;main", 4);
	box(&x, &m);
	expect_box(&x, "main;<unknown>", 1, 1);
	expect_box(&x, "main;[libx.so]", 6, 6);
	box_release(&x);
}

static void without_values_there_is_only_the_root(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "b;a", 0);
	box(&x, &m);
	assert_int_equal(x.b.n, 1);
	expect_box(&x, "", 0, 0);
	box_release(&x);
}

static void an_inverted_tree_begins_with_the_leaves(void **state)
{
	struct make m = make_example();
	struct boxed x;

	(void)state;
	box(&x, &m);
	x.ask.inverted = true;
	box_again(&x);
	expect_box(&x, "", 0, 120);
	expect_box(&x, "c", 0, 50); /* its flat, in front of its callers */
	expect_box(&x, "c;b;a;main", 50, 50);
	expect_box(&x, "b;a;main", 30, 30);
	expect_box(&x, "a;b;a;main", 20, 20);
	expect_box(&x, "inl", 0, 20);
	expect_box(&x, "inl;host;main", 10, 10);
	expect_box(&x, "inl;main", 10, 10);
	expect_sums(&x);
	box_release(&x);
}

static void both_sides_have_their_place(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "grew;main", 30);
	ROW(&m, "grew;main", -10);
	ROW(&m, "shrank;main", 5);
	ROW(&m, "shrank;main", -7);
	ROW(&m, "new;main", 2);
	ROW(&m, "gone;main", -4);
	ROW(&m, "same;main", 1);
	ROW(&m, "same;main", -1);
	box(&x, &m);
	assert_true(x.b.has_base);
	expect_sides(&x, "main;grew", 10, 30, 30);
	expect_sides(&x, "main;shrank", 7, 5, 7);
	expect_sides(&x, "main;new", 0, 2, 2);
	expect_sides(&x, "main;gone", 4, 0, 4);
	expect_sides(&x, "main;same", 1, 1, 1);
	expect_sides(&x, "main", 22, 38, 44);
	expect_sides(&x, "", 22, 38, 44);
	expect_sums(&x);
	box_release(&x);
}

static void sides_that_cancel_in_a_box_still_fill_it(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "b;a", 10);
	ROW(&m, "c;a", -10);
	box(&x, &m);
	expect_sides(&x, "a", 10, 10, 20);
	x.ask.min_share = 1; /* of the larger side, which is 10 */
	box_again(&x);
	expect_sides(&x, "a;b", 0, 10, 10);
	expect_sides(&x, "a;c", 10, 0, 10);
	box_release(&x);
}

static void a_base_of_nothing_is_a_side_when_it_is_asked_for(void **state)
{
	struct make m = make_example();
	struct boxed x;

	(void)state;
	box(&x, &m);
	x.ask.two_sides = true;
	box_again(&x);
	assert_true(x.b.has_base);
	expect_sides(&x, "main;a", 0, 100, 100);
	expect_sums(&x);
	box_release(&x);
}

static void what_got_smaller_goes_with_drop_negative(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "grew;main", 30);
	ROW(&m, "grew;main", -10);
	ROW(&m, "leaf;shrank;main", 5);
	ROW(&m, "shrank;main", -7);
	ROW(&m, "same;main", 1);
	ROW(&m, "same;main", -1);
	box(&x, &m);
	x.ask.drop_negative = true;
	box_again(&x);
	assert_int_equal(find_box(&x, "main;shrank"), BOXES_NONE);
	assert_int_equal(x.b.n_lost, 1);
	assert_int_equal(x.b.n_cut, 0);
	expect_sides(&x, "main;grew", 10, 30, 30);
	expect_sides(&x, "main;same", 1, 1, 1);
	expect_sides(&x, "main", 18, 36, 31); /* its values are whole, its width is what is left to see */
	box_release(&x);
}

/* Ten functions below main: f1 has 1, f10 has 10; 55 together. */
static struct make make_stairs(void)
{
	struct make m = make_start("samples/count");
	char stack[] = "f0;main";

	for (int i = 1; i <= 9; i++) {
		stack[1] = (char)('0' + i);
		ROW(&m, stack, i);
	}
	ROW(&m, "g;main", 10);
	return m;
}

static void what_is_too_small_is_counted_and_stood_for_by_one_box(void **state)
{
	struct make m = make_stairs();
	struct boxed x;
	uint32_t rest;

	(void)state;
	box(&x, &m);
	x.ask.min_share = 4.5 / 55; /* so 5 is the least */
	box_again(&x);
	assert_int_equal(x.b.min, 5);
	assert_int_not_equal(find_box(&x, "main;f5"), BOXES_NONE);
	assert_int_equal(find_box(&x, "main;f4"), BOXES_NONE);
	assert_int_equal(x.b.n_cut, 4);
	assert_int_equal(x.b.cut_width, 10);
	rest = rest_of(&x, "main");
	assert_int_equal(rest, x.b.n - 1);
	assert_int_equal(x.b.n_rest[rest], 4);
	assert_int_equal(x.b.total[AFTER][rest], 10);
	assert_int_equal(x.b.place[rest], BOXES_NONE);
	expect_sums(&x);
	box_release(&x);
}

/* Two ways of 60 and 40, each with ten small callees. */
static struct make make_two_ways(void)
{
	struct make m = make_start("samples/count");
	char stack[40];

	for (int i = 1; i <= 10; i++) {
		snprintf(stack, sizeof(stack), "f%d;a;main", i);
		ROW(&m, stack, i < 10 ? i : 15);
		snprintf(stack, sizeof(stack), "f%d;b;main", i);
		ROW(&m, stack, 4);
	}
	return m;
}

static void of_a_way_there_is_nothing_but_what_it_leads_to(void **state)
{
	struct make m = make_two_ways();
	struct boxed x;
	uint32_t way[2];

	(void)state;
	box(&x, &m);
	way[0] = place_named(&x.a.pl, "main");
	way[1] = place_named(&x.a.pl, "b");
	x.ask.min_share = 0.06;
	box_again(&x);
	assert_int_equal(find_box(&x, "main;b;f1"), BOXES_NONE);
	x.ask.min_share = 0;
	x.ask.way = way;
	x.ask.n_way = 2;
	x.ask.way_share = 0.1; /* of 40, so that 4 is just enough */
	box_again(&x);
	expect_box(&x, "main;b", 0, 40);
	expect_box(&x, "main;b;f1", 4, 4);
	expect_box(&x, "main;b;f10", 4, 4);
	assert_int_equal(find_box(&x, "main;a"), BOXES_NONE);
	assert_int_equal(x.b.width[rest_of(&x, "main")], 60);
	assert_int_equal(x.b.min, 4);
	expect_sums(&x);
	x.ask.way_share = 0.11;
	box_again(&x);
	assert_int_equal(find_box(&x, "main;b;f1"), BOXES_NONE);
	assert_int_equal(x.b.width[rest_of(&x, "main;b")], 40);
	box_release(&x);
}

static void a_way_that_leads_nowhere_ends_where_it_does(void **state)
{
	struct make m = make_two_ways();
	struct boxed x;
	uint32_t way[2];

	(void)state;
	box(&x, &m);
	way[0] = way[1] = place_named(&x.a.pl, "main");
	x.ask.way = way;
	x.ask.n_way = 2;
	box_again(&x);
	assert_int_equal(x.b.width[box_at(&x, "main")], 100);
	assert_int_equal(x.b.n_rest[rest_of(&x, "main")], 2);
	assert_int_equal(x.b.n, 3);
	box_release(&x);
}

static void a_limit_counts_what_lies_below_a_way(void **state)
{
	struct make m = make_two_ways();
	struct boxed x;
	uint32_t way[2];

	(void)state;
	box(&x, &m);
	way[0] = place_named(&x.a.pl, "main");
	way[1] = place_named(&x.a.pl, "a");
	x.ask.way = way;
	x.ask.n_way = 2;
	x.ask.max_boxes = 2;
	box_again(&x);
	expect_box(&x, "main;a;f10", 15, 15);
	expect_box(&x, "main;a;f9", 9, 9);
	assert_int_equal(find_box(&x, "main;a;f8"), BOXES_NONE);
	assert_true(x.b.is_full);
	box_release(&x);
}

static void a_share_is_met_by_what_has_just_that(void **state)
{
	struct make m = make_stairs();
	struct boxed x;

	(void)state;
	box(&x, &m);
	x.ask.min_share = 10.0 / 55;
	box_again(&x);
	assert_int_equal(x.b.min, 10);
	assert_int_not_equal(find_box(&x, "main;g"), BOXES_NONE);
	assert_int_equal(x.b.n_cut, 9);
	box_release(&x);
}

static void a_rest_that_is_too_small_itself_is_no_box_but_keeps_its_place(void **state)
{
	struct make m = make_stairs();
	struct boxed x;

	(void)state;
	box(&x, &m);
	x.ask.min_share = 3.5 / 55; /* 1, 2 and 3 are together 6: a box */
	box_again(&x);
	assert_int_equal(x.b.total[AFTER][rest_of(&x, "main")], 6);
	x.ask.min_share = 1.5 / 55; /* 1 alone is not */
	box_again(&x);
	assert_int_equal(rest_of(&x, "main"), BOXES_NONE);
	assert_int_equal(x.b.n_cut, 1);
	assert_int_equal(x.b.cut_width, 1);
	expect_box(&x, "main", 0, 55);
	box_release(&x);
}

static void deeper_levels_are_left_out(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;
	uint32_t rest;

	(void)state;
	ROW(&m, "d;c;b;a", 3);
	ROW(&m, "e;b;a", 4);
	ROW(&m, "b;a", 5);
	box(&x, &m);
	x.ask.max_levels = 2;
	box_again(&x);
	assert_int_equal(x.b.n, 4); /* with root and rest */
	expect_box(&x, "a;b", 5, 12);
	rest = rest_of(&x, "a;b");
	assert_int_equal(x.b.n_rest[rest], 2);
	assert_int_equal(x.b.total[AFTER][rest], 7);
	assert_int_equal(x.b.n_cut, 2);
	x.ask.max_levels = 0;
	box_again(&x);
	assert_int_equal(x.b.n, 2);
	assert_int_equal(x.b.n_rest[1], 1);
	box_release(&x);
}

/* A stack of n frames, all of one function. */
static struct profile *make_deep(uint32_t n)
{
	struct make m = make_start("samples/count");
	uint32_t *loc = calloc(n, sizeof(*loc));
	const int64_t one = 1;

	make_location(&m, "f", 1);
	builder_sample(m.b, &one, loc, n, NULL, 0, NULL);
	free(loc);
	return make_end(&m);
}

static void a_stack_of_a_million_frames_costs_no_more_than_its_levels(void **state)
{
	struct boxed x = { .a = { .p = make_deep(1000000), .mem = arena_new() }, .ask.max_levels = 2000 };

	(void)state;
	query_init(&x.a.q);
	ask(&x.a);
	for (int inverted = 0; inverted < 2; inverted++) {
		x.ask.inverted = inverted;
		box_again(&x);
		assert_int_equal(x.b.n, 2002);
		assert_int_equal(x.b.n_rest[2001], 1);
		assert_int_equal(x.b.n_cut, 1);
		assert_int_equal(x.b.width[2000], 1);
	}
	box_release(&x);
}

static void the_largest_boxes_are_kept(void **state)
{
	struct make m = make_stairs();
	struct boxed x;

	(void)state;
	box(&x, &m);
	x.ask.max_boxes = 4; /* main, g, f9, f8 */
	box_again(&x);
	assert_int_equal(x.b.n, 6);
	assert_int_not_equal(find_box(&x, "main;f8"), BOXES_NONE);
	assert_int_equal(find_box(&x, "main;f7"), BOXES_NONE);
	assert_int_equal(x.b.n_rest[rest_of(&x, "main")], 7);
	assert_int_equal(x.b.n_cut, 7);
	assert_int_equal(x.b.cut_width, 28);
	assert_int_equal(x.b.n_deep, 0);
	assert_true(x.b.is_full);
	expect_sums(&x);
	x.ask.max_boxes = 11; /* all */
	box_again(&x);
	assert_false(x.b.is_full);
	assert_int_equal(x.b.n_cut, 0);
	x.ask.max_boxes = 1;
	box_again(&x);
	assert_int_equal(x.b.n, 3);
	box_release(&x);
}

static void of_equal_boxes_those_nearest_to_the_root_are_kept_then_the_first(void **state)
{
	struct make m = make_start("samples/count");
	struct boxed x;

	(void)state;
	ROW(&m, "c;b;a", 5);
	ROW(&m, "f;e;d", 5);
	ROW(&m, "i;h;g", 5);
	box(&x, &m);
	x.ask.max_boxes = 5;
	box_again(&x);
	assert_int_not_equal(find_box(&x, "a;b"), BOXES_NONE);
	assert_int_not_equal(find_box(&x, "d;e"), BOXES_NONE);
	assert_int_not_equal(find_box(&x, "g"), BOXES_NONE);
	assert_int_equal(find_box(&x, "g;h"), BOXES_NONE);
	assert_int_equal(find_box(&x, "a;b;c"), BOXES_NONE);
	expect_sums(&x);
	box_release(&x);
}

static void a_limit_and_a_least_share_hold_together(void **state)
{
	struct make m = make_stairs();
	struct boxed x;

	(void)state;
	box(&x, &m);
	x.ask.min_share = 7.0 / 55;
	x.ask.max_boxes = 10;
	box_again(&x);
	assert_int_equal(x.b.n_cut, 6);
	x.ask.max_boxes = 2;
	box_again(&x);
	assert_int_equal(x.b.n_cut, 9);
	box_release(&x);
}

static void values_near_the_end_of_64_bits_do_not_wrap(void **state)
{
	struct make m = make_start("samples/count");
	const int64_t half = INT64_MAX / 2;
	struct boxed x;

	(void)state;
	ROW(&m, "b;a", half);
	ROW(&m, "c;a", -half);
	ROW(&m, "d;a", 1);
	box(&x, &m);
	expect_sides(&x, "", half, half + 1, INT64_MAX);
	expect_sums(&x);
	box_release(&x);
	m = make_start("samples/count");
	ROW(&m, "a", half);
	box(&x, &m);
	x.ask.min_share = 1; /* the root's size as a double is more than the root's size */
	box_again(&x);
	assert_int_equal(x.b.min, half);
	expect_box(&x, "a", half, half);
	x.ask.min_share = 1e300;
	box_again(&x);
	assert_int_not_equal(find_box(&x, "a"), BOXES_NONE);
	x.ask.min_share = -1;
	box_again(&x);
	assert_int_equal(x.b.min, 1);
	box_release(&x);
}

/* So many stacks of n frames, apart from the root on. */
static struct profile *make_broom(uint32_t stacks, uint32_t n)
{
	struct make m = make_start("samples/count");
	uint32_t *loc = calloc(n, sizeof(*loc));
	const int64_t one = 1;

	make_location(&m, "f", 1);
	for (uint32_t s = 0; s < stacks; s++) {
		char name[20];
		int len = snprintf(name, sizeof(name), "f%u", s);

		loc[n - 1] = make_location(&m, name, (size_t)len);
		builder_sample(m.b, &one, loc, n, NULL, 0, NULL);
	}
	free(loc);
	return make_end(&m);
}

static void more_boxes_than_can_be_drawn_are_refused_unless_a_number_is_asked_for(void **state)
{
	struct boxed x = { .a = { .p = make_broom(BOXES_MAX / 2000 + 1, 2000), .mem = arena_new() },
			   .ask.max_levels = 2000 };
	struct err err;

	(void)state;
	query_init(&x.a.q);
	ask(&x.a);
	assert_int_equal(boxes_make(&x.a.v, &x.a.pl, &x.ask, x.a.mem, &x.b, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "more than 4194304 boxes; -nodecount=N keeps the N widest");
	x.ask.max_boxes = 5000;
	box_again(&x);
	assert_in_range(x.b.n, 5001, 10001);
	assert_int_equal(x.b.total[AFTER][ROOT], BOXES_MAX / 2000 + 1);
	box_release(&x);
}

static void a_mean_is_refused(void **state)
{
	struct make m = make_start("samples/count delay/ms");
	struct boxed x = { 0 };
	struct err err;

	(void)state;
	ROW(&m, "a", 2, 10);
	x.a = ask_about(&m);
	x.a.q.mean = true;
	ask(&x.a);
	assert_int_equal(boxes_make(&x.a.v, &x.a.pl, &x.ask, x.a.mem, &x.b, &err), ERR_USAGE);
	assert_string_equal(err.msg, "-mean has no meaning for flame: averages do not add up");
	box_release(&x);
}

/* Many stacks, of pseudo-random frames out of few. */
static struct make make_many(void)
{
	struct make m = make_start("samples/count");
	uint32_t seed = 1;

	for (int i = 0; i < 60000; i++) {
		char stack[40] = "";
		size_t n = 0;

		for (int depth = 0; depth < 8; depth++) {
			seed = seed * 1664525 + 1013904223;
			stack[n++] = (char)('a' + (seed >> 24) % 5);
			stack[n++] = seed >> 31 ? ';' : '+';
		}
		stack[n - 1] = 0;
		ROW(&m, stack, (int64_t)(seed % 7) - 2);
	}
	return m;
}

static void boxes_do_not_depend_on_the_number_of_threads(void **state)
{
	struct make m = make_many();
	struct boxed x;
	struct boxes one;

	(void)state;
	pool_set_size(1);
	box(&x, &m);
	one = x.b;
	assert_in_range(one.n, 50000, 10000000);
	expect_sums(&x);
	for (unsigned n = 2; n <= 5; n++) {
		pool_set_size(n);
		box_again(&x);
		assert_int_equal(x.b.n, one.n);
		assert_memory_equal(x.b.parent, one.parent, one.n * sizeof(*one.parent));
		assert_memory_equal(x.b.place, one.place, one.n * sizeof(*one.place));
		assert_memory_equal(x.b.inlined, one.inlined, one.n * sizeof(*one.inlined));
		assert_memory_equal(x.b.width, one.width, one.n * sizeof(*one.width));
		for (int side = 0; side < N_SIDES; side++) {
			assert_memory_equal(x.b.self[side], one.self[side], one.n * sizeof(int64_t));
			assert_memory_equal(x.b.total[side], one.total[side], one.n * sizeof(int64_t));
		}
	}
	pool_set_size(0);
	box_release(&x);
}

static void expect_place_sums(const struct asked *a, const struct boxes_sums *s, const char *name, enum side side,
			      int64_t self, int64_t total)
{
	uint32_t place = place_named(&a->pl, name);

	assert_int_equal(s->self[side][place], self);
	assert_int_equal(s->total[side][place], total);
}

static void a_place_counts_once_a_stack_and_has_its_leaves(void **state)
{
	struct make m = make_example();
	struct asked a = ask_about(&m);
	struct boxes_sums s;

	(void)state;
	ask(&a);
	boxes_sum(&a.v, &a.pl, a.mem, &s);
	expect_place_sums(&a, &s, "main", SIDE_TARGET, 0, 120);
	expect_place_sums(&a, &s, "a", SIDE_TARGET, 20, 100);
	expect_place_sums(&a, &s, "b", SIDE_TARGET, 30, 100);
	expect_place_sums(&a, &s, "c", SIDE_TARGET, 50, 50);
	expect_place_sums(&a, &s, "inl", SIDE_TARGET, 20, 20);
	expect_place_sums(&a, &s, "host", SIDE_TARGET, 0, 10);
	for (uint32_t i = 0; i < a.pl.n; i++) {
		assert_int_equal(s.self[SIDE_TARGET][i], a.g.flat[SIDE_TARGET][i]);
		assert_int_equal(s.total[SIDE_TARGET][i], a.g.cum[SIDE_TARGET][i]);
		assert_int_equal(s.total[SIDE_BASE][i], 0);
	}
	ask_release(&a);
}

static void what_is_below_0_is_the_base_and_does_not_cancel(void **state)
{
	struct make m = make_start("cpu/milliseconds");
	struct asked a;
	struct boxes_sums s;

	(void)state;
	ROW(&m, "leaf;main", 30);
	ROW(&m, "leaf;main", -10);
	ROW(&m, "old;main", -5);
	a = ask_about(&m);
	ask(&a);
	boxes_sum(&a.v, &a.pl, a.mem, &s);
	expect_place_sums(&a, &s, "leaf", SIDE_TARGET, 30, 30);
	expect_place_sums(&a, &s, "leaf", SIDE_BASE, 10, 10);
	expect_place_sums(&a, &s, "old", SIDE_TARGET, 0, 0);
	expect_place_sums(&a, &s, "old", SIDE_BASE, 5, 5);
	expect_place_sums(&a, &s, "main", SIDE_BASE, 0, 15);
	ask_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_is_a_tree_that_adds_up),
		cmocka_unit_test(a_box_is_inlined_when_it_is_so_in_every_stack),
		cmocka_unit_test(each_frame_of_a_recursion_is_a_box),
		cmocka_unit_test(a_stack_without_frames_is_the_root_itself),
		cmocka_unit_test(locations_without_function_are_boxes_named_as_in_top),
		cmocka_unit_test(without_values_there_is_only_the_root),
		cmocka_unit_test(an_inverted_tree_begins_with_the_leaves),
		cmocka_unit_test(both_sides_have_their_place),
		cmocka_unit_test(sides_that_cancel_in_a_box_still_fill_it),
		cmocka_unit_test(a_base_of_nothing_is_a_side_when_it_is_asked_for),
		cmocka_unit_test(what_got_smaller_goes_with_drop_negative),
		cmocka_unit_test(what_is_too_small_is_counted_and_stood_for_by_one_box),
		cmocka_unit_test(of_a_way_there_is_nothing_but_what_it_leads_to),
		cmocka_unit_test(a_way_that_leads_nowhere_ends_where_it_does),
		cmocka_unit_test(a_limit_counts_what_lies_below_a_way),
		cmocka_unit_test(a_share_is_met_by_what_has_just_that),
		cmocka_unit_test(a_rest_that_is_too_small_itself_is_no_box_but_keeps_its_place),
		cmocka_unit_test(deeper_levels_are_left_out),
		cmocka_unit_test(a_stack_of_a_million_frames_costs_no_more_than_its_levels),
		cmocka_unit_test(the_largest_boxes_are_kept),
		cmocka_unit_test(of_equal_boxes_those_nearest_to_the_root_are_kept_then_the_first),
		cmocka_unit_test(a_limit_and_a_least_share_hold_together),
		cmocka_unit_test(values_near_the_end_of_64_bits_do_not_wrap),
		cmocka_unit_test(more_boxes_than_can_be_drawn_are_refused_unless_a_number_is_asked_for),
		cmocka_unit_test(a_mean_is_refused),
		cmocka_unit_test(boxes_do_not_depend_on_the_number_of_threads),
		cmocka_unit_test(a_place_counts_once_a_stack_and_has_its_leaves),
		cmocka_unit_test(what_is_below_0_is_the_base_and_does_not_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
