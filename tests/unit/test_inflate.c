/*
 * test_inflate.c - take away the layers of compression
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "reader/reader_int.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/buf.h"

static const struct reader_limits usual = { .max_inflated = 1000, .max_ratio = 500, .max_nesting = 1 };
static const struct reader_limits none;

/* Append one gzip member. */
static void add_gzip(struct buf *out, const void *data, size_t n)
{
	z_stream z = { 0 };
	size_t room = n + n / 1000 + 100;
	uint8_t *packed = malloc(room);

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)n;
	z.next_out = packed;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	buf_add(out, packed, z.total_out);
	deflateEnd(&z);
	free(packed);
}

/* Append one zstd frame. */
static void add_zstd(struct buf *out, const void *data, size_t n)
{
	size_t room = ZSTD_compressBound(n), packed_n;
	uint8_t *packed = malloc(room);

	packed_n = ZSTD_compress(packed, room, data, n, 3);
	assert_false(ZSTD_isError(packed_n));
	buf_add(out, packed, packed_n);
	free(packed);
}

static int unpack(const void *data, size_t n, const struct reader_limits *limits, struct bytes *out, struct err *err)
{
	struct bytes in = { malloc(n + !n), n };
	int rc;

	if (n)
		memcpy(in.data, data, n);
	rc = reader_inflate(&in, limits, out, err);
	assert_int_equal(in.n, 0);
	return rc;
}

static void expect_bytes(const struct buf *packed, const struct reader_limits *limits, const char *text, size_t n)
{
	struct bytes out = { 0 };
	struct err err;

	if (unpack(packed->data, packed->len, limits, &out, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(out.n, n);
	assert_int_equal(memcmp(out.data, text, n), 0);
	free(out.data);
}

static void expect_error(const void *data, size_t n, const struct reader_limits *limits, int code, const char *part)
{
	struct bytes out = { NULL, 77 };
	struct err err;

	assert_int_equal(unpack(data, n, limits, &out, &err), code);
	if (!strstr(err.msg, part))
		fail_msg("\"%s\" is not in \"%s\"", part, err.msg);
	assert_int_equal(out.n, 77);
}

static void plain_bytes_are_handed_on_and_not_copied(void **state)
{
	uint8_t *data = (uint8_t *)strdup("plain");
	struct bytes in = { data, 5 }, out;

	(void)state;
	assert_int_equal(reader_inflate(&in, &usual, &out, NULL), 0);
	assert_ptr_equal(out.data, data);
	assert_int_equal(out.n, 5);
	free(out.data);
}

static void no_bytes_stay_no_bytes(void **state)
{
	struct buf b = { 0 };

	(void)state;
	expect_bytes(&b, &usual, "", 0);
}

static void one_member_is_unpacked(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello", 17);
	expect_bytes(&b, &usual, "hello hello hello", 17);
	buf_release(&b);
}

static void a_member_may_hold_nothing(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "", 0);
	expect_bytes(&b, &usual, "", 0);
	buf_release(&b);
}

static void members_are_joined_and_may_be_empty(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "one ", 4);
	add_gzip(&b, "", 0);
	add_gzip(&b, "three, which is longer than the first", 37);
	add_gzip(&b, "!", 1);
	expect_bytes(&b, &usual, "one three, which is longer than the first!", 42);
	buf_release(&b);
}

/* More than the room that unpacking begins with. */
static void large_members_are_joined(void **state)
{
	enum { N = 3000000 };
	char *text = malloc(2 * N);
	struct buf b = { 0 };
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < 2 * N; i++)
		text[i] = (char)((x = x * 1664525 + 1013904223) >> 30);
	add_gzip(&b, text, N);
	add_gzip(&b, text + N, N);
	expect_bytes(&b, &none, text, 2 * N);
	buf_release(&b);
	free(text);
}

static void a_length_that_is_not_true_is_damage(void **state)
{
	static const uint32_t lies[] = { 0, 16, 18, 900, 1000000, UINT32_MAX };
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello", 17);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		memcpy(b.data + b.len - 4, &lies[i], 4);
		expect_error(b.data, b.len, &none, ERR_FORMAT, "incorrect length check");
	}
	buf_release(&b);
}

