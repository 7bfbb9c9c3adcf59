/*
 * test_boxes.c - fold stacks into a tree of boxes
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

enum { ROOT = 0, BEFORE = SIDE_BASE, AFTER = SIDE_NEW };

/* A profile folded into boxes. */
struct box_fixture {
	struct graph_fixture a;
	struct boxes_options options;
	struct boxes b;
};

/* Fold again, with the current options. */
static void box_fixture_rerun(struct box_fixture *x)
{
	struct err err;

	if (boxes_make(&x->a.v, &x->a.pl, &x->options, x->a.mem, &x->b, &err) < 0)
		fail_msg("%s", err.msg);
}

static void box_fixture_run(struct box_fixture *x, struct make *m)
{
	*x = (struct box_fixture){ .a = graph_fixture_start(m), .options.max_levels = 100 };
	graph_fixture_run(&x->a);
	box_fixture_rerun(x);
}

static void box_fixture_release(struct box_fixture *x)
{
	graph_fixture_release(&x->a);
}

static uint32_t find_child(const struct box_fixture *x, uint32_t parent, uint32_t place)
{
	for (uint32_t i = parent + 1; i < x->b.n; i++)
		if (x->b.parent[i] == parent && x->b.place[i] == place && !x->b.n_rest[i])
			return i;
	return BOXES_NONE;
}

/* The box at the end of a path such as "main;a;b"; BOXES_NONE if there is none. */
static uint32_t find_box(const struct box_fixture *x, const char *path)
{
	uint32_t at = ROOT;

	while (*path && at != BOXES_NONE) {
		size_t n = strcspn(path, ";");
		char name[80] = "";

		memcpy(name, path, n);
		at = find_child(x, at, place_named(&x->a.pl, name));
		path += n;
		path += *path == ';';
	}
	return at;
}

static uint32_t box_at(const struct box_fixture *x, const char *path)
{
	uint32_t i = find_box(x, path);

	if (i == BOXES_NONE)
		fail_msg("no box %s", path);
	return i;
}

/* The child of a box that replaces small boxes. */
static uint32_t rest_of(const struct box_fixture *x, const char *path)
{
	uint32_t parent = box_at(x, path);

	for (uint32_t i = 0; i < x->b.n; i++)
		if (x->b.parent[i] == parent && x->b.n_rest[i])
			return i;
	return BOXES_NONE;
}

static void expect_box(const struct box_fixture *x, const char *path, int64_t self, int64_t total)
{
	uint32_t i = box_at(x, path);

	assert_int_equal(x->b.self[AFTER][i], self);
	assert_int_equal(x->b.total[AFTER][i], total);
	assert_int_equal(x->b.width[i], total);
}

static void expect_sides(const struct box_fixture *x, const char *path, int64_t before, int64_t after, int64_t width)
{
	uint32_t i = box_at(x, path);

	assert_int_equal(x->b.total[BEFORE][i], before);
	assert_int_equal(x->b.total[AFTER][i], after);
	assert_int_equal(x->b.width[i], width);
}

/* Check on each side that self and children add up to the total, and that they fill the width. */
static void expect_sums(const struct box_fixture *x)
{
	const struct boxes *b = &x->b;
	int64_t *sum[N_SIDES + 1];
	int first = b->has_base ? SIDE_BASE : SIDE_NEW;

	for (int k = 0; k <= N_SIDES; k++)
		sum[k] = calloc(b->n, sizeof(int64_t));
	for (uint32_t i = b->n; i-- > 0;) {
		int64_t self = 0;

		for (int side = first; side < N_SIDES; side++) {
			sum[side][i] += b->self[side][i];
			self = b->self[side][i] > self ? b->self[side][i] : self;
			assert_true(b->n_rest[i] || sum[side][i] == b->total[side][i]);
		}
		assert_true(b->n_rest[i] || sum[N_SIDES][i] + self == b->width[i]);
		if (i == ROOT)
			break;
		assert_in_range(b->parent[i], 0, i - 1);
		sum[N_SIDES][b->parent[i]] += b->width[i];
		for (int side = first; side < N_SIDES; side++)
			sum[side][b->parent[i]] += b->total[side][i];
	}
	for (int k = 0; k <= N_SIDES; k++)
		free(sum[k]);
}

