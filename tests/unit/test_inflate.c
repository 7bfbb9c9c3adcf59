/*
 * test_inflate.c - decompress gzip, zstd and LZ4
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/format.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <lz4.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "tests/unit/make_gzip.h"

static const struct format_options default_limits = { .max_inflated = 1000, .max_ratio = 500, .max_nesting = 1 };
static const struct format_options no_limits;

static void add_gzip(struct buf *out, const void *data, size_t n)
{
	add_gzip_level(out, data, n, 6);
}

/* Append a zstd frame. */
static void add_zstd(struct buf *out, const void *data, size_t n)
{
	size_t room = ZSTD_compressBound(n), packed_n;
	uint8_t *packed = malloc(room);

	packed_n = ZSTD_compress(packed, room, data, n, 3);
	assert_false(ZSTD_isError(packed_n));
	buf_add(out, packed, packed_n);
	free(packed);
}

/* Append an LZ4 frame. */
static void add_lz4(struct buf *out, const void *data, size_t n)
{
	size_t room = LZ4F_compressFrameBound(n, NULL), packed_n;
	uint8_t *packed = malloc(room);

	packed_n = LZ4F_compressFrame(packed, room, data, n, NULL);
	assert_false(LZ4F_isError(packed_n));
	buf_add(out, packed, packed_n);
	free(packed);
}

static int unpack(const void *data, size_t n, const struct format_options *limits, struct bytes *out, struct err *err)
{
	struct bytes in = { .data = malloc(n + !n), .n = n };
	int rc;

	if (n)
		memcpy(in.data, data, n);
	rc = format_inflate(&in, limits, out, err);
	assert_int_equal(in.n, 0);
	return rc;
}

static void expect_bytes(const struct buf *packed, const struct format_options *limits, const char *text, size_t n)
{
	struct bytes out = { 0 };
	struct err err;

	if (unpack(packed->data, packed->len, limits, &out, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(out.n, n);
	assert_int_equal(memcmp(out.data, text, n), 0);
	free(out.data);
}

static void expect_error(const void *data, size_t n, const struct format_options *limits, int code, const char *part)
{
	struct bytes out = { .n = 77 };
	struct err err;

	assert_int_equal(unpack(data, n, limits, &out, &err), code);
	if (!strstr(err.msg, part))
		fail_msg("\"%s\" is not in \"%s\"", part, err.msg);
	assert_int_equal(out.n, 77);
}

static void uncompressed_bytes_are_not_copied(void **state)
{
	uint8_t *data = (uint8_t *)strdup("plain");
	struct bytes in = { .data = data, .n = 5 }, out;

	(void)state;
	assert_int_equal(format_inflate(&in, &default_limits, &out, NULL), 0);
	assert_ptr_equal(out.data, data);
	assert_int_equal(out.n, 5);
	free(out.data);
}

static void empty_input_stays_empty(void **state)
{
	struct buf b = { 0 };

	(void)state;
	expect_bytes(&b, &default_limits, "", 0);
}

static void one_member_is_unpacked(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello", 17);
	expect_bytes(&b, &default_limits, "hello hello hello", 17);
	buf_release(&b);
}

static void a_member_may_be_empty(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "", 0);
	expect_bytes(&b, &default_limits, "", 0);
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
	expect_bytes(&b, &default_limits, "one three, which is longer than the first!", 42);
	buf_release(&b);
}

/* More than the initial size of the output buffer. */
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
	expect_bytes(&b, &no_limits, text, 2 * N);
	buf_release(&b);
	free(text);
}

static void a_wrong_length_is_an_error(void **state)
{
	static const uint32_t lies[] = { 0, 16, 18, 900, 1000000, UINT32_MAX };
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello", 17);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		memcpy(b.data + b.len - 4, &lies[i], 4);
		expect_error(b.data, b.len, &no_limits, ERR_FORMAT, "incorrect length check");
	}
	buf_release(&b);
}

static void a_wrong_checksum_is_an_error(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello", 17);
	b.data[b.len - 8] ^= 1;
	expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "gzip data is damaged near byte ");
	expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "incorrect data check");
	buf_release(&b);
}

static void a_member_truncated_anywhere_is_reported(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello", 17);
	for (size_t n = 2; n < b.len; n++)
		expect_error(b.data, n, &no_limits, ERR_FORMAT, "gzip data is truncated after ");
	buf_release(&b);
}

static void a_truncated_second_member_is_reported(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "first", 5);
	add_gzip(&b, "second", 6);
	expect_error(b.data, b.len - 1, &no_limits, ERR_FORMAT, "gzip data is truncated after ");
	buf_release(&b);
}

