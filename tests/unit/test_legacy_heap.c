/*
 * test_legacy_heap.c - heap profiles as text
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

	if (legacy_read_heap((const uint8_t *)text, strlen(text), &no_limits, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void expect_error(const char *text, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(legacy_read_heap((const uint8_t *)text, strlen(text), &no_limits, &p, &err), code);
	assert_null(p);
	assert_string_equal(err.msg, message);
}

static int64_t value(const struct profile *p, uint32_t type, uint32_t row)
{
	return p->value[type][row];
}

static uint64_t frame(const struct profile *p, uint32_t row, uint32_t i)
{
	return p->loc_addr[stack_id_at(&p->stacks, p->stacks.off[p->stack[row]] + i)];
}

static int64_t block(const struct profile *p, uint32_t row)
{
	uint32_t set = p->labels[row];

	if (p->label_sets.off[set] == p->label_sets.off[set + 1])
		return 0;
	return p->label_num[p->label_sets.item[p->label_sets.off[set]]];
}

static void allocated_values_precede_those_in_use(void **state)
{
	struct profile *p = read_text("heap profile: 3: 96 [5: 160] @ heap_v2/1\n 2: 64 [4: 128] @ 0x11 0x21\n");

	(void)state;
	assert_int_equal(p->n_types, 4);
	assert_string_equal(profile_text(p, p->type[0].name), "alloc_objects");
	assert_string_equal(profile_text(p, p->type[3].name), "inuse_space");
	assert_int_equal(value(p, 0, 0), 4);
	assert_int_equal(value(p, 1, 0), 128);
	assert_int_equal(value(p, 2, 0), 2);
	assert_int_equal(value(p, 3, 0), 64);
	profile_free(p);
}

static void omits_the_allocated_types_if_everything_is_in_use(void **state)
{
	struct profile *p = read_text("heap profile: 1: 32 [1: 32] @ heapprofile\n1: 32 [1: 32] @ 0x11\n");

	(void)state;
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[1].name), "space");
	profile_free(p);
}

static void every_return_address_is_moved_into_its_call(void **state)
{
	struct profile *p = read_text("heap profile: 0: 0 [0: 0] @ heap/2\n1: 32 [1: 32] @ 0x11 0x0\n");

	(void)state;
	assert_int_equal(frame(p, 0, 0), 0x10);
	assert_true(frame(p, 0, 1) == UINT64_MAX);
	profile_free(p);
}

/* 2 objects of 512 bytes at a rate of 512: each is scaled by 1 / (1 - 1/e) = 1.5820 */
static void samples_are_scaled_by_the_sampling_rate(void **state)
{
	struct profile *p = read_text("heap profile: 0: 0 [0: 0] @ heap/1024\n2: 1024 [0: 0] @ 0x11\n");

	(void)state;
	assert_int_equal(p->meta.period, 512);
	assert_int_equal(value(p, 0, 0), 3);
	assert_int_equal(value(p, 1, 0), 1619);
	assert_int_equal(block(p, 0), 512);
	profile_free(p);
}

static void a_heapprofile_is_not_scaled_whatever_its_rate(void **state)
{
	struct profile *p = read_text("heap profile: 0: 0 [0: 0] @ heapprofile/1024\n2: 1024 [0: 0] @ 0x11\n");

	(void)state;
	assert_int_equal(p->meta.period, 1);
	assert_int_equal(value(p, 1, 0), 1024);
	profile_free(p);
}

static void growth_and_fragmentation_are_heap_profiles(void **state)
{
	struct profile *p = read_text("heap profile: 1: 2 [3: 4] @ growthz\n1: 2 [3: 4] @ 0x11\n");

	(void)state;
	assert_int_equal(p->n_types, 2);
	profile_free(p);
	p = read_text("heap profile: 1: 2 [3: 4] @ fragmentation\n");
	assert_int_equal(p->n_rows, 0);
	profile_free(p);
}

static void values_in_use_may_be_negative(void **state)
{
	struct profile *p = read_text("heap profile: 0: 0 [0: 0] @ heap/2\n-2: -64 [0: 0] @ 0x11\n");

	(void)state;
	assert_int_equal(value(p, 0, 0), -2);
	assert_int_equal(value(p, 1, 0), -64);
	assert_int_equal(block(p, 0), 32);
	profile_free(p);
}