static void values_of_the_example_tree_add_up(void **state)
{
	struct make m = make_example();
	struct box_fixture x;

	(void)state;
	box_fixture_run(&x, &m);
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
	box_fixture_release(&x);
}

/* As a reader adds the first stack of the example again, if it does not find equal stacks. */
static void add_first_stack_again(struct make *m, int64_t value)
{
	const uint32_t loc[] = { 0, 1, 2, 3 };
	struct builder_rows rows;
	uint32_t stack;

	assert_int_equal(builder_stack_append(m->b, loc, 4, &stack, NULL), 0);
	assert_int_equal(builder_rows(m->b, 1, &rows, NULL), 0);
	rows.stack[0] = stack;
	rows.labels[0] = 0;
	builder_values(m->b, 0)[rows.first] = value;
}

static void stacks_with_two_ids_are_in_one_box(void **state)
{
	struct make m = make_example();
	struct box_fixture x;

	(void)state;
	add_first_stack_again(&m, 7);
	box_fixture_run(&x, &m);
	assert_int_equal(x.a.p->stacks.n, 6);
	assert_int_equal(x.b.n, 9);
	expect_box(&x, "main;a;b", 30, 107);
	expect_box(&x, "main;a;b;c", 57, 57);
	expect_sums(&x);
	box_fixture_release(&x);
}

static void a_box_is_inlined_if_it_is_inlined_in_every_stack(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "g+f", 1);
	ROW(&m, "g;f", 2);
	ROW(&m, "h+f", 4);
	box_fixture_run(&x, &m);
	expect_box(&x, "f;g", 3, 3);
	assert_false(x.b.inlined[box_at(&x, "f;g")]);
	assert_true(x.b.inlined[box_at(&x, "f;h")]);
	assert_false(x.b.inlined[box_at(&x, "f")]);
	x.options.parts.inverted = true;
	box_fixture_rerun(&x);
	assert_true(x.b.inlined[box_at(&x, "h")]);
	assert_false(x.b.inlined[box_at(&x, "h;f")]);
	box_fixture_release(&x);
}

static void each_frame_of_a_recursion_is_a_box(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "f;f;f;main", 5);
	ROW(&m, "f;main", 2);
	box_fixture_run(&x, &m);
	assert_int_equal(x.b.n, 5);
	expect_box(&x, "main;f", 2, 7);
	expect_box(&x, "main;f;f", 0, 5);
	expect_box(&x, "main;f;f;f", 5, 5);
	box_fixture_release(&x);
}

static void a_stack_without_frames_counts_for_the_root(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "", 5);
	ROW(&m, "a", 3);
	box_fixture_run(&x, &m);
	assert_int_equal(x.b.n, 2);
	expect_box(&x, "", 5, 8);
	expect_box(&x, "a", 3, 3);
	box_fixture_release(&x);
}

static void locations_without_function_are_named_as_in_top(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "0x10=;main", 1);
	make_map(&m, "/usr/lib/libx.so");
	ROW(&m, "0x20=;main", 2);
	ROW(&m, "0x30=;main", 4);
	box_fixture_run(&x, &m);
	expect_box(&x, "main;<unknown>", 1, 1);
	expect_box(&x, "main;[libx.so]", 6, 6);
	box_fixture_release(&x);
}

static void a_profile_without_values_has_only_the_root(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "b;a", 0);
	box_fixture_run(&x, &m);
	assert_int_equal(x.b.n, 1);
	expect_box(&x, "", 0, 0);
	box_fixture_release(&x);
}

static void an_inverted_tree_starts_at_the_leaves(void **state)
{
	struct make m = make_example();
	struct box_fixture x;

	(void)state;
	box_fixture_run(&x, &m);
	x.options.parts.inverted = true;
	box_fixture_rerun(&x);
	expect_box(&x, "", 0, 120);
	expect_box(&x, "c", 0, 50); /* the flat of c, before its callers */
	expect_box(&x, "c;b;a;main", 50, 50);
	expect_box(&x, "b;a;main", 30, 30);
	expect_box(&x, "a;b;a;main", 20, 20);
	expect_box(&x, "inl", 0, 20);
	expect_box(&x, "inl;host;main", 10, 10);
	expect_box(&x, "inl;main", 10, 10);
	expect_sums(&x);
	box_fixture_release(&x);
}