/* The last four bytes of the truncated file are not a size. Read as one, they would be 20000 bytes. */
static void a_truncated_member_does_not_exceed_a_limit(void **state)
{
	struct format_options limits = { .max_inflated = 1000 };
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello hello hello hello hello", 29);
	b.len -= 8;
	memcpy(b.data + b.len - 4, &(uint32_t){ 20000 }, 4);
	expect_error(b.data, b.len, &limits, ERR_FORMAT, "gzip data ");
	buf_release(&b);
}

static void trailing_bytes_after_a_member_are_an_error(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_gzip(&b, "hello", 5);
	buf_addz(&b, "junk");
	expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "gzip data is damaged");
	buf_release(&b);
}

static void two_layers_are_refused_unless_allowed(void **state)
{
	struct format_options two = default_limits;
	struct buf inner = { 0 }, b = { 0 };

	(void)state;
	add_gzip(&inner, "deep", 4);
	add_gzip(&b, inner.data, inner.len);
	expect_error(b.data, b.len, &default_limits, ERR_LIMIT,
		     "compression is nested more than 1 deep; raise the limit with --max-nesting");
	two.max_nesting = 2;
	expect_bytes(&b, &two, "deep", 4);
	two.max_nesting = 0;
	expect_bytes(&b, &two, "deep", 4);
	buf_release(&inner);
	buf_release(&b);
}

static void output_of_exactly_the_limit_is_allowed(void **state)
{
	struct format_options five = { .max_inflated = 5 };
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
	static const char message[] = "inflates to more than 4 bytes; raise the limit with --max-inflated";
	struct format_options four = { .max_inflated = 4 };
	struct buf one = { 0 }, members = { 0 }, zstd = { 0 };

	(void)state;
	add_gzip(&one, "12345", 5);
	add_gzip(&members, "123", 3);
	add_gzip(&members, "45", 2);
	add_zstd(&zstd, "12345", 5);
	expect_error(one.data, one.len, &four, ERR_LIMIT, message);
	expect_error(members.data, members.len, &four, ERR_LIMIT, message);
	expect_error(zstd.data, zstd.len, &four, ERR_LIMIT, message);
	buf_release(&one);
	buf_release(&members);
	buf_release(&zstd);
}

enum { RATIO_FREE = 64 << 20 };

/* Zeros, about a thousand of which compress to one byte. */
static void bomb(struct buf *gzip, struct buf *zstd, size_t n)
{
	char *zeros = calloc(1, n);

	add_gzip(gzip, zeros, n);
	add_zstd(zstd, zeros, n);
	free(zeros);
}

static void above_64_mib_the_ratio_is_limited(void **state)
{
	static const char message[] = "inflates to more than 500 times its size; raise the limit with --max-ratio";
	struct format_options limits = { .max_ratio = 500 };
	struct buf gzip = { 0 }, zstd = { 0 };

	(void)state;
	bomb(&gzip, &zstd, RATIO_FREE + 1);
	expect_error(gzip.data, gzip.len, &limits, ERR_LIMIT, message);
	expect_error(zstd.data, zstd.len, &limits, ERR_LIMIT, message);
	add_gzip(&gzip, "", 0); /* several members use another code path */
	expect_error(gzip.data, gzip.len, &limits, ERR_LIMIT, message);
	buf_release(&gzip);
	buf_release(&zstd);
}