static void a_checksum_that_is_not_true_is_damage(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello", 17);
	b.data[b.len - 8] ^= 1;
	expect_error(b.data, b.len, &usual, ERR_FORMAT, "gzip data is damaged near byte ");
	expect_error(b.data, b.len, &usual, ERR_FORMAT, "incorrect data check");
	buf_release(&b);
}

static void a_member_that_is_cut_anywhere_ends_too_early(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello", 17);
	for (size_t n = 2; n < b.len; n++)
		expect_error(b.data, n, &none, ERR_FORMAT, "gzip data ends too early, after ");
	buf_release(&b);
}

static void a_second_member_that_is_cut_ends_too_early(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "first", 5);
	add_gzip(&b, "second", 6);
	expect_error(b.data, b.len - 1, &none, ERR_FORMAT, "gzip data ends too early, after ");
	buf_release(&b);
}

/* The last four bytes of what is left are no size; taken for one, they speak of 20000 bytes. */
static void a_cut_member_is_not_taken_for_one_over_a_limit(void **state)
{
	struct reader_limits limits = { .max_inflated = 1000 };
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello hello hello", 29);
	b.len -= 8;
	memcpy(b.data + b.len - 4, &(uint32_t){ 20000 }, 4);
	expect_error(b.data, b.len, &limits, ERR_FORMAT, "gzip data ");
	buf_release(&b);
}

static void other_bytes_behind_a_member_are_damage(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello", 5);
	buf_addz(&b, "junk");
	expect_error(b.data, b.len, &usual, ERR_FORMAT, "gzip data is damaged");
	buf_release(&b);
}

static void two_layers_are_refused_unless_allowed(void **state)
{
	struct reader_limits two = usual;
	struct buf inner = { 0 }, b = { 0 };

	(void)state;
	add_gzip(&inner, "deep", 4);
	add_gzip(&b, inner.data, inner.len);
	expect_error(b.data, b.len, &usual, ERR_LIMIT,
		     "compressed more than 1 times over; --max-nesting lifts this limit");
	two.max_nesting = 2;
	expect_bytes(&b, &two, "deep", 4);
	two.max_nesting = 0;
	expect_bytes(&b, &two, "deep", 4);
	buf_release(&inner);
	buf_release(&b);
}

static void exactly_the_limit_may_come_out(void **state)
{
	struct reader_limits five = { .max_inflated = 5 };
	struct buf one = { 0 }, members = { 0 }, zstd = { 0 };

	(void)state;
	add_gzip(&one, "12345", 5);
	add_gzip(&members, "123", 3);
	add_gzip(&members, "45", 2);
	add_zstd(&zstd, "12345", 5);
	expect_bytes(&one, &five, "12345", 5);
	expect_bytes(&members, &five, "12345", 5);
	expect_bytes(&zstd, &five, "12345", 5);
	buf_release(&one);
	buf_release(&members);
	buf_release(&zstd);
}

static void one_byte_more_than_the_limit_is_refused(void **state)
{
	static const char sentence[] = "inflates to more than 4 bytes; --max-inflated lifts this limit";
	struct reader_limits four = { .max_inflated = 4 };
	struct buf one = { 0 }, members = { 0 }, zstd = { 0 };

	(void)state;
	add_gzip(&one, "12345", 5);
	add_gzip(&members, "123", 3);
	add_gzip(&members, "45", 2);
	add_zstd(&zstd, "12345", 5);
	expect_error(one.data, one.len, &four, ERR_LIMIT, sentence);
	expect_error(members.data, members.len, &four, ERR_LIMIT, sentence);
	expect_error(zstd.data, zstd.len, &four, ERR_LIMIT, sentence);
	buf_release(&one);
	buf_release(&members);
	buf_release(&zstd);
}

enum { RATIO_FREE = 64 << 20 };

/* Zeros, about a thousand of which make one packed byte. */
static void bomb(struct buf *gzip, struct buf *zstd, size_t n)
{
	char *zeros = calloc(1, n);

	add_gzip(gzip, zeros, n);
	add_zstd(zstd, zeros, n);
	free(zeros);
}