/* Mark the places with these names. */
static bool *mark_places(struct box_fixture *x, const char *first, const char *second)
{
	bool *marks = arena_zalloc(x->a.mem, x->a.pl.n, sizeof(*marks));

	marks[place_named(&x->a.pl, first)] = marks[place_named(&x->a.pl, second)] = true;
	return marks;
}

static void a_pivot_has_callees_and_callers(void **state)
{
	struct make m = make_example();
	struct box_fixture x;

	(void)state;
	box_fixture_run(&x, &m);
	x.options.parts = (struct parts_options){ .of = PARTS_OF_CALLEES, .pivot = mark_places(&x, "a", "a") };
	box_fixture_rerun(&x);
	expect_box(&x, "", 0, 100); /* a recursive call counts once, from the outermost one */
	expect_box(&x, "a;b;c", 50, 50);
	expect_box(&x, "a;b;a", 20, 20);
	expect_sums(&x);
	x.options.parts.of = PARTS_OF_CALLERS;
	x.options.parts.inverted = true;
	box_fixture_rerun(&x);
	expect_box(&x, "", 0, 100);
	expect_box(&x, "main", 100, 100);
	assert_int_equal(x.b.n, 2);
	box_fixture_release(&x);
}

static void a_pivot_can_be_an_inlined_call_or_several_functions(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "leaf;c+b+a;main", 7);
	ROW(&m, "c;main", 2);
	ROW(&m, "main", 1);
	box_fixture_run(&x, &m);
	x.options.parts = (struct parts_options){ .of = PARTS_OF_CALLEES, .pivot = mark_places(&x, "b", "c") };
	box_fixture_rerun(&x);
	expect_box(&x, "", 0, 9);
	expect_box(&x, "b;c;leaf", 7, 7);
	expect_box(&x, "c", 2, 2);
	x.options.parts.of = PARTS_OF_CALLERS;
	x.options.parts.inverted = true;
	box_fixture_rerun(&x);
	expect_box(&x, "", 0, 9);
	expect_box(&x, "a;main", 7, 7);
	expect_box(&x, "main", 2, 2);
	box_fixture_release(&x);
}

static void boxes_that_lead_to_a_frame_to_keep_are_not_omitted(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "wide;main", 1000);
	ROW(&m, "below;keep;narrow;main", 1);
	ROW(&m, "other;main", 1);
	box_fixture_run(&x, &m);
	x.options.min_share = 0.5;
	for (int inverted = 0; inverted < 2; inverted++) {
		x.options.parts =
			(struct parts_options){ .inverted = inverted, .keep = mark_places(&x, "keep", "keep") };
		box_fixture_rerun(&x);
		expect_box(&x, "", 0, 1002);
		assert_int_equal(find_box(&x, inverted ? "other" : "main;other"), BOXES_NONE);
		assert_int_not_equal(find_box(&x, inverted ? "below;keep" : "main;narrow;keep"), BOXES_NONE);
		assert_int_equal(find_box(&x, inverted ? "below;keep;narrow" : "main;narrow;keep;below"), BOXES_NONE);
	}
	box_fixture_release(&x);
}

static void both_sides_have_values_and_width(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "grew;main", 30);
	ROW(&m, "grew;main", -10);
	ROW(&m, "shrank;main", 5);
	ROW(&m, "shrank;main", -7);
	ROW(&m, "new;main", 2);
	ROW(&m, "gone;main", -4);
	ROW(&m, "same;main", 1);
	ROW(&m, "same;main", -1);
	box_fixture_run(&x, &m);
	assert_true(x.b.has_base);
	expect_sides(&x, "main;grew", 10, 30, 30);
	expect_sides(&x, "main;shrank", 7, 5, 7);
	expect_sides(&x, "main;new", 0, 2, 2);
	expect_sides(&x, "main;gone", 4, 0, 4);
	expect_sides(&x, "main;same", 1, 1, 1);
	expect_sides(&x, "main", 22, 38, 44);
	expect_sides(&x, "", 22, 38, 44);
	expect_sums(&x);
	box_fixture_release(&x);
}

