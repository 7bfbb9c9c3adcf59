/*
 * test_legacy_go_count.c - count profiles of Go as text
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

	if (legacy_read_go_count((const uint8_t *)text, strlen(text), &no_limits, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void expect_error(const char *text, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(legacy_read_go_count((const uint8_t *)text, strlen(text), &no_limits, &p, &err), code);
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

static void the_sample_type_has_the_name_of_the_profile(void **state)
{
	struct profile *p = read_text("# note\n\nparcels profile: total 3\n2 @ 0x11 0x21\n1 @ 0x31\n");

	(void)state;
	assert_int_equal(p->n_types, 1);
	assert_string_equal(profile_text(p, p->type[0].name), "parcels");
	assert_string_equal(profile_text(p, p->meta.period_type.name), "parcels");
	assert_int_equal(p->meta.period, 1);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(value(p, 0, 0), 2);
	assert_int_equal(frame(p, 0, 1), 0x20);
	profile_free(p);
}

static void locations_are_numbered_in_order_of_use(void **state)
{
	struct profile *p = read_text("a profile: total 3\n1 @ 0x31 0x11\n1 @ 0x11 0x21\n");

	(void)state;
	assert_int_equal(p->n_locs, 3);
	assert_int_equal(p->loc_addr[0], 0x30);
	assert_int_equal(p->loc_addr[1], 0x10);
	assert_int_equal(p->loc_addr[2], 0x20);
	assert_int_equal(p->loc_id[2], 3);
	profile_free(p);
}

static void dashes_end_the_samples(void **state)
{
	struct profile *p = read_text("a profile: total 3\n1 @ 0x31\n--- end\nnonsense\n");

	(void)state;
	assert_int_equal(p->n_rows, 1);
	profile_free(p);
}

static void mappings_follow_their_heading(void **state)
{
	struct profile *p = read_text("a profile: total 1\n1 @ 0x1001\n--- Memory map: ---\n1000-2000: /bin/a\n");

	(void)state;
	assert_int_equal(p->n_maps, 1);
	assert_int_equal(p->map[0].limit, 0x2000);
	assert_int_equal(p->loc_map[0], 0);
	profile_free(p);
}

static void a_count_with_leading_zero_is_octal(void **state)
{
	struct profile *p = read_text("a profile: total 1\n010 @ 0x1\n");

	(void)state;
	assert_int_equal(value(p, 0, 0), 8);
	profile_free(p);
}

static void address_0_wraps_and_address_1_is_in_no_mapping(void **state)
{
	struct profile *p = read_text("a profile: total 1\n1 @ 0x0 0x1\n");

	(void)state;
	assert_true(p->loc_addr[0] == UINT64_MAX);
	assert_int_equal(p->loc_map[0], 0);
	assert_int_equal(p->loc_addr[1], 0);
	assert_true(p->loc_map[1] == PROFILE_NONE);
	profile_free(p);
}

static void other_lines_are_errors(void **state)
{
#define H "a profile: total 1\n"
	static const char not_a_sample[] = "line 2: not a sample, such as \"1 @ 0x400000\"";

	(void)state;
	expect_error(H "three @ 0x1\n", ERR_FORMAT, not_a_sample);
	expect_error(H "1 @\n", ERR_FORMAT, not_a_sample);
	expect_error(H "1 @  0x1\n", ERR_FORMAT, not_a_sample);
	expect_error(H " 1 @ 0x1\n", ERR_FORMAT, not_a_sample);
	expect_error(H "1 @ 0x\n", ERR_FORMAT, "line 2: no 64-bit address after 0x");
	expect_error(H "1 @ 0xA\n", ERR_FORMAT, "line 2: address with upper-case digits");
	expect_error(H "08 @ 0x1\n", ERR_FORMAT, "line 2: the count is not a 64-bit number");
#undef H
}

static void other_formats_are_left_to_the_next_reader(void **state)
{
	(void)state;
	expect_error("a b profile: total 1\n", ERR_UNKNOWN, "not a Go count profile");
	expect_error("a profile: total 1 \n", ERR_UNKNOWN, "not a Go count profile");
	expect_error("a profile: total\n", ERR_UNKNOWN, "not a Go count profile");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sample_type_has_the_name_of_the_profile),
		cmocka_unit_test(locations_are_numbered_in_order_of_use),
		cmocka_unit_test(dashes_end_the_samples),
		cmocka_unit_test(mappings_follow_their_heading),
		cmocka_unit_test(a_count_with_leading_zero_is_octal),
		cmocka_unit_test(address_0_wraps_and_address_1_is_in_no_mapping),
		cmocka_unit_test(other_lines_are_errors),
		cmocka_unit_test(other_formats_are_left_to_the_next_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