static void past_64_mib_the_ratio_counts(void **state)
{
	static const char sentence[] = "inflates to more than 500 times its size; --max-ratio lifts this limit";
	struct reader_limits limits = { .max_ratio = 500 };
	struct buf gzip = { 0 }, zstd = { 0 };

	(void)state;
	bomb(&gzip, &zstd, RATIO_FREE + 1);
	expect_error(gzip.data, gzip.len, &limits, ERR_LIMIT, sentence);
	expect_error(zstd.data, zstd.len, &limits, ERR_LIMIT, sentence);
	add_gzip(&gzip, "", 0); /* several members go another way */
	expect_error(gzip.data, gzip.len, &limits, ERR_LIMIT, sentence);
	buf_release(&gzip);
	buf_release(&zstd);
}

static void up_to_64_mib_the_ratio_does_not_count(void **state)
{
	struct reader_limits limits = { .max_ratio = 500 };
	struct buf gzip = { 0 }, zstd = { 0 };
	char *zeros = calloc(1, RATIO_FREE);

	(void)state;
	bomb(&gzip, &zstd, RATIO_FREE);
	expect_bytes(&gzip, &limits, zeros, RATIO_FREE);
	buf_release(&gzip);
	buf_release(&zstd);
	free(zeros);
}

static void zstd_frames_are_unpacked_and_joined(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_zstd(&b, "one ", 4);
	expect_bytes(&b, &usual, "one ", 4);
	add_zstd(&b, "", 0);
	add_zstd(&b, "two", 3);
	expect_bytes(&b, &usual, "one two", 7);
	buf_release(&b);
}

static void a_large_zstd_frame_is_unpacked(void **state)
{
	enum { N = 3000000 };
	char *text = malloc(N);
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < N; i++)
		text[i] = (char)(i * i >> 7);
	add_zstd(&b, text, N);
	expect_bytes(&b, &none, text, N);
	buf_release(&b);
	free(text);
}

static void a_zstd_frame_that_is_cut_anywhere_ends_too_early(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_zstd(&b, "hello hello hello", 17);
	for (size_t n = 4; n < b.len; n++)
		expect_error(b.data, n, &usual, ERR_FORMAT, "zstd data ends too early, after ");
	buf_release(&b);
}

static void damaged_zstd_data_is_told(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_zstd(&b, "hello hello hello", 17);
	buf_addz(&b, "junk");
	expect_error(b.data, b.len, &usual, ERR_FORMAT, "zstd data is damaged near byte ");
	buf_release(&b);
}

static void one_kind_of_compression_may_hold_the_other(void **state)
{
	struct reader_limits two = { .max_nesting = 2 };
	struct buf inner = { 0 }, b = { 0 };

	(void)state;
	add_gzip(&inner, "deep", 4);
	add_zstd(&b, inner.data, inner.len);
	expect_error(b.data, b.len, &usual, ERR_LIMIT, "--max-nesting");
	expect_bytes(&b, &two, "deep", 4);
	buf_release(&inner);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_bytes_are_handed_on_and_not_copied),
		cmocka_unit_test(no_bytes_stay_no_bytes),
		cmocka_unit_test(one_member_is_unpacked),
		cmocka_unit_test(a_member_may_hold_nothing),
		cmocka_unit_test(members_are_joined_and_may_be_empty),
		cmocka_unit_test(large_members_are_joined),
		cmocka_unit_test(a_length_that_is_not_true_is_damage),
		cmocka_unit_test(a_checksum_that_is_not_true_is_damage),
		cmocka_unit_test(a_member_that_is_cut_anywhere_ends_too_early),
		cmocka_unit_test(a_second_member_that_is_cut_ends_too_early),
		cmocka_unit_test(a_cut_member_is_not_taken_for_one_over_a_limit),
		cmocka_unit_test(other_bytes_behind_a_member_are_damage),
		cmocka_unit_test(two_layers_are_refused_unless_allowed),
		cmocka_unit_test(exactly_the_limit_may_come_out),
		cmocka_unit_test(one_byte_more_than_the_limit_is_refused),
		cmocka_unit_test(past_64_mib_the_ratio_counts),
		cmocka_unit_test(up_to_64_mib_the_ratio_does_not_count),
		cmocka_unit_test(zstd_frames_are_unpacked_and_joined),
		cmocka_unit_test(a_large_zstd_frame_is_unpacked),
		cmocka_unit_test(a_zstd_frame_that_is_cut_anywhere_ends_too_early),
		cmocka_unit_test(damaged_zstd_data_is_told),
		cmocka_unit_test(one_kind_of_compression_may_hold_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