static void sides_that_cancel_still_have_width(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "b;a", 10);
	ROW(&m, "c;a", -10);
	box_fixture_run(&x, &m);
	expect_sides(&x, "a", 10, 10, 20);
	x.options.min_share = 1; /* a share of the larger side, which is 10 */
	box_fixture_rerun(&x);
	expect_sides(&x, "a;b", 0, 10, 10);
	expect_sides(&x, "a;c", 10, 0, 10);
	box_fixture_release(&x);
}

static void an_empty_base_is_filled_in_on_request(void **state)
{
	struct make m = make_example();
	struct box_fixture x;

	(void)state;
	box_fixture_run(&x, &m);
	x.options.wants_base = true;
	box_fixture_rerun(&x);
	assert_true(x.b.has_base);
	expect_sides(&x, "main;a", 0, 100, 100);
	expect_sums(&x);
	box_fixture_release(&x);
}

static void drop_negative_omits_boxes_that_got_smaller(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "grew;main", 30);
	ROW(&m, "grew;main", -10);
	ROW(&m, "leaf;shrank;main", 5);
	ROW(&m, "shrank;main", -7);
	ROW(&m, "same;main", 1);
	ROW(&m, "same;main", -1);
	box_fixture_run(&x, &m);
	x.options.drop_negative = true;
	box_fixture_rerun(&x);
	assert_int_equal(find_box(&x, "main;shrank"), BOXES_NONE);
	assert_int_equal(x.b.n_shrunk, 1);
	assert_int_equal(x.b.n_cut, 0);
	expect_sides(&x, "main;grew", 10, 30, 30);
	expect_sides(&x, "main;same", 1, 1, 1);
	expect_sides(&x, "main", 18, 36, 31); /* values include omitted boxes, the width does not */
	box_fixture_release(&x);
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

static void small_boxes_are_counted_and_replaced_by_one_rest_box(void **state)
{
	struct make m = make_stairs();
	struct box_fixture x;
	uint32_t rest;

	(void)state;
	box_fixture_run(&x, &m);
	x.options.min_share = 4.5 / 55; /* so the minimum is 5 */
	box_fixture_rerun(&x);
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
	box_fixture_release(&x);
}

/* Two paths of 60 and 40, each with ten small callees. */
static struct make make_two_paths(void)
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

static void a_path_shows_only_its_boxes_and_those_below_its_end(void **state)
{
	struct make m = make_two_paths();
	struct box_fixture x;
	uint32_t path[2];

	(void)state;
	box_fixture_run(&x, &m);
	path[0] = place_named(&x.a.pl, "main");
	path[1] = place_named(&x.a.pl, "b");
	x.options.min_share = 0.06;
	box_fixture_rerun(&x);
	assert_int_equal(find_box(&x, "main;b;f1"), BOXES_NONE);
	x.options.min_share = 0;
	x.options.path = path;
	x.options.n_path = 2;
	x.options.path_share = 0.1; /* 10 % of 40, so 4 is just enough */
	box_fixture_rerun(&x);
	expect_box(&x, "main;b", 0, 40);
	expect_box(&x, "main;b;f1", 4, 4);
	expect_box(&x, "main;b;f10", 4, 4);
	assert_int_equal(find_box(&x, "main;a"), BOXES_NONE);
	assert_int_equal(x.b.width[rest_of(&x, "main")], 60);
	assert_int_equal(x.b.min, 4);
	expect_sums(&x);
	x.options.path_share = 0.11;
	box_fixture_rerun(&x);
	assert_int_equal(find_box(&x, "main;b;f1"), BOXES_NONE);
	assert_int_equal(x.b.width[rest_of(&x, "main;b")], 40);
	box_fixture_release(&x);
}

static void a_path_that_does_not_exist_stops_at_its_last_box(void **state)
{
	struct make m = make_two_paths();
	struct box_fixture x;
	uint32_t path[2];

	(void)state;
	box_fixture_run(&x, &m);
	path[0] = path[1] = place_named(&x.a.pl, "main");
	x.options.path = path;
	x.options.n_path = 2;
	box_fixture_rerun(&x);
	assert_int_equal(x.b.width[box_at(&x, "main")], 100);
	assert_int_equal(x.b.n_rest[rest_of(&x, "main")], 2);
	assert_int_equal(x.b.n, 3);
	box_fixture_release(&x);
}