static void a_block_size_of_0_has_no_label(void **state)
{
	struct profile *p = read_text("heap profile: 0: 0 [0: 0] @ heap/2\n0: 0 [0: 0] @ 0x11\n");

	(void)state;
	assert_int_equal(p->labels[0], 0);
	profile_free(p);
}

static void a_missing_mapping_becomes_the_whole_address_space(void **state)
{
	struct profile *p = read_text("heap profile: 0: 0 [0: 0] @ heap/2\n1: 1 [0: 0] @ 0x11\n");

	(void)state;
	assert_int_equal(p->n_maps, 1);
	assert_int_equal(p->map[0].id, 1);
	assert_true(p->map[0].limit == UINT64_MAX);
	profile_free(p);
}

static void errors_name_the_line(void **state)
{
#define H "heap profile: 3: 96 [5: 160] @ heap/1024\n# comment\n"
	(void)state;
	expect_error(H "0: 5 [0: 0] @ 0x1\n", ERR_FORMAT, "line 3: inuse count was 0 but inuse bytes was 5");
	expect_error(H "1: 5 [0: 7] @ 0x1\n", ERR_FORMAT, "line 3: allocation count was 0 but allocation bytes was 7");
	expect_error(H "1: 5\n", ERR_FORMAT, "line 3: not a sample, such as \"1: 32 [1: 32] @ 0x400000\"");
	expect_error(H "1: 5 [0: 0] @ 0x10000000000000000\n", ERR_FORMAT, "line 3: address of more than 64 bits");
	expect_error(H "99999999999999999999: 5 [0: 0] @ 0x1\n", ERR_FORMAT, "line 3: number overflows 64 bits");
	expect_error(H "9223372036854775807: 9223372036854775807 [0: 0] @ 0x1\n", ERR_FORMAT,
		     "line 3: scaled value overflows 64 bits");
	expect_error(H "-1: -9223372036854775808 [0: 0] @ 0x1\n", ERR_FORMAT, "line 3: mean size overflows 64 bits");
	expect_error("heap profile: 3: 96 [5: 160] @ heapz/2\n", ERR_FORMAT,
		     "line 1: unknown kind of heap profile: heapz");
#undef H
}

static void other_formats_are_left_to_the_next_reader(void **state)
{
	(void)state;
	expect_error("", ERR_UNKNOWN, "not a heap profile");
	expect_error("\nheap profile: 3: 96 [5: 160] @ heap/2\n", ERR_UNKNOWN, "not a heap profile");
}

static void exceeded_limits_name_their_option(void **state)
{
	static const char text[] = "heap profile: 0: 0 [0: 0] @ heap/2\n1: 1 [0: 0] @ 0x1 0x2\n1: 1 [0: 0] @ 0x1\n";
	struct format_options limits = { .max_count = 1 };
	struct profile *p = NULL;
	struct err err;

	(void)state;
	assert_int_equal(legacy_read_heap((const uint8_t *)text, strlen(text), &limits, &p, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "line 2: more than 1 locations; raise the limit with --max-count");
	limits = (struct format_options){ .max_depth = 1 };
	assert_int_equal(legacy_read_heap((const uint8_t *)text, strlen(text), &limits, &p, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "line 2: more than 1 frames; raise the limit with --max-depth");
	limits = (struct format_options){ .max_count = 2, .max_depth = 2 };
	assert_int_equal(legacy_read_heap((const uint8_t *)text, strlen(text), &limits, &p, &err), 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocated_values_precede_those_in_use),
		cmocka_unit_test(omits_the_allocated_types_if_everything_is_in_use),
		cmocka_unit_test(every_return_address_is_moved_into_its_call),
		cmocka_unit_test(samples_are_scaled_by_the_sampling_rate),
		cmocka_unit_test(a_heapprofile_is_not_scaled_whatever_its_rate),
		cmocka_unit_test(growth_and_fragmentation_are_heap_profiles),
		cmocka_unit_test(values_in_use_may_be_negative),
		cmocka_unit_test(a_block_size_of_0_has_no_label),
		cmocka_unit_test(a_missing_mapping_becomes_the_whole_address_space),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(other_formats_are_left_to_the_next_reader),
		cmocka_unit_test(exceeded_limits_name_their_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
