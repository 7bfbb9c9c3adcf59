/*
 * test_gzip.c - data compressed in pieces is one gzip member
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/gzip.h"

#include "base/mem.h"

#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PIECE = 1 << 20, STEP = 10007, SEEN = 0x5e, HEAD = 10 };

struct made {
	uint8_t *data;
	size_t n;
	int rc; /* value that the source returns */
};

/* n bytes, each `every`-th of them random: with 1 all are noise, with 1000 they compress well. */
static struct made made(size_t n, unsigned every)
{
	struct made m = { mem_zalloc(n, 1), n, 0 };
	uint32_t x = 12345;

	for (size_t i = 0; i < n; i += every) {
		x = x * 1664525 + 1013904223;
		m.data[i] = (uint8_t)(x >> 24);
	}
	return m;
}

static int make(void *arg, struct gzip *g, struct err *err)
{
	const struct made *m = arg;

	for (size_t at = 0; at < m->n; at += STEP)
		assert_true(format_gzip_write(g, m->data + at, m->n - at < STEP ? m->n - at : STEP));
	return m->rc < 0 ? err_set(err, m->rc, "no more") : 0;
}

static struct buf packed(struct made *m, unsigned n_threads)
{
	struct buf out = { 0 };
	struct err err;

	buf_fill(&out, SEEN, 1);
	assert_int_equal(format_gzip_pack(make, m, n_threads, &out, &err), 0);
	assert_int_equal(out.data[0], SEEN);
	return out;
}

/* Check that the output is exactly one member with the right contents, for any number of threads. */
static void check(size_t n, unsigned every)
{
	struct made m = made(n, every);
	struct buf alone = packed(&m, 1), many = packed(&m, 4);
	uint8_t *back = mem_alloc(n, 1);
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t used = 0, n_back = 0;

	assert_int_equal(alone.len, many.len);
	assert_memory_equal(alone.data, many.data, alone.len);
	assert_int_equal(libdeflate_gzip_decompress_ex(d, alone.data + 1, alone.len - 1, back, n, &used, &n_back),
			 LIBDEFLATE_SUCCESS);
	assert_int_equal(used, alone.len - 1);
	assert_int_equal(n_back, n);
	assert_memory_equal(back, m.data, n);
	libdeflate_free_decompressor(d);
	free(back);
	free(m.data);
	buf_release(&alone);
	buf_release(&many);
}

static void a_single_piece_equals_the_output_of_libdeflate(void **state)
{
	struct made m = made(PIECE, 7);
	struct buf out = packed(&m, 2);
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t cap = libdeflate_gzip_compress_bound(c, m.n), n;
	uint8_t *want = mem_alloc(cap, 1);
	(void)state;

	n = libdeflate_gzip_compress(c, m.data, m.n, want, cap);
	assert_int_equal(out.len - 1, n);
	assert_memory_equal(out.data + 1 + HEAD, want + HEAD, n - HEAD);
	libdeflate_free_compressor(c);
	free(want);
	free(m.data);
	buf_release(&out);
}

static void joins_all_kinds_of_pieces_into_one_member(void **state)
{
	(void)state;
	check(0, 1);
	check(1, 1);
	check(PIECE, 3);
	check(PIECE + 1, 3);
	check(3 * PIECE, 1);         /* noise: stored blocks */
	check(3 * PIECE, 4 * PIECE); /* one byte, repeated */
	check(5 * PIECE + 12345, 2);
	check(12 * PIECE - 1, 1000); /* more pieces than can be queued */
	for (size_t n = 0; n < 9; n++)
		check(2 * PIECE + n, 17); /* sizes for which the last block ends at different bits */
}

static void pieces_compress_nearly_as_well_as_the_whole(void **state)
{
	struct made m = made(4 * PIECE, 50);
	struct buf out = packed(&m, 2);
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t cap = libdeflate_gzip_compress_bound(c, m.n), n;
	uint8_t *want = mem_alloc(cap, 1);
	(void)state;

	n = libdeflate_gzip_compress(c, m.data, m.n, want, cap);
	assert_true(out.len < n + n / 10);
	libdeflate_free_compressor(c);
	free(want);
	free(m.data);
	buf_release(&out);
}

static void leaves_the_output_unchanged_on_errors(void **state)
{
	struct made m = made(3 * PIECE, 1);
	struct buf out = { 0 };
	struct err err;
	(void)state;

	m.rc = ERR_LIMIT;
	buf_addz(&out, "before");
	assert_int_equal(format_gzip_pack(make, &m, 2, &out, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "no more");
	assert_string_equal(buf_text(&out), "before");
	free(m.data);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_single_piece_equals_the_output_of_libdeflate),
		cmocka_unit_test(joins_all_kinds_of_pieces_into_one_member),
		cmocka_unit_test(pieces_compress_nearly_as_well_as_the_whole),
		cmocka_unit_test(leaves_the_output_unchanged_on_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