/* Zeros first, which exceed the ratio, then bytes that do not compress. */
static void only_the_ratio_of_the_whole_input_is_limited(void **state)
{
	enum { N = RATIO_FREE + (8 << 20), NOISE = 1 << 20 };
	struct format_options limits = { .max_ratio = 500 };
	struct buf gzip = { 0 }, zstd = { 0 };
	char *text = calloc(1, N);
	uint32_t x = 1;

	(void)state;
	for (size_t i = N - NOISE; i < N; i++)
		text[i] = (char)((x = x * 1664525 + 1013904223) >> 24);
	add_gzip(&gzip, text, N - 100);
	add_gzip(&gzip, text + N - 100, 100); /* it is not decompressed in one call */
	add_zstd(&zstd, text, N);
	expect_bytes(&gzip, &limits, text, N);
	expect_bytes(&zstd, &limits, text, N);
	buf_release(&gzip);
	buf_release(&zstd);
	free(text);
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/*
 * In a child process, to measure its own peak memory: of 400 MiB, only the output allowed before the ratio check is
 * stored.
 */
static void a_decompression_bomb_is_counted_but_not_stored(void **state)
{
	enum { N = 100 << 20, TIMES = 4 };
#if defined(__SANITIZE_ADDRESS__)
	const long allowed_kib = 1 << 30; /* freed memory is not returned */
#else
	const long allowed_kib = 112 << 10;
#endif
	struct format_options limits = { .max_ratio = 500 };
	struct buf packed[2] = { { 0 } };

	(void)state;
	bomb(&packed[0], &packed[1], N);
	for (int kind = 0; kind < 2; kind++) {
		struct buf b = { 0 };
		pid_t child;
		int status = -1;

		for (int i = 0; i < TIMES; i++)
			buf_add(&b, packed[kind].data, packed[kind].len);
		child = fork();
		if (child == 0) {
			struct bytes out;
			struct err err;
			FILE *reset = fopen("/proc/self/clear_refs", "w");
			long before;

			if (reset) /* reset the peak */
				fputs("5", reset), fclose(reset);
			before = peak_kib();
			_exit(unpack(b.data, b.len, &limits, &out, &err) != ERR_LIMIT ? 1
			      : peak_kib() - before > allowed_kib                     ? 2
										      : 0);
		}
		assert_true(child > 0 && waitpid(child, &status, 0) == child);
		assert_int_equal(status, 0);
		buf_release(&b);
	}
	buf_release(&packed[0]);
	buf_release(&packed[1]);
}

static void up_to_64_mib_the_ratio_is_not_limited(void **state)
{
	struct format_options limits = { .max_ratio = 500 };
	struct buf gzip = { 0 }, zstd = { 0 };
	char *zeros = calloc(1, RATIO_FREE);

	(void)state;
	bomb(&gzip, &zstd, RATIO_FREE);
	expect_bytes(&gzip, &limits, zeros, RATIO_FREE);
	buf_release(&gzip);
	buf_release(&zstd);
	free(zeros);
}

static void lz4_frames_are_unpacked_and_joined(void **state)
{
	enum { N = 3000000 };
	char *text = calloc(N + 4, 1);
	struct buf b = { 0 };

	(void)state;
	memcpy(text, "one ", 4);
	for (size_t i = 0; i < N; i++)
		text[i + 4] = (char)(i * i >> 7);
	add_lz4(&b, "one ", 4);
	expect_bytes(&b, &default_limits, "one ", 4);
	add_lz4(&b, "", 0);
	add_lz4(&b, text + 4, N);
	expect_bytes(&b, &no_limits, text, N + 4);
	buf_release(&b);
	free(text);
}

static void a_bad_lz4_frame_is_reported(void **state)
{
	const struct format_options ten = { .max_inflated = 10 };
	struct buf b = { 0 };

	(void)state;
	add_lz4(&b, "hello hello hello", 17);
	for (size_t n = 4; n < b.len; n++)
		expect_error(b.data, n, &default_limits, ERR_FORMAT, "LZ4 data is truncated after ");
	expect_error(b.data, b.len, &ten, ERR_LIMIT, "inflates to more than 10 bytes");
	buf_addz(&b, "junk after the frame");
	expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "LZ4 data is damaged near byte ");
	buf_release(&b);
}

static void add_u32(struct buf *out, uint32_t n)
{
	const uint8_t bytes[] = { (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24) };

	buf_add(out, bytes, sizeof(bytes));
}

/* Append a skippable frame of zstd and LZ4. */
static void add_skippable(struct buf *out, uint32_t kind, const char *text)
{
	add_u32(out, 0x184d2a50 + kind);
	add_u32(out, (uint32_t)strlen(text));
	buf_addz(out, text);
}

/* Append a frame as lz4 -l writes it. */
static void add_lz4_legacy(struct buf *out, const char *data, size_t n)
{
	enum { BLOCK = 8 << 20 };
	char *packed = malloc(LZ4_COMPRESSBOUND(BLOCK));

	add_u32(out, 0x184c2102);
	for (size_t at = 0; at < n; at += BLOCK) {
		int size = LZ4_compress_default(data + at, packed, (int)(n - at < BLOCK ? n - at : BLOCK),
						LZ4_COMPRESSBOUND(BLOCK));

		assert_true(size > 0);
		add_u32(out, (uint32_t)size);
		buf_add(out, packed, (size_t)size);
	}
	free(packed);
}

