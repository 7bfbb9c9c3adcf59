/*
 * test_flame_functions.c - sums of boxes by function
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

/* Add a second box for the function of an existing box. */
static uint32_t draw_same_function(struct drawing *d, uint32_t parent, uint32_t of, int64_t before, int64_t after)
{
	uint32_t box = drawing_add_box(d, parent, before, after);

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

/* main (100) calls f (60), which calls itself (40), and g (30), which calls f (10); 10 are flat of main. */
static void draw_recursion(struct drawing *d)
{
	uint32_t m, f, g;

	drawing_start(d, 0, 100);
	m = drawing_add_function(d, 0, "main", 0, 100);
	f = drawing_add_function(d, m, "f", 0, 60);
	draw_same_function(d, f, f, 0, 40);
	g = drawing_add_function(d, m, "g", 0, 30);
	draw_same_function(d, g, f, 0, 10);
}

static void counts_recursive_calls_once(void **state)
{
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;
	size_t n;

	(void)state;
	draw_recursion(&d);
	n = flame_functions(&d.f, mem, &list);
	assert_int_equal(n, 3);
	assert_int_equal(find(&d.f, list, n, "f")->cum[SIDE_NEW], 70);
	assert_int_equal(find(&d.f, list, n, "f")->flat[SIDE_NEW], 70);
	assert_int_equal(find(&d.f, list, n, "f")->width, 70);
	assert_int_equal(find(&d.f, list, n, "f")->box, 2);
	assert_int_equal(find(&d.f, list, n, "g")->flat[SIDE_NEW], 20);
	assert_int_equal(find(&d.f, list, n, "main")->flat[SIDE_NEW], 10);
	assert_int_equal(find(&d.f, list, n, "main")->cum[SIDE_NEW], 100);
	arena_free(mem);
}

static void sorts_functions_by_width_and_then_by_name(void **state)
{
	static const char *const want[] = { "wide", "a", "b" };
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	drawing_add_function(&d, 0, "b", 0, 20);
	drawing_add_function(&d, 0, "wide", 0, 60);
	drawing_add_function(&d, 0, "a", 0, 20);
	assert_int_equal(flame_functions(&d.f, mem, &list), 3);
	for (int i = 0; i < 3; i++)
		assert_string_equal(d.f.frames[d.f.frame[list[i].box]].name, want[i]);
	arena_free(mem);
}

static void only_boxes_at_the_root_of_an_inverted_tree_have_flat_values(void **state)
{
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;
	uint32_t label, leaf;
	size_t n;

	(void)state;
	drawing_start(&d, 0, 100);
	label = drawing_add_function(&d, 0, "tenant: a", 0, 100);
	d.frames[d.frame[label]].is_label = true;
	leaf = drawing_add_function(&d, label, "leaf", 0, 100);
	drawing_add_function(&d, leaf, "caller", 0, 100);
	d.f.inverted = true;
	n = flame_functions(&d.f, mem, &list);
	assert_int_equal(find(&d.f, list, n, "leaf")->flat[SIDE_NEW], 100);
	assert_int_equal(find(&d.f, list, n, "caller")->flat[SIDE_NEW], 0);
	assert_int_equal(find(&d.f, list, n, "caller")->cum[SIDE_NEW], 100);
	arena_free(mem);
}

static void sorts_functions_of_a_comparison_by_change(void **state)
{
	static const char *const want[] = { "shrank", "grew", "wide" };
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 130, 115);
	d.f.has_base = true;
	drawing_add_function(&d, 0, "wide", 80, 80);
	drawing_add_function(&d, 0, "grew", 10, 20);
	drawing_add_function(&d, 0, "shrank", 40, 15);
	assert_int_equal(flame_functions(&d.f, mem, &list), 3);
	for (int i = 0; i < 3; i++)
		assert_string_equal(d.f.frames[d.f.frame[list[i].box]].name, want[i]);
	arena_free(mem);
}

static void sums_both_sides_of_a_comparison(void **state)
{
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 50, 100);
	drawing_add_function(&d, 0, "f", 50, 100);
	assert_int_equal(flame_functions(&d.f, mem, &list), 1);
	assert_int_equal(list->cum[SIDE_BASE], 50);
	assert_int_equal(list->flat[SIDE_NEW], 100);
	arena_free(mem);
}

static void ignores_rest_boxes(void **state)
{
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	drawing_add_rest(&d, 0, 9, 0, 100);
	assert_int_equal(flame_functions(&d.f, mem, &list), 0);
	arena_free(mem);
}

static void uses_sums_over_all_stacks_if_there_are_any(void **state)
{
	static const int64_t cum[] = { 70, 90 }, flat[] = { 60, 30 };
	struct arena *mem = arena_new();
	struct flame_function *list;
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	drawing_add_function(&d, 0, "seen", 0, 60);
	drawing_add_function(&d, 0, "mostly too narrow", 0, 1);
	d.f.cum[SIDE_NEW] = cum;
	d.f.flat[SIDE_NEW] = flat;
	assert_int_equal(flame_functions(&d.f, mem, &list), 2);
	assert_int_equal(list[0].box, 2);
	assert_int_equal(list[0].cum[SIDE_NEW], 90);
	assert_int_equal(list[0].flat[SIDE_NEW], 30);
	assert_int_equal(list[1].cum[SIDE_NEW], 70);
	arena_free(mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_recursive_calls_once),
		cmocka_unit_test(sorts_functions_by_width_and_then_by_name),
		cmocka_unit_test(only_boxes_at_the_root_of_an_inverted_tree_have_flat_values),
		cmocka_unit_test(sorts_functions_of_a_comparison_by_change),
		cmocka_unit_test(sums_both_sides_of_a_comparison),
		cmocka_unit_test(ignores_rest_boxes),
		cmocka_unit_test(uses_sums_over_all_stacks_if_there_are_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
