/*
 * test_prefix_map.c - undo the prefix maps of compilers in source file names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/prefix_map.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void adds_each_pair_of_a_command_line_once(void **state)
{
	struct prefix_map m = { .mem = arena_new() };

	(void)state;
	prefix_map_add(&m, "clang -g -ffile-prefix-map=/my\\ home=/build -fdebug-prefix-map=/a=/b=c -c x.c");
	prefix_map_add(&m, "clang -ffile-prefix-map=/my\\ home=/build -fmacro-prefix-map=/q= -fmacro-prefix-map==/q");
	prefix_map_add(&m, "GNU C17 12.2.0 -g -O2");
	assert_int_equal(m.n, 3);
	assert_string_equal(m.pair[0].old_name, "/my home");
	assert_string_equal(m.pair[0].new_name, "/build");
	assert_string_equal(m.pair[1].new_name, "/b=c");
	assert_string_equal(m.pair[2].new_name, "");
	arena_free(m.mem);
}

static void hostile_command_lines_add_a_bounded_number_of_pairs(void **state)
{
	struct prefix_map m = { .mem = arena_new() };

	(void)state;
	prefix_map_add(&m, "-ffile-prefix-map=\\");
	assert_int_equal(m.n, 0);
	for (int i = 0; i < 100; i++) {
		char text[64];

		snprintf(text, sizeof(text), "-ffile-prefix-map=/%d=/x", i);
		prefix_map_add(&m, text);
	}
	assert_int_equal(m.n, PREFIX_MAP_MAX);
	arena_free(m.mem);
}

static void undoes_a_map_only_if_the_prefix_matches(void **state)
{
	struct prefix_map m = { .mem = arena_new() };

	(void)state;
	prefix_map_add(&m, "-ffile-prefix-map=/home/me=/build");
	assert_string_equal(prefix_map_undo(&m, 0, "/build/a.c"), "/home/me/a.c");
	assert_null(prefix_map_undo(&m, 0, "/usr/a.c"));
	arena_free(m.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_each_pair_of_a_command_line_once),
		cmocka_unit_test(hostile_command_lines_add_a_bounded_number_of_pairs),
		cmocka_unit_test(undoes_a_map_only_if_the_prefix_matches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