static void skippable_frames_are_skipped(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_skippable(&b, 0, "note");
	add_skippable(&b, 15, "");
	add_lz4(&b, "one ", 4);
	add_skippable(&b, 3, "between");
	add_lz4(&b, "two", 3);
	add_skippable(&b, 1, "at the end");
	expect_bytes(&b, &default_limits, "one two", 7);
	b.len = 0;
	add_skippable(&b, 7, "note");
	add_zstd(&b, "one ", 4);
	add_skippable(&b, 7, "between");
	add_zstd(&b, "two", 3);
	expect_bytes(&b, &default_limits, "one two", 7);
	buf_release(&b);
}

static void legacy_lz4_frames_are_unpacked(void **state)
{
	enum { N = 9000000 }; /* more than a block */
	char *text = calloc(N + 4, 1);
	struct buf b = { 0 };

	(void)state;
	memcpy(text + N, "two ", 4);
	for (size_t i = 0; i < N; i++)
		text[i] = (char)(i * i >> 7);
	add_lz4_legacy(&b, "hello hello hello", 17);
	expect_bytes(&b, &default_limits, "hello hello hello", 17);
	b.len = 0;
	add_lz4_legacy(&b, text, N);
	add_lz4_legacy(&b, "tw", 2);
	add_lz4(&b, "o ", 2);
	expect_bytes(&b, &no_limits, text, N + 4);
	buf_release(&b);
	free(text);
}

static void a_bad_legacy_lz4_frame_is_reported(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_lz4_legacy(&b, "hello hello hello", 17);
	for (size_t n = 5; n < b.len; n++)
		expect_error(b.data, n, &default_limits, ERR_FORMAT, "LZ4 data is truncated after ");
	b.data[9] = 0x7f; /* a literal that is longer than the block */
	expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "LZ4 data is damaged near byte 4");
	b.len = 4;
	add_u32(&b, 0x7fffffff);
	expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "LZ4 data is damaged near byte 4: size of a block");
	buf_release(&b);
}

/* For the sanitizers: each bit of frames of all kinds is changed. */
static void damaged_frames_do_no_harm(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_skippable(&b, 0, "note");
	add_lz4_legacy(&b, "hello hello hello hello hello hello", 35);
	add_lz4(&b, "hello hello hello hello hello hello", 35);
	for (size_t bit = 0; bit < 8 * b.len; bit++) {
		struct bytes out = { 0 };
		struct err err;

		b.data[bit / 8] = (char)(b.data[bit / 8] ^ 1 << bit % 8);
		if (unpack(b.data, b.len, &default_limits, &out, &err) == 0)
			free(out.data);
		b.data[bit / 8] = (char)(b.data[bit / 8] ^ 1 << bit % 8);
	}
	expect_bytes(&b, &default_limits, "hello hello hello hello hello hellohello hello hello hello hello hello", 70);
	buf_release(&b);
}

static void a_wrong_content_size_of_lz4_is_reported(void **state)
{
	LZ4F_preferences_t sized = { .frameInfo = { .contentSize = 17 } };
	char packed[200];
	struct buf b = { 0 };
	size_t n = LZ4F_compressFrame(packed, sizeof(packed), "hello hello hello", 17, &sized);

	(void)state;
	assert_false(LZ4F_isError(n));
	buf_add(&b, packed, n);
	expect_bytes(&b, &default_limits, "hello hello hello", 17);
	b.data[6 + 7] = 0x7f; /* petabytes; the checksum of the header then differs */
	expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "LZ4 data is damaged near byte ");
	b.data[6 + 7] = 0;
	for (int size = 16; size <= 18; size += 2) { /* with each checksum of the header, of which one is right */
		b.data[6] = (char)size;
		for (int checksum = 0; checksum < 256; checksum++) {
			b.data[14] = (char)checksum;
			expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "LZ4 data is damaged near byte ");
		}
	}
	buf_release(&b);
}

static void an_lz4_bomb_is_refused(void **state)
{
	char *zeros = calloc(RATIO_FREE + 1, 1);
	struct buf b = { 0 };
	const struct format_options limits = { .max_ratio = 100 };

	(void)state;
	add_lz4(&b, zeros, RATIO_FREE + 1);
	expect_error(b.data, b.len, &limits, ERR_LIMIT, "inflates to more than 100 times its size");
	buf_release(&b);
	free(zeros);
}

static void zstd_frames_are_unpacked_and_joined(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_zstd(&b, "one ", 4);
	expect_bytes(&b, &default_limits, "one ", 4);
	add_zstd(&b, "", 0);
	add_zstd(&b, "two", 3);
	expect_bytes(&b, &default_limits, "one two", 7);
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
	expect_bytes(&b, &no_limits, text, N);
	buf_release(&b);
	free(text);
}

