/*
 * test_cursor.c - bounds-checked reader of the protobuf wire format
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/pprof/cursor.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The bytes are at the end of an allocated block, so that the sanitized build detects reads past them. */
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

static void expect_error(const char *bytes, size_t n, const char *message)
{
	struct input in = input_of(bytes, n);
	struct field f;

	assert_false(cursor_field(&in.c, &f));
	if (message)
		assert_string_equal(in.c.error, message);
	else
		assert_null(in.c.error);
	free(in.data);
}
#define EXPECT_ERROR(literal, message) expect_error(literal, sizeof(literal) - 1, message)

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

static void a_varint_may_have_padding(void **state)
{
	(void)state;
	VARINT("\x81\x80\x80\x00", 1);
	VARINT("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00", 1);
}

/* As in Go, bits above 64 are dropped. */
static void bits_above_64_are_dropped(void **state)
{
	(void)state;
	VARINT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", UINT64_MAX);
}

static void a_varint_of_eleven_bytes_is_an_error(void **state)
{
	(void)state;
	EXPECT_ERROR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "a number longer than ten bytes");
	EXPECT_ERROR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "a number longer than ten bytes");
}

static void a_truncated_varint_is_an_error(void **state)
{
	(void)state;
	EXPECT_ERROR("\x80", "truncated within a number");
	EXPECT_ERROR("\x08\x80\x80", "truncated within a number");
	EXPECT_ERROR("\x08", "truncated within a number");
	EXPECT_ERROR("\x12\x80", "truncated within a number");
}

static void the_end_is_neither_a_field_nor_an_error(void **state)
{
	(void)state;
	EXPECT_ERROR("", NULL);
}

static void fields_of_each_wire_type_are_read(void **state)
{
	struct input in = INPUT("\x08\x96\x01" /* 1: 150 */
				"\x12\x03"
				"abc"                                  /* field 2: three bytes */
				"\x1d\x01\x02\x03\x84"                 /* field 3: fixed32 */
				"\x21\x01\x02\x03\x04\x05\x06\x07\x88" /* field 4: fixed64 */
				"\x2a\x00");                           /* field 5: no bytes */
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
	assert_null(in.c.error);
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

static void bytes_past_the_end_of_the_message_are_an_error(void **state)
{
	(void)state;
	EXPECT_ERROR("\x12\x04"
		     "abc",
		     "a field extends past the end of its message");
	EXPECT_ERROR("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
		     "abc",
		     "a field extends past the end of its message");
}

static void truncated_fixed_numbers_are_an_error(void **state)
{
	(void)state;
	EXPECT_ERROR("\x1d\x01\x02\x03", "truncated within a number");
	EXPECT_ERROR("\x21\x01\x02\x03\x04\x05\x06\x07", "truncated within a number");
}

static void groups_and_unknown_wire_types_are_an_error(void **state)
{
	(void)state;
	EXPECT_ERROR("\x0b\x00", "unknown wire type");
	EXPECT_ERROR("\x0c\x00", "unknown wire type");
	EXPECT_ERROR("\x0e\x00", "unknown wire type");
	EXPECT_ERROR("\x0f\x00", "unknown wire type");
}

static void an_unexpected_wire_type_is_an_error(void **state)
{
	struct input in = INPUT("\x08\x01");
	struct field f;

	(void)state;
	assert_true(cursor_field(&in.c, &f));
	assert_true(cursor_expect(&in.c, &f, WIRE_VARINT));
	assert_null(in.c.error);
	assert_false(cursor_expect(&in.c, &f, WIRE_BYTES));
	assert_non_null(in.c.error);
	free(in.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_of_one_to_ten_bytes_are_read),
		cmocka_unit_test(a_varint_may_have_padding),
		cmocka_unit_test(bits_above_64_are_dropped),
		cmocka_unit_test(a_varint_of_eleven_bytes_is_an_error),
		cmocka_unit_test(a_truncated_varint_is_an_error),
		cmocka_unit_test(the_end_is_neither_a_field_nor_an_error),
		cmocka_unit_test(fields_of_each_wire_type_are_read),
		cmocka_unit_test(the_largest_field_number_is_read),
		cmocka_unit_test(bytes_past_the_end_of_the_message_are_an_error),
		cmocka_unit_test(truncated_fixed_numbers_are_an_error),
		cmocka_unit_test(groups_and_unknown_wire_types_are_an_error),
		cmocka_unit_test(an_unexpected_wire_type_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
