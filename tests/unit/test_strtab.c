/*
 * test_strtab.c - interned strings
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/strtab.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void id_0_is_the_empty_string(void **state)
{
	struct strtab *t = strtab_new();

	(void)state;
	assert_int_equal(strtab_count(t), 1);
	assert_string_equal(strtab_text(t, 0), "");
	assert_int_equal(strtab_addz(t, ""), 0);
	strtab_free(t);
}

static void equal_strings_have_one_id(void **state)
{
	struct strtab *t = strtab_new();
	char first[] = "main", again[] = "main";

	(void)state;
	assert_int_equal(strtab_addz(t, first), 1);
	assert_int_equal(strtab_addz(t, again), 1);
	assert_int_equal(strtab_count(t), 2);
	strtab_free(t);
}

static void a_prefix_and_a_nul_are_different_strings(void **state)
{
	struct strtab *t = strtab_new();

	(void)state;
	assert_int_equal(strtab_add(t, "ab", 2), 1);
	assert_int_equal(strtab_add(t, "ab", 1), 2);
	assert_int_equal(strtab_add(t, "ab\0", 3), 3);
	assert_int_equal(strtab_add(t, "ab\0c", 4), 4);
	assert_int_equal(strtab_add(t, "\0", 1), 5);
	strtab_free(t);
}

static void strings_have_a_length_and_are_nul_terminated(void **state)
{
	struct strtab *t = strtab_new();
	str_id id = strtab_add(t,
			       "a\0\xff"
			       "bX",
			       4);

	(void)state;
	assert_int_equal(strtab_len(t, id), 4);
	assert_memory_equal(strtab_text(t, id),
			    "a\0\xff"
			    "b\0",
			    5);
	strtab_free(t);
}

static void strings_are_copied_and_never_move(void **state)
{
	struct strtab *t = strtab_new();
	char word[20] = "first";
	str_id id = strtab_addz(t, word);
	const char *text = strtab_text(t, id);

	(void)state;
	for (int i = 0; i < 10000; i++) {
		snprintf(word, sizeof(word), "word %d", i);
		strtab_addz(t, word);
	}
	assert_ptr_equal(strtab_text(t, id), text);
	assert_string_equal(text, "first");
	strtab_free(t);
}

static void ids_are_assigned_in_order_of_first_use(void **state)
{
	struct strtab *t = strtab_new();
	char word[20];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 1; i <= 3000; i++) {
			snprintf(word, sizeof(word), "%u", i);
			assert_int_equal(strtab_addz(t, word), i);
		}
	}
	assert_int_equal(strtab_count(t), 3001);
	strtab_free(t);
}

static void a_table_with_room_is_like_one_without(void **state)
{
	static const size_t room[] = { 0, 1, 2, 100 };

	(void)state;
	for (size_t i = 0; i < sizeof(room) / sizeof(room[0]); i++) {
		struct strtab *t = strtab_new();
		str_id id;

		strtab_reserve(t, room[i]);
		assert_int_equal(strtab_add(t, "", 0), 0);
		for (uint32_t k = 1; k < 100; k++)
			assert_int_equal(strtab_add(t, (const char *)&k, sizeof(k)), k);
		for (uint32_t k = 1; k < 100; k++)
			assert_true(strtab_find(t, (const char *)&k, sizeof(k), &id) && id == k);
		assert_int_equal(strtab_count(t), 100);
		strtab_free(t);
	}
}

static void free_takes_null(void **state)
{
	(void)state;
	strtab_free(NULL);
}

static void find_adds_nothing(void **state)
{
	struct strtab *t = strtab_new();
	str_id a = strtab_addz(t, "a"), found = 99;

	(void)state;
	assert_true(strtab_find(t, "a", 1, &found));
	assert_int_equal(found, a);
	assert_false(strtab_find(t, "b", 1, &found));
	assert_int_equal(found, a);
	assert_int_equal(strtab_count(t), 2);
	strtab_free(t);
}

static void a_concatenated_table_keeps_the_ids_of_the_first(void **state)
{
	struct strtab *base = strtab_new(), *more = strtab_new(), *over;
	struct arena *mem = arena_new();
	str_id a = strtab_addz(base, "a"), id = 99;

	(void)state;
	strtab_addz(more, "b");
	over = strtab_make_concat(base, more, mem);
	strtab_free(more);
	assert_int_equal(strtab_count(over), 3);
	assert_string_equal(strtab_text(over, a), "a");
	assert_string_equal(strtab_text(over, 2), "b");
	assert_int_equal(strtab_len(over, 2), 1);
	assert_true(strtab_find(over, "b", 1, &id));
	assert_int_equal(id, 2);
	assert_true(strtab_find(over, "a", 1, &id));
	assert_int_equal(id, a);
	assert_int_equal(strtab_count(base), 2);
	arena_free(mem);
	strtab_free(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(find_adds_nothing),
		cmocka_unit_test(a_concatenated_table_keeps_the_ids_of_the_first),
		cmocka_unit_test(id_0_is_the_empty_string),
		cmocka_unit_test(equal_strings_have_one_id),
		cmocka_unit_test(a_prefix_and_a_nul_are_different_strings),
		cmocka_unit_test(strings_have_a_length_and_are_nul_terminated),
		cmocka_unit_test(strings_are_copied_and_never_move),
		cmocka_unit_test(ids_are_assigned_in_order_of_first_use),
		cmocka_unit_test(a_table_with_room_is_like_one_without),
		cmocka_unit_test(free_takes_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