static void a_zstd_frame_truncated_anywhere_is_reported(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_zstd(&b, "hello hello hello", 17);
	for (size_t n = 4; n < b.len; n++)
		expect_error(b.data, n, &default_limits, ERR_FORMAT, "zstd data is truncated after ");
	buf_release(&b);
}

static void damaged_zstd_data_is_reported(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_zstd(&b, "hello hello hello", 17);
	buf_addz(&b, "junk");
	expect_error(b.data, b.len, &default_limits, ERR_FORMAT, "zstd data is damaged near byte ");
	buf_release(&b);
}

/* Headers of frames: magic number, flags, then the window size or the content size. */
static void a_zstd_window_that_is_too_large_is_reported_with_its_size(void **state)
{
	static const uint8_t long31[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x04, 0xa8, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t long28[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x89, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t single[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 1, 0, 0, 0x10, 0, 0, 0, 0, 0 };
	struct buf second = { 0 };

	(void)state;
	expect_error(long31, sizeof(long31), &no_limits, ERR_LIMIT,
		     "needs a window of 2 GiB (zstd --long=31), more than the 128 MiB that cpa accepts; "
		     "decompress it first with zstd -d --long=31");
	expect_error(long28, sizeof(long28), &no_limits, ERR_LIMIT, "needs a window of 144 MiB (zstd --long=28), ");
	expect_error(single, sizeof(single), &no_limits, ERR_LIMIT, "needs a window of 257 MiB (zstd --long=29), ");
	add_zstd(&second, "first", 5);
	buf_add(&second, long31, sizeof(long31));
	expect_error(second.data, second.len, &no_limits, ERR_LIMIT, "needs a window of 2 GiB ");
	buf_release(&second);
}

static void gzip_and_zstd_may_be_nested(void **state)
{
	struct format_options two = { .max_nesting = 2 };
	struct buf inner = { 0 }, b = { 0 };

	(void)state;
	add_gzip(&inner, "deep", 4);
	add_zstd(&b, inner.data, inner.len);
	expect_error(b.data, b.len, &default_limits, ERR_LIMIT, "--max-nesting");
	expect_bytes(&b, &two, "deep", 4);
	buf_release(&inner);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uncompressed_bytes_are_not_copied),
		cmocka_unit_test(empty_input_stays_empty),
		cmocka_unit_test(one_member_is_unpacked),
		cmocka_unit_test(a_member_may_be_empty),
		cmocka_unit_test(members_are_joined_and_may_be_empty),
		cmocka_unit_test(large_members_are_joined),
		cmocka_unit_test(a_wrong_length_is_an_error),
		cmocka_unit_test(a_wrong_checksum_is_an_error),
		cmocka_unit_test(a_member_truncated_anywhere_is_reported),
		cmocka_unit_test(a_truncated_second_member_is_reported),
		cmocka_unit_test(a_truncated_member_does_not_exceed_a_limit),
		cmocka_unit_test(trailing_bytes_after_a_member_are_an_error),
		cmocka_unit_test(two_layers_are_refused_unless_allowed),
		cmocka_unit_test(output_of_exactly_the_limit_is_allowed),
		cmocka_unit_test(one_byte_more_than_the_limit_is_refused),
		cmocka_unit_test(above_64_mib_the_ratio_is_limited),
		cmocka_unit_test(only_the_ratio_of_the_whole_input_is_limited),
		cmocka_unit_test(a_decompression_bomb_is_counted_but_not_stored),
		cmocka_unit_test(a_zstd_window_that_is_too_large_is_reported_with_its_size),
		cmocka_unit_test(up_to_64_mib_the_ratio_is_not_limited),
		cmocka_unit_test(lz4_frames_are_unpacked_and_joined),
		cmocka_unit_test(a_bad_lz4_frame_is_reported),
		cmocka_unit_test(skippable_frames_are_skipped),
		cmocka_unit_test(legacy_lz4_frames_are_unpacked),
		cmocka_unit_test(a_bad_legacy_lz4_frame_is_reported),
		cmocka_unit_test(damaged_frames_do_no_harm),
		cmocka_unit_test(a_wrong_content_size_of_lz4_is_reported),
		cmocka_unit_test(an_lz4_bomb_is_refused),
		cmocka_unit_test(zstd_frames_are_unpacked_and_joined),
		cmocka_unit_test(a_large_zstd_frame_is_unpacked),
		cmocka_unit_test(a_zstd_frame_truncated_anywhere_is_reported),
		cmocka_unit_test(damaged_zstd_data_is_reported),
		cmocka_unit_test(gzip_and_zstd_may_be_nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