static void max_boxes_counts_only_boxes_below_the_path(void **state)
{
	struct make m = make_two_paths();
	struct box_fixture x;
	uint32_t path[2];

	(void)state;
	box_fixture_run(&x, &m);
	path[0] = place_named(&x.a.pl, "main");
	path[1] = place_named(&x.a.pl, "a");
	x.options.path = path;
	x.options.n_path = 2;
	x.options.max_boxes = 2;
	box_fixture_rerun(&x);
	expect_box(&x, "main;a;f10", 15, 15);
	expect_box(&x, "main;a;f9", 9, 9);
	assert_int_equal(find_box(&x, "main;a;f8"), BOXES_NONE);
	assert_true(x.b.is_full);
	box_fixture_release(&x);
}

static void a_box_of_exactly_the_minimum_is_kept(void **state)
{
	struct make m = make_stairs();
	struct box_fixture x;

	(void)state;
	box_fixture_run(&x, &m);
	x.options.min_share = 10.0 / 55;
	box_fixture_rerun(&x);
	assert_int_equal(x.b.min, 10);
	assert_int_not_equal(find_box(&x, "main;g"), BOXES_NONE);
	assert_int_equal(x.b.n_cut, 9);
	box_fixture_release(&x);
}

static void small_boxes_without_a_rest_box_still_fill_their_parent(void **state)
{
	struct make m = make_stairs();
	struct box_fixture x;

	(void)state;
	box_fixture_run(&x, &m);
	x.options.min_share = 3.5 / 55; /* 1, 2 and 3 add up to 6, which is enough for a rest box */
	box_fixture_rerun(&x);
	assert_int_equal(x.b.total[AFTER][rest_of(&x, "main")], 6);
	x.options.min_share = 1.5 / 55; /* 1 alone is too small for a rest box */
	box_fixture_rerun(&x);
	assert_int_equal(rest_of(&x, "main"), BOXES_NONE);
	assert_int_equal(x.b.n_cut, 1);
	assert_int_equal(x.b.cut_width, 1);
	expect_box(&x, "main", 0, 55);
	box_fixture_release(&x);
}

