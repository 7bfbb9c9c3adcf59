/*
 * test_flame_layout.c - places of boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "make_flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"

static const struct flame_tile *tile_of(const struct flame_layout *l, uint32_t box)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->tile[i].box == box)
			return &l->tile[i];
	return NULL;
}

/* The names of a picture in the order of its tiles. */
static void expect_order(const struct drawing *d, const char *want)
{
	struct arena *mem = arena_new();
	struct flame_layout l;
	struct buf got = { 0 };

	flame_lay_out(&d->f, &d->style, mem, &l);
	assert_int_equal(l.n, d->f.n);
	for (uint32_t i = 0; i < l.n; i++) {
		buf_addz(&got, i ? " " : "");
		flame_add_name(&d->f, l.tile[i].box, &got);
	}
	assert_string_equal(got.data, want);
	buf_release(&got);
	arena_free(mem);
}

static void start_family(struct drawing *d)
{
	uint32_t b;

	drawing_start(d, 0, 100);
	drawing_add_function(d, 0, "c", 0, 20);
	b = drawing_add_function(d, 0, "b", 0, 50);
	drawing_add_rest(d, 0, 7, 0, 25);
	drawing_add_function(d, 0, "a", 0, 5);
	drawing_add_function(d, b, "z", 0, 10);
	drawing_add_function(d, b, "y", 0, 10);
}

static void sorts_siblings_by_name_and_the_rest_last(void **state)
{
	struct drawing d;

	(void)state;
	start_family(&d);
	expect_order(&d, "all a b c 7 narrower y z");
}

static void sorts_siblings_by_weight(void **state)
{
	struct drawing d;

	(void)state;
	start_family(&d);
	d.style.order = FLAME_BY_WEIGHT;
	expect_order(&d, "all b c a 7 narrower y z");
}

static void sorts_names_by_bytes(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 4);
	drawing_add_function(&d, 0, "\xc3\xa9", 0, 1);
	drawing_add_function(&d, 0, "a", 0, 1);
	drawing_add_function(&d, 0, "Z", 0, 1);
	expect_order(&d, "all Z a \xc3\xa9");
}

static void sorts_equal_names_by_file_module_and_line(void **state)
{
	struct drawing d;
	struct arena *mem = arena_new();
	struct flame_layout l;
	uint32_t box[4];

	(void)state;
	drawing_start(&d, 0, 4);
	for (int i = 0; i < 4; i++)
		box[i] = drawing_add_function(&d, 0, "f", 0, 1);
	d.frames[0].file = "b.c";
	d.frames[1].file = d.frames[2].file = d.frames[3].file = "a.c";
	d.frames[1].module = "lib";
	d.frames[2].line_lo = 9;
	d.frames[3].line_lo = 3;
	flame_lay_out(&d.f, &d.style, mem, &l);
	assert_int_equal(l.tile[1].box, box[3]);
	assert_int_equal(l.tile[2].box, box[2]);
	assert_int_equal(l.tile[3].box, box[1]);
	assert_int_equal(l.tile[4].box, box[0]);
	arena_free(mem);
}

static void children_fill_their_parent_exactly_from_the_left(void **state)
{
	struct drawing d;
	struct arena *mem = arena_new();
	struct flame_layout l;

	(void)state;
	start_family(&d);
	flame_lay_out(&d.f, &d.style, mem, &l);
	assert_int_equal(l.span, 100);
	assert_int_equal(l.n_levels, 3);
	assert_int_equal(tile_of(&l, 4)->x, 0);  /* a */
	assert_int_equal(tile_of(&l, 2)->x, 5);  /* b */
	assert_int_equal(tile_of(&l, 1)->x, 55); /* c */
	assert_int_equal(tile_of(&l, 3)->x, 75); /* the rest */
	assert_int_equal(tile_of(&l, 6)->x, 5);  /* y */
	assert_int_equal(tile_of(&l, 5)->x, 15); /* z */
	assert_int_equal(tile_of(&l, 5)->level, 2);
	arena_free(mem);
}

static void a_picture_without_samples_has_one_level(void **state)
{
	struct drawing d;
	struct arena *mem = arena_new();
	struct flame_layout l;

	(void)state;
	drawing_start(&d, 0, 0);
	flame_lay_out(&d.f, &d.style, mem, &l);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.n_levels, 1);
	assert_int_equal(l.span, 0);
	arena_free(mem);
}

enum { MANY = 200000 };

/* Lay out a chain of many boxes, or a root with as many children. */
static void lay_out_many(bool is_chain)
{
	uint32_t *parent = mem_zalloc(MANY, sizeof(*parent)), *frame = mem_zalloc(MANY, sizeof(*frame)),
		 *n_rest = mem_zalloc(MANY, sizeof(*n_rest));
	int64_t *width = mem_alloc(MANY, sizeof(*width)), *none = mem_zalloc(MANY, sizeof(*none));
	const struct flame_frame f = { .name = "f", .file = "", .module = "" };
	struct flame flame = { .n = MANY,
			       .parent = parent,
			       .frame = frame,
			       .n_rest = n_rest,
			       .self = { none },
			       .total = { width },
			       .width = width,
			       .n_frames = 1,
			       .frames = &f };
	struct arena *mem = arena_new();
	struct flame_layout l;

	for (uint32_t i = 0; i < MANY; i++) {
		parent[i] = i == 0 ? FLAME_NONE : is_chain ? i - 1 : 0;
		width[i] = i == 0 ? MANY : is_chain ? MANY - i : 1;
	}
	frame[0] = FLAME_NONE;
	flame_lay_out(&flame, &(struct flame_style){ .title = "" }, mem, &l);
	assert_int_equal(l.n_levels, is_chain ? MANY : 2);
	assert_int_equal(l.tile[MANY - 1].x, is_chain ? 0 : MANY - 2);
	arena_free(mem);
	free(parent);
	free(frame);
	free(n_rest);
	free(width);
	free(none);
}

static void places_deep_stacks(void **state)
{
	(void)state;
	lay_out_many(true);
}

static void places_many_siblings(void **state)
{
	(void)state;
	lay_out_many(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_siblings_by_name_and_the_rest_last),
		cmocka_unit_test(sorts_siblings_by_weight),
		cmocka_unit_test(sorts_names_by_bytes),
		cmocka_unit_test(sorts_equal_names_by_file_module_and_line),
		cmocka_unit_test(children_fill_their_parent_exactly_from_the_left),
		cmocka_unit_test(a_picture_without_samples_has_one_level),
		cmocka_unit_test(places_deep_stacks),
		cmocka_unit_test(places_many_siblings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
