/*
 * test_cursor.c - read the protobuf wire format, never past its end
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "reader/cursor.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The bytes stand at the end of a block of their own, so that the sanitized build sees a read past
   them. */
struct input {
	uint8_t *data;
	struct cursor c;
};

static struct input input_of(const char *bytes, size_t n)
{
	struct input in = { .data = malloc(n + !n) };

	memcpy(in.data, bytes, n);
	in.c = (struct cursor){ in.data, in.data + n, NULL };
	return in;
}
#define INPUT(literal) input_of(literal, sizeof(literal) - 1)

static void expect_varint(const char *bytes, size_t n, uint64_t value)
{
	struct input in = input_of(bytes, n);
	uint64_t v = 99;

	assert_true(cursor_varint(&in.c, &v));
	assert_true(v == value);
	assert_ptr_equal(in.c.at, in.c.end);
	free(in.data);
}
#define VARINT(literal, value) expect_varint(literal, sizeof(literal) - 1, value)

static void expect_wrong(const char *bytes, size_t n, const char *why)
{
	struct input in = input_of(bytes, n);
	struct field f;

	assert_false(cursor_field(&in.c, &f));
	if (why)
		assert_string_equal(in.c.wrong, why);
	else
		assert_null(in.c.wrong);
	free(in.data);
}
#define WRONG(literal, why) expect_wrong(literal, sizeof(literal) - 1, why)

static void varints_of_one_to_ten_bytes_are_read(void **state)
{
	(void)state;
	VARINT("\x00", 0);
	VARINT("\x7f", 127);
	VARINT("\x80\x01", 128);
	VARINT("\xac\x02", 300);
	VARINT("\xff\xff\xff\xff\x0f", UINT32_MAX);
	VARINT("\xff\xff\xff\xff\xff\xff\xff\xff\x7f", INT64_MAX);
	VARINT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", UINT64_MAX);
}

static void a_varint_may_be_longer_than_it_must(void **state)
{
	(void)state;
	VARINT("\x81\x80\x80\x00", 1);
	VARINT("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00", 1);
}

/* As in Go: what lies above 64 bits falls away. */
static void bits_above_64_are_dropped(void **state)
{
	(void)state;
	VARINT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", UINT64_MAX);
}

static void a_varint_of_eleven_bytes_is_wrong(void **state)
{
	(void)state;
	WRONG("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "a number of more than ten bytes");
	WRONG("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "a number of more than ten bytes");
}

static void a_varint_that_is_cut_is_wrong(void **state)
{
	(void)state;
	WRONG("\x80", "it ends inside a number");
	WRONG("\x08\x80\x80", "it ends inside a number");
	WRONG("\x08", "it ends inside a number");
	WRONG("\x12\x80", "it ends inside a number");
}

static void the_end_is_no_field_and_nothing_wrong(void **state)
{
	(void)state;
	WRONG("", NULL);
}

static void fields_of_each_wire_type_are_read_in_turn(void **state)
{
	struct input in = INPUT("\x08\x96\x01" /* 1: 150 */
				"\x12\x03"
				"abc"                                  /* 2: three bytes */
				"\x1d\x01\x02\x03\x84"                 /* 3: fixed32 */
				"\x21\x01\x02\x03\x04\x05\x06\x07\x88" /* 4: fixed64 */
				"\x2a\x00");                           /* 5: no bytes */
	struct field f;

	(void)state;
	assert_true(cursor_field(&in.c, &f));
	assert_true(f.number == 1 && f.type == WIRE_VARINT && f.value == 150);
	assert_true(cursor_field(&in.c, &f));
	assert_true(f.number == 2 && f.type == WIRE_BYTES && f.n == 3);
	assert_memory_equal(f.data, "abc", 3);
	assert_true(cursor_field(&in.c, &f));
	assert_true(f.number == 3 && f.type == WIRE_FIXED32 && f.value == 0x84030201);
	assert_true(cursor_field(&in.c, &f));
	assert_true(f.number == 4 && f.type == WIRE_FIXED64 && f.value == 0x8807060504030201);
	assert_true(cursor_field(&in.c, &f));
	assert_true(f.number == 5 && f.type == WIRE_BYTES && f.n == 0);
	assert_false(cursor_field(&in.c, &f));
	assert_null(in.c.wrong);
	free(in.data);
}

static void the_largest_field_number_is_read(void **state)
{
	struct input in = INPUT("\xf8\xff\xff\xff\x0f\x01");
	struct field f;

	(void)state;
	assert_true(cursor_field(&in.c, &f));
	assert_int_equal(f.number, (1 << 29) - 1);
	free(in.data);
}

static void bytes_longer_than_what_holds_them_are_wrong(void **state)
{
	(void)state;
	WRONG("\x12\x04"
	      "abc",
	      "a field is longer than what holds it");
	WRONG("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	      "abc",
	      "a field is longer than what holds it");
}

static void fixed_numbers_that_are_cut_are_wrong(void **state)
{
	(void)state;
	WRONG("\x1d\x01\x02\x03", "it ends inside a number");
	WRONG("\x21\x01\x02\x03\x04\x05\x06\x07", "it ends inside a number");
}

static void groups_and_unknown_wire_types_are_wrong(void **state)
{
	(void)state;
	WRONG("\x0b\x00", "unknown wire type");
	WRONG("\x0c\x00", "unknown wire type");
	WRONG("\x0e\x00", "unknown wire type");
	WRONG("\x0f\x00", "unknown wire type");
}

static void another_type_than_expected_is_wrong(void **state)
{
	struct input in = INPUT("\x08\x01");
	struct field f;

	(void)state;
	assert_true(cursor_field(&in.c, &f));
	assert_true(cursor_expect(&in.c, &f, WIRE_VARINT));
	assert_null(in.c.wrong);
	assert_false(cursor_expect(&in.c, &f, WIRE_BYTES));
	assert_non_null(in.c.wrong);
	free(in.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_of_one_to_ten_bytes_are_read),
		cmocka_unit_test(a_varint_may_be_longer_than_it_must),
		cmocka_unit_test(bits_above_64_are_dropped),
		cmocka_unit_test(a_varint_of_eleven_bytes_is_wrong),
		cmocka_unit_test(a_varint_that_is_cut_is_wrong),
		cmocka_unit_test(the_end_is_no_field_and_nothing_wrong),
		cmocka_unit_test(fields_of_each_wire_type_are_read_in_turn),
		cmocka_unit_test(the_largest_field_number_is_read),
		cmocka_unit_test(bytes_longer_than_what_holds_them_are_wrong),
		cmocka_unit_test(fixed_numbers_that_are_cut_are_wrong),
		cmocka_unit_test(groups_and_unknown_wire_types_are_wrong),
		cmocka_unit_test(another_type_than_expected_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
