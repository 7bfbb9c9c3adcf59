/*
 * test_legacy_threads.c - stacks of threads as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct format_options no_limits;

static struct profile *read_text(const char *text)
{
	struct profile *p = NULL;
	struct err err;

	if (legacy_read_threads((const uint8_t *)text, strlen(text), &no_limits, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void expect_error(const char *text, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(legacy_read_threads((const uint8_t *)text, strlen(text), &no_limits, &p, &err), code);
	assert_null(p);
	assert_string_equal(err.msg, message);
}

static int64_t value(const struct profile *p, uint32_t type, uint32_t row)
{
	return p->value[type][row];
}

static uint32_t depth(const struct profile *p, uint32_t row)
{
	return p->stacks.off[p->stack[row] + 1] - p->stacks.off[p->stack[row]];
}

static uint64_t frame(const struct profile *p, uint32_t row, uint32_t i)
{
	return p->loc_addr[stack_id_at(&p->stacks, p->stacks.off[p->stack[row]] + i)];
}

#define THREAD "--- Thread 7f (name: main/1) stack: ---\n"
#define END "--- Memory map: ---\n"

static void each_thread_is_a_sample_of_1(void **state)
{
	struct profile *p = read_text("--- threadz 1 ---\n\n" THREAD "  PC: 0x11\n 0x21: main\n" THREAD " 0x31\n" END);

	(void)state;
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(value(p, 0, 1), 1);
	assert_int_equal(frame(p, 0, 0), 0x11);
	assert_int_equal(frame(p, 0, 1), 0x20);
	profile_free(p);
}

static void a_thread_with_the_same_stack_is_added_to_the_previous_one(void **state)
{
	struct profile *p = read_text(THREAD " 0x11\n" THREAD " [same as previous thread]\n 0x99\n" THREAD "\n" END);

	(void)state;
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(value(p, 0, 0), 3);
	assert_int_equal(p->n_locs, 1);
	profile_free(p);
}

static void a_first_thread_without_addresses_is_ignored(void **state)
{
	struct profile *p = read_text(THREAD THREAD " 0x11\n" END);

	(void)state;
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(value(p, 0, 0), 1);
	profile_free(p);
}

static void a_repeated_leaf_is_removed(void **state)
{
	struct profile *p = read_text(THREAD " 0x11 0x11 0x21\n" END);

	(void)state;
	assert_int_equal(depth(p, 0), 2);
	assert_int_equal(frame(p, 0, 0), 0x11);
	assert_int_equal(frame(p, 0, 1), 0x20);
	assert_int_equal(p->n_locs, 3); /* numbered earlier */
	profile_free(p);
}

static void a_missing_stack_ends_the_list(void **state)
{
	struct profile *p = read_text(THREAD " 0x11\n---- no stack trace for 7f ----\nnonsense\n");

	(void)state;
	assert_int_equal(p->n_rows, 1);
	profile_free(p);
}

static void the_name_of_a_thread_may_look_like_its_end(void **state)
{
	struct profile *p = read_text("--- Thread aB (name: x) stack: --- /y/22) stack: ---\n 0x11\n" END);

	(void)state;
	assert_int_equal(p->n_rows, 1);
	profile_free(p);
}

static void threads_without_an_end_are_an_error(void **state)
{
	(void)state;
	expect_error(THREAD " 0x11\n 0x21\n", ERR_FORMAT,
		     "line 3: neither the start of a thread nor the end of the list");
	expect_error("--- threadz 1 ---\n", ERR_FORMAT,
		     "line 1: neither the start of a thread nor the end of the list");
	expect_error(THREAD " 0x11111111111111111\n", ERR_FORMAT, "line 2: address of more than 64 bits");
}

static void other_formats_are_left_to_the_next_reader(void **state)
{
	(void)state;
	expect_error("--- threadz x ---\n", ERR_UNKNOWN, "not a thread profile");
	expect_error("--- Thread 7f (name: main) stack: ---\n", ERR_UNKNOWN, "not a thread profile");
	expect_error("", ERR_UNKNOWN, "not a thread profile");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_is_a_sample_of_1),
		cmocka_unit_test(a_thread_with_the_same_stack_is_added_to_the_previous_one),
		cmocka_unit_test(a_first_thread_without_addresses_is_ignored),
		cmocka_unit_test(a_repeated_leaf_is_removed),
		cmocka_unit_test(a_missing_stack_ends_the_list),
		cmocka_unit_test(the_name_of_a_thread_may_look_like_its_end),
		cmocka_unit_test(threads_without_an_end_are_an_error),
		cmocka_unit_test(other_formats_are_left_to_the_next_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
