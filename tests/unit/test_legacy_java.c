/*
 * test_legacy_java.c - heap and contention profiles of Java
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

	if (legacy_read_java((const uint8_t *)text, strlen(text), &no_limits, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void expect_error(const char *text, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(legacy_read_java((const uint8_t *)text, strlen(text), &no_limits, &p, &err), code);
	assert_null(p);
	assert_string_equal(err.msg, message);
}

static int64_t value(const struct profile *p, uint32_t type, uint32_t row)
{
	return p->value[type][row];
}

static const char *func(const struct profile *p, uint32_t loc)
{
	return profile_text(p, p->func_name[p->line_func[p->loc_line[loc]]]);
}

static const char *file(const struct profile *p, uint32_t loc)
{
	return profile_text(p, p->func_file[p->line_func[p->loc_line[loc]]]);
}

#define HEAP "--- heapz 1 ---\nformat = java\nresolution = bytes\n"
#define LOCKS "--- contentionz 1 ---\nformat = java\nresolution = us\n"

/* 2 objects of 524288 bytes: each is scaled by 1 / (1 - 1/e) = 1.5820 */
static void heap_values_are_scaled_and_swapped(void **state)
{
	struct profile *p = read_text(HEAP "1048576 2 @ 0x1 0x2\n");

	(void)state;
	assert_string_equal(profile_text(p, p->type[0].name), "inuse_objects");
	assert_string_equal(profile_text(p, p->type[1].unit), "bytes");
	assert_int_equal(value(p, 0, 0), 3);
	assert_int_equal(value(p, 1, 0), 1658822);
	assert_int_equal(p->label_num[0], 524288);
	assert_int_equal(p->meta.period, 0);
	profile_free(p);
}

static void contentions_are_multiplied_by_the_period(void **state)
{
	struct profile *p = read_text(LOCKS "sampling period = 100\nms since reset = 6000\n14 1 @ 0x1\n");

	(void)state;
	assert_int_equal(value(p, 0, 0), 100);
	assert_int_equal(value(p, 1, 0), 1400);
	assert_int_equal(p->meta.duration_ns, INT64_C(6000000000));
	assert_string_equal(profile_text(p, p->meta.period_type.name), "contentions");
	profile_free(p);
}

static void names_of_unused_addresses_are_ignored(void **state)
{
	struct profile *p = read_text(LOCKS "1 1 @ 0x1 0x2 0x3 0x4 0x5\n\n 0x1 a.b (B.java:3)\n 0x2 c (/lib/libx.so)\n"
					    " 0x3 [generated stub/JIT]\n 0x4 GC\n 0x9 unused (U.java:1)\n");

	(void)state;
	assert_int_equal(p->n_funcs, 4);
	assert_string_equal(func(p, 0), "a.b");
	assert_string_equal(file(p, 0), "B.java");
	assert_int_equal(p->line_no[0], 3);
	assert_string_equal(func(p, 1), "c");
	assert_string_equal(file(p, 1), "libx.so");
	assert_string_equal(func(p, 2), "STUB");
	assert_string_equal(func(p, 3), "GC");
	assert_int_equal(p->loc_line[5] - p->loc_line[4], 0);
	profile_free(p);
}

static void addresses_are_cleared_and_named_ones_have_no_mapping(void **state)
{
	struct profile *p = read_text(LOCKS "1 1 @ 0x1 0x2\n\n 0x1 a (B.java:3)\n");

	(void)state;
	assert_int_equal(p->loc_addr[0], 0);
	assert_int_equal(p->loc_addr[1], 0);
	assert_true(p->loc_map[0] == PROFILE_NONE);
	assert_int_equal(p->loc_map[1], 0);
	assert_true(p->map[0].limit == UINT64_MAX);
	profile_free(p);
}

static void a_profile_with_names_only_gets_an_empty_mapping(void **state)
{
	struct profile *p = read_text(LOCKS "1 1 @ 0x1\n\n 0x1 a (B.java:3)\n");

	(void)state;
	assert_int_equal(p->n_maps, 1);
	assert_int_equal(p->map[0].limit, 0);
	assert_int_equal(p->loc_map[0], 0);
	profile_free(p);
}

static void functions_with_the_same_name_share_the_first_file(void **state)
{
	struct profile *p = read_text(LOCKS "1 1 @ 0x1 0x2\n\n0x2 f (Two.java:2)\n0x1 f (One.java:1)\n");

	(void)state;
	assert_int_equal(p->n_funcs, 1);
	assert_string_equal(file(p, 0), "Two.java");
	assert_int_equal(p->line_no[0], 1);
	profile_free(p);
}

static void negative_lines_are_0_and_names_keep_blanks(void **state)
{
	struct profile *p = read_text(LOCKS "1 1 @ 0x1\n\n0x1 f  (B.java:-5)\n");

	(void)state;
	assert_int_equal(p->line_no[0], 0);
	assert_string_equal(func(p, 0), "f ");
	profile_free(p);
}

static void errors_name_the_line(void **state)
{
	(void)state;
	expect_error(HEAP "5 0 @ 0x1\n", ERR_FORMAT, "line 4: bytes without objects");
	expect_error(HEAP "sampling period = 1\n", ERR_FORMAT, "line 4: unknown attribute");
	expect_error("--- heapz 1 ---\nformat = lava\n", ERR_FORMAT, "line 2: the format is not java");
	expect_error("--- heapz 1 ---\nformat = java\n", ERR_FORMAT, "Java profile without resolution");
	expect_error(LOCKS "sampling period = 2\n9223372036854775807 1 @ 0x1\n", ERR_FORMAT,
		     "line 5: value times the sampling period overflows 64 bits");
	expect_error(LOCKS "1 1 @ 0x1\n0x11111111111111111 x\n", ERR_FORMAT,
		     "location table, line 5: address of more than 64 bits");
}

static void other_formats_are_left_to_the_next_reader(void **state)
{
	(void)state;
	expect_error("--- heapz 1 ---", ERR_UNKNOWN, "not a Java profile");
	expect_error("--- heapz 2 ---\n", ERR_UNKNOWN, "not a Java profile");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_values_are_scaled_and_swapped),
		cmocka_unit_test(contentions_are_multiplied_by_the_period),
		cmocka_unit_test(names_of_unused_addresses_are_ignored),
		cmocka_unit_test(addresses_are_cleared_and_named_ones_have_no_mapping),
		cmocka_unit_test(a_profile_with_names_only_gets_an_empty_mapping),
		cmocka_unit_test(functions_with_the_same_name_share_the_first_file),
		cmocka_unit_test(negative_lines_are_0_and_names_keep_blanks),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(other_formats_are_left_to_the_next_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