static void max_levels_omits_deeper_boxes(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;
	uint32_t rest;

	(void)state;
	ROW(&m, "d;c;b;a", 3);
	ROW(&m, "e;b;a", 4);
	ROW(&m, "b;a", 5);
	box_fixture_run(&x, &m);
	x.options.max_levels = 2;
	box_fixture_rerun(&x);
	assert_int_equal(x.b.n, 4); /* including the root and the rest */
	expect_box(&x, "a;b", 5, 12);
	rest = rest_of(&x, "a;b");
	assert_int_equal(x.b.n_rest[rest], 2);
	assert_int_equal(x.b.total[AFTER][rest], 7);
	assert_int_equal(x.b.n_cut, 2);
	x.options.max_levels = 0;
	box_fixture_rerun(&x);
	assert_int_equal(x.b.n, 2);
	assert_int_equal(x.b.n_rest[1], 1);
	box_fixture_release(&x);
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

static void a_stack_of_a_million_frames_costs_only_the_levels_shown(void **state)
{
	struct box_fixture x = { .a = { .p = make_deep(1000000), .mem = arena_new() }, .options.max_levels = 2000 };

	(void)state;
	query_init(&x.a.q);
	graph_fixture_run(&x.a);
	for (int inverted = 0; inverted < 2; inverted++) {
		x.options.parts.inverted = inverted;
		box_fixture_rerun(&x);
		assert_int_equal(x.b.n, 2002);
		assert_int_equal(x.b.n_rest[2001], 1);
		assert_int_equal(x.b.n_cut, 1);
		assert_int_equal(x.b.width[2000], 1);
	}
	box_fixture_release(&x);
}

static void max_boxes_keeps_the_largest_boxes(void **state)
{
	struct make m = make_stairs();
	struct box_fixture x;

	(void)state;
	box_fixture_run(&x, &m);
	x.options.max_boxes = 4; /* keeps main, g, f9 and f8 */
	box_fixture_rerun(&x);
	assert_int_equal(x.b.n, 6);
	assert_int_not_equal(find_box(&x, "main;f8"), BOXES_NONE);
	assert_int_equal(find_box(&x, "main;f7"), BOXES_NONE);
	assert_int_equal(x.b.n_rest[rest_of(&x, "main")], 7);
	assert_int_equal(x.b.n_cut, 7);
	assert_int_equal(x.b.cut_width, 28);
	assert_int_equal(x.b.n_deep, 0);
	assert_true(x.b.is_full);
	expect_sums(&x);
	x.options.max_boxes = 11; /* all */
	box_fixture_rerun(&x);
	assert_false(x.b.is_full);
	assert_int_equal(x.b.n_cut, 0);
	x.options.max_boxes = 1;
	box_fixture_rerun(&x);
	assert_int_equal(x.b.n, 3);
	box_fixture_release(&x);
}

static void among_equal_boxes_max_boxes_keeps_those_near_the_root_then_the_first(void **state)
{
	struct make m = make_start("samples/count");
	struct box_fixture x;

	(void)state;
	ROW(&m, "c;b;a", 5);
	ROW(&m, "f;e;d", 5);
	ROW(&m, "i;h;g", 5);
	box_fixture_run(&x, &m);
	x.options.max_boxes = 5;
	box_fixture_rerun(&x);
	assert_int_not_equal(find_box(&x, "a;b"), BOXES_NONE);
	assert_int_not_equal(find_box(&x, "d;e"), BOXES_NONE);
	assert_int_not_equal(find_box(&x, "g"), BOXES_NONE);
	assert_int_equal(find_box(&x, "g;h"), BOXES_NONE);
	assert_int_equal(find_box(&x, "a;b;c"), BOXES_NONE);
	expect_sums(&x);
	box_fixture_release(&x);
}

/* Stacks with many equal values, up to 12 frames deep, always the same. */
static struct make make_random_stacks(void)
{
	struct make m = make_start("samples/count");
	uint32_t random = 1;

	for (int s = 0; s < 300; s++) {
		char row[40];
		size_t n = 0;

		for (uint32_t depth = 1 + (random >> 16) % 12; depth > 0; depth--) {
			random = random * 1103515245 + 12345;
			n += (size_t)snprintf(row + n, sizeof(row) - n, "%s%c", n ? ";" : "",
					      (char)('a' + (random >> 20) % 3));
		}
		ROW(&m, row, 1 + (random >> 18) % 3);
	}
	return m;
}

/* Is box i of the whole tree among the largest n, the first ones of several of the same size? */
static bool is_among_largest(const struct boxes *whole, uint32_t i, uint32_t n)
{
	uint32_t n_before = 0;

	for (uint32_t k = 1; k < whole->n; k++)
		n_before += whole->width[k] > whole->width[i] || (whole->width[k] == whole->width[i] && k < i);
	return n_before < n;
}

static void max_boxes_chooses_from_the_whole_tree(void **state)
{
	struct make m = make_random_stacks();
	struct box_fixture x;
	struct boxes whole;

	(void)state;
	box_fixture_run(&x, &m);
	whole = x.b;
	assert_true(whole.n > 500);
	for (uint32_t max = 1; max < whole.n; max += 1 + max / 4) {
		uint32_t at = 1;

		x.options.max_boxes = max;
		box_fixture_rerun(&x);
		assert_int_equal(x.b.is_full, max < whole.n - 1);
		for (uint32_t i = 1; i < whole.n; i++) {
			if (!is_among_largest(&whole, i, max))
				continue;
			while (x.b.n_rest[at])
				at++;
			assert_in_range(at, 1, x.b.n - 1);
			assert_int_equal(x.b.place[at], whole.place[i]);
			assert_int_equal(x.b.total[AFTER][at], whole.total[AFTER][i]);
			at++;
		}
		while (at < x.b.n && x.b.n_rest[at])
			at++;
		assert_int_equal(at, x.b.n);
	}
	box_fixture_release(&x);
}

static void max_boxes_and_min_share_apply_together(void **state)
{
	struct make m = make_stairs();
	struct box_fixture x;

	(void)state;
	box_fixture_run(&x, &m);
	x.options.min_share = 7.0 / 55;
	x.options.max_boxes = 10;
	box_fixture_rerun(&x);
	assert_int_equal(x.b.n_cut, 6);
	x.options.max_boxes = 2;
	box_fixture_rerun(&x);
	assert_int_equal(x.b.n_cut, 9);
	box_fixture_release(&x);
}

static void values_near_the_64_bit_limit_do_not_overflow(void **state)
{
	struct make m = make_start("samples/count");
	const int64_t half = INT64_MAX / 2;
	struct box_fixture x;

	(void)state;
	ROW(&m, "b;a", half);
	ROW(&m, "c;a", -half);
	ROW(&m, "d;a", 1);
	box_fixture_run(&x, &m);
	expect_sides(&x, "", half, half + 1, INT64_MAX);
	expect_sums(&x);
	box_fixture_release(&x);
	m = make_start("samples/count");
	ROW(&m, "a", half);
	box_fixture_run(&x, &m);
	x.options.min_share = 1; /* as a double, the root's size is rounded up */
	box_fixture_rerun(&x);
	assert_int_equal(x.b.min, half);
	expect_box(&x, "a", half, half);
	x.options.min_share = 1e300;
	box_fixture_rerun(&x);
	assert_int_not_equal(find_box(&x, "a"), BOXES_NONE);
	x.options.min_share = -1;
	box_fixture_rerun(&x);
	assert_int_equal(x.b.min, 1);
	box_fixture_release(&x);
}

/* Make n_stacks stacks of n frames that already differ at the root. */
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

static void too_many_boxes_are_an_error_without_max_boxes(void **state)
{
	struct box_fixture x = { .a = { .p = make_broom(BOXES_MAX / 2000 + 1, 2000), .mem = arena_new() },
				 .options.max_levels = 2000 };
	struct err err;

	(void)state;
	query_init(&x.a.q);
	graph_fixture_run(&x.a);
	assert_int_equal(boxes_make(&x.a.v, &x.a.pl, &x.options, x.a.mem, &x.b, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "more than 4194304 boxes; -nodecount=N keeps the N widest");
	x.options.max_boxes = 5000;
	box_fixture_rerun(&x);
	assert_in_range(x.b.n, 5001, 10001);
	assert_int_equal(x.b.total[AFTER][ROOT], BOXES_MAX / 2000 + 1);
	box_fixture_release(&x);
}

static void rejects_mean(void **state)
{
	struct make m = make_start("samples/count delay/ms");
	struct box_fixture x = { 0 };
	struct err err;

	(void)state;
	ROW(&m, "a", 2, 10);
	x.a = graph_fixture_start(&m);
	x.a.q.mean = true;
	graph_fixture_run(&x.a);
	assert_int_equal(boxes_make(&x.a.v, &x.a.pl, &x.options, x.a.mem, &x.b, &err), ERR_USAGE);
	assert_string_equal(err.msg, "-mean does not apply to flame: averages cannot be added");
	box_fixture_release(&x);
}

/* Many stacks of pseudo-random frames from a small set. */
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
	struct box_fixture x;
	struct boxes one;

	(void)state;
	pool_set_size(1);
	box_fixture_run(&x, &m);
	one = x.b;
	assert_in_range(one.n, 50000, 10000000);
	expect_sums(&x);
	for (unsigned n = 2; n <= 5; n++) {
		pool_set_size(n);
		box_fixture_rerun(&x);
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
	box_fixture_release(&x);
}

static void expect_place_sums(const struct graph_fixture *a, const struct graph_sides *s, const char *name,
			      enum side side, int64_t self, int64_t total)
{
	uint32_t place = place_named(&a->pl, name);

	assert_int_equal(s->flat[side][place], self);
	assert_int_equal(s->cum[side][place], total);
}

static void sums_count_a_place_once_per_stack(void **state)
{
	struct make m = make_example();
	struct graph_fixture a = graph_fixture_start(&m);
	struct graph_sides s;

	(void)state;
	graph_fixture_run(&a);
	graph_make_sides(&a.v, &a.pl, a.mem, &s);
	expect_place_sums(&a, &s, "main", SIDE_NEW, 0, 120);
	expect_place_sums(&a, &s, "a", SIDE_NEW, 20, 100);
	expect_place_sums(&a, &s, "b", SIDE_NEW, 30, 100);
	expect_place_sums(&a, &s, "c", SIDE_NEW, 50, 50);
	expect_place_sums(&a, &s, "inl", SIDE_NEW, 20, 20);
	expect_place_sums(&a, &s, "host", SIDE_NEW, 0, 10);
	for (uint32_t i = 0; i < a.pl.n; i++) {
		assert_int_equal(s.flat[SIDE_NEW][i], a.g.nodes.flat[i]);
		assert_int_equal(s.cum[SIDE_NEW][i], a.g.nodes.cum[i]);
		assert_int_equal(s.cum[SIDE_BASE][i], 0);
	}
	graph_fixture_release(&a);
}

static void negative_values_count_for_the_base_and_do_not_cancel(void **state)
{
	struct make m = make_start("cpu/milliseconds");
	struct graph_fixture a;
	struct graph_sides s;

	(void)state;
	ROW(&m, "leaf;main", 30);
	ROW(&m, "leaf;main", -10);
	ROW(&m, "old;main", -5);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	graph_make_sides(&a.v, &a.pl, a.mem, &s);
	expect_place_sums(&a, &s, "leaf", SIDE_NEW, 30, 30);
	expect_place_sums(&a, &s, "leaf", SIDE_BASE, 10, 10);
	expect_place_sums(&a, &s, "old", SIDE_NEW, 0, 0);
	expect_place_sums(&a, &s, "old", SIDE_BASE, 5, 5);
	expect_place_sums(&a, &s, "main", SIDE_BASE, 0, 15);
	graph_fixture_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_the_example_tree_add_up),
		cmocka_unit_test(stacks_with_two_ids_are_in_one_box),
		cmocka_unit_test(a_box_is_inlined_if_it_is_inlined_in_every_stack),
		cmocka_unit_test(each_frame_of_a_recursion_is_a_box),
		cmocka_unit_test(a_stack_without_frames_counts_for_the_root),
		cmocka_unit_test(locations_without_function_are_named_as_in_top),
		cmocka_unit_test(a_profile_without_values_has_only_the_root),
		cmocka_unit_test(an_inverted_tree_starts_at_the_leaves),
		cmocka_unit_test(both_sides_have_values_and_width),
		cmocka_unit_test(sides_that_cancel_still_have_width),
		cmocka_unit_test(an_empty_base_is_filled_in_on_request),
		cmocka_unit_test(drop_negative_omits_boxes_that_got_smaller),
		cmocka_unit_test(small_boxes_are_counted_and_replaced_by_one_rest_box),
		cmocka_unit_test(a_path_shows_only_its_boxes_and_those_below_its_end),
		cmocka_unit_test(a_path_that_does_not_exist_stops_at_its_last_box),
		cmocka_unit_test(max_boxes_counts_only_boxes_below_the_path),
		cmocka_unit_test(a_box_of_exactly_the_minimum_is_kept),
		cmocka_unit_test(small_boxes_without_a_rest_box_still_fill_their_parent),
		cmocka_unit_test(max_levels_omits_deeper_boxes),
		cmocka_unit_test(a_stack_of_a_million_frames_costs_only_the_levels_shown),
		cmocka_unit_test(max_boxes_keeps_the_largest_boxes),
		cmocka_unit_test(max_boxes_chooses_from_the_whole_tree),
		cmocka_unit_test(among_equal_boxes_max_boxes_keeps_those_near_the_root_then_the_first),
		cmocka_unit_test(max_boxes_and_min_share_apply_together),
		cmocka_unit_test(values_near_the_64_bit_limit_do_not_overflow),
		cmocka_unit_test(too_many_boxes_are_an_error_without_max_boxes),
		cmocka_unit_test(a_pivot_has_callees_and_callers),
		cmocka_unit_test(a_pivot_can_be_an_inlined_call_or_several_functions),
		cmocka_unit_test(boxes_that_lead_to_a_frame_to_keep_are_not_omitted),
		cmocka_unit_test(rejects_mean),
		cmocka_unit_test(boxes_do_not_depend_on_the_number_of_threads),
		cmocka_unit_test(sums_count_a_place_once_per_stack),
		cmocka_unit_test(negative_values_count_for_the_base_and_do_not_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
