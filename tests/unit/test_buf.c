/*
 * test_buf.c - growable byte buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/pool.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void the_text_of_an_empty_buffer_is_a_string(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_string_equal(buf_text(&b), "");
}

static void adding_zero_bytes_leaves_an_empty_string(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, NULL, 0);
	buf_addz(&b, "");
	buf_fill(&b, 'x', 0);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.data, "");
	buf_release(&b);
}

static void every_add_function_appends(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, "abc", 2);
	buf_addz(&b, "-z-");
	buf_fill(&b, '.', 3);
	buf_addf(&b, "%d|%s", 42, "t");
	assert_string_equal(b.data, "ab-z-...42|t");
	assert_int_equal(b.len, 12);
	buf_release(&b);
}

static void the_content_is_nul_terminated_and_may_contain_nul(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, "a\0b", 3);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 4);
	buf_release(&b);
}

static void single_bytes_add_up_to_a_long_text(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_add(&b, &(char){ (char)('a' + i % 26) }, 1);
	assert_int_equal(b.len, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(b.data[i], 'a' + i % 26);
	buf_release(&b);
}

static void formatted_text_longer_than_the_capacity_is_not_cut(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_addz(&b, ">");
	buf_addf(&b, "%5000d", 7);
	assert_int_equal(b.len, 5001);
	assert_int_equal(b.data[5000], '7');
	buf_release(&b);
}

static void a_released_buffer_can_be_used_again(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_addz(&b, "first");
	buf_release(&b);
	assert_null(b.data);
	buf_addz(&b, "second");
	assert_string_equal(b.data, "second");
	buf_release(&b);
}

static void bytes_written_into_reserved_room_survive_growth(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_addz(&b, "ab");
	memcpy(buf_room(&b, 1000), "cd", 2);
	b.len += 2;
	buf_addz(&b, "e");
	assert_string_equal(b.data, "abcde");
	assert_true(b.cap > 1000);
	buf_release(&b);
}

static void what_exceeds_the_limit_of_the_thread_is_cut(void **state)
{
	struct stop stop = { 0 };
	struct buf_limit limit = { .max = 6, .stop = &stop };
	struct buf b = { 0 };

	(void)state;
	assert_null(buf_set_limit(&limit));
	buf_addz(&b, "abcd");
	buf_addf(&b, "%d", 12);
	assert_false(buf_is_stopped());
	buf_addz(&b, "3");
	assert_true(buf_is_stopped() && limit.is_exceeded && stop_is_set(&stop));
	buf_addf(&b, "%d", 4);
	buf_fill(&b, '.', 5);
	assert_ptr_equal(buf_set_limit(NULL), &limit);
	assert_false(buf_is_stopped());
	assert_string_equal(b.data, "abcd12");
	b.len = 4;
	buf_addz(&b, "no limit");
	assert_string_equal(b.data, "abcdno limit");
	buf_release(&b);
}

static void add_six(void *arg, unsigned part)
{
	struct buf *b = arg;

	buf_addz(&b[part], "abcdef");
}

static void parts_of_a_task_have_the_limit_of_their_thread(void **state)
{
	struct buf_limit limit = { .max = 4 };
	struct buf b[3] = { 0 };

	(void)state;
	buf_set_limit(&limit);
	pool_run(add_six, b, 3);
	buf_set_limit(NULL);
	assert_true(limit.is_exceeded);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(b[i].data, "abcd");
		buf_release(&b[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_of_an_empty_buffer_is_a_string),
		cmocka_unit_test(adding_zero_bytes_leaves_an_empty_string),
		cmocka_unit_test(every_add_function_appends),
		cmocka_unit_test(the_content_is_nul_terminated_and_may_contain_nul),
		cmocka_unit_test(single_bytes_add_up_to_a_long_text),
		cmocka_unit_test(formatted_text_longer_than_the_capacity_is_not_cut),
		cmocka_unit_test(a_released_buffer_can_be_used_again),
		cmocka_unit_test(bytes_written_into_reserved_room_survive_growth),
		cmocka_unit_test(what_exceeds_the_limit_of_the_thread_is_cut),
		cmocka_unit_test(parts_of_a_task_have_the_limit_of_their_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
