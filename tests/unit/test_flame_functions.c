/*
 * test_flame_functions.c - the boxes of a flame graph added up by function
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/flame/flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/make_flame.h"

/* Another box of the function of a box. */
static uint32_t draw_again(struct drawing *d, uint32_t parent, uint32_t of, int64_t before, int64_t after)
{
	uint32_t box = drawing_place(d, parent, before, after);

	d->frame[box] = d->frame[of];
	return box;
}

static const struct flame_function *find(const struct flame *f, const struct flame_function *list, size_t n,
					 const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(f->frames[f->frame[list[i].box]].name, name) == 0)
			return &list[i];
	fail_msg("no %s", name);
	return NULL;
}

/* main (100) calls f (60), which calls itself (40), and g (30), which calls f (10); 10 are main's own. */
static void draw_recursion(struct drawing *d)
{
	uint32_t m, f, g;

	drawing_start(d, 0, 100);
	m = drawing_box(d, 0, "main", 0, 100);
	f = drawing_box(d, m, "f", 0, 60);
	draw_again(d, f, f, 0, 40);
	g = drawing_box(d, m, "g", 0, 30);
	draw_again(d, g, f, 0, 10);
}

static void stacks_of_recursive_functions_count_once(void **state)
{
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;
	size_t n;

	(void)state;
	draw_recursion(&d);
	n = flame_functions(&d.f, mem, &list);
	assert_int_equal(n, 3);
	assert_int_equal(find(&d.f, list, n, "f")->cum[FLAME_AFTER], 70);
	assert_int_equal(find(&d.f, list, n, "f")->flat[FLAME_AFTER], 70);
	assert_int_equal(find(&d.f, list, n, "f")->width, 70);
	assert_int_equal(find(&d.f, list, n, "f")->box, 2);
	assert_int_equal(find(&d.f, list, n, "g")->flat[FLAME_AFTER], 20);
	assert_int_equal(find(&d.f, list, n, "main")->flat[FLAME_AFTER], 10);
	assert_int_equal(find(&d.f, list, n, "main")->cum[FLAME_AFTER], 100);
	arena_free(mem);
}

static void functions_come_widest_first_and_then_by_name(void **state)
{
	static const char *const want[] = { "wide", "a", "b" };
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	drawing_box(&d, 0, "b", 0, 20);
	drawing_box(&d, 0, "wide", 0, 60);
	drawing_box(&d, 0, "a", 0, 20);
	assert_int_equal(flame_functions(&d.f, mem, &list), 3);
	for (int i = 0; i < 3; i++)
		assert_string_equal(d.f.frames[d.f.frame[list[i].box]].name, want[i]);
	arena_free(mem);
}

static void in_an_inverted_picture_only_the_first_boxes_are_flat(void **state)
{
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;
	uint32_t label, leaf;
	size_t n;

	(void)state;
	drawing_start(&d, 0, 100);
	label = drawing_box(&d, 0, "tenant: a", 0, 100);
	d.frames[d.frame[label]].is_label = true;
	leaf = drawing_box(&d, label, "leaf", 0, 100);
	drawing_box(&d, leaf, "caller", 0, 100);
	d.f.inverted = true;
	n = flame_functions(&d.f, mem, &list);
	assert_int_equal(find(&d.f, list, n, "leaf")->flat[FLAME_AFTER], 100);
	assert_int_equal(find(&d.f, list, n, "caller")->flat[FLAME_AFTER], 0);
	assert_int_equal(find(&d.f, list, n, "caller")->cum[FLAME_AFTER], 100);
	arena_free(mem);
}

static void in_a_comparison_functions_come_by_how_much_they_changed(void **state)
{
	static const char *const want[] = { "shrank", "grew", "wide" };
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 130, 115);
	d.f.has_base = true;
	drawing_box(&d, 0, "wide", 80, 80);
	drawing_box(&d, 0, "grew", 10, 20);
	drawing_box(&d, 0, "shrank", 40, 15);
	assert_int_equal(flame_functions(&d.f, mem, &list), 3);
	for (int i = 0; i < 3; i++)
		assert_string_equal(d.f.frames[d.f.frame[list[i].box]].name, want[i]);
	arena_free(mem);
}

static void both_sides_of_a_comparison_are_added_up(void **state)
{
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 50, 100);
	drawing_box(&d, 0, "f", 50, 100);
	assert_int_equal(flame_functions(&d.f, mem, &list), 1);
	assert_int_equal(list->cum[FLAME_BEFORE], 50);
	assert_int_equal(list->flat[FLAME_AFTER], 100);
	arena_free(mem);
}

static void a_box_for_the_rest_is_no_function(void **state)
{
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	drawing_rest(&d, 0, 9, 0, 100);
	assert_int_equal(flame_functions(&d.f, mem, &list), 0);
	arena_free(mem);
}

static void sums_over_all_stacks_count_where_the_report_has_them(void **state)
{
	static const int64_t cum[] = { 70, 90 }, flat[] = { 60, 30 };
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	drawing_box(&d, 0, "seen", 0, 60);
	drawing_box(&d, 0, "mostly too narrow", 0, 1);
	d.f.cum[FLAME_AFTER] = cum;
	d.f.flat[FLAME_AFTER] = flat;
	assert_int_equal(flame_functions(&d.f, mem, &list), 2);
	assert_int_equal(list[0].box, 2);
	assert_int_equal(list[0].cum[FLAME_AFTER], 90);
	assert_int_equal(list[0].flat[FLAME_AFTER], 30);
	assert_int_equal(list[1].cum[FLAME_AFTER], 70);
	arena_free(mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_of_recursive_functions_count_once),
		cmocka_unit_test(functions_come_widest_first_and_then_by_name),
		cmocka_unit_test(in_an_inverted_picture_only_the_first_boxes_are_flat),
		cmocka_unit_test(in_a_comparison_functions_come_by_how_much_they_changed),
		cmocka_unit_test(both_sides_of_a_comparison_are_added_up),
		cmocka_unit_test(a_box_for_the_rest_is_no_function),
		cmocka_unit_test(sums_over_all_stacks_count_where_the_report_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
