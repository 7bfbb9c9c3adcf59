/*
 * make_gzip.h - compress bytes with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_GZIP_H
#define TESTS_UNIT_MAKE_GZIP_H

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/buf.h"

/* Append a gzip member. level: of compression, 0 for none */
static inline void add_gzip_level(struct buf *out, const void *data, size_t n, int level)
{
	z_stream z = { 0 };
	size_t room = n + n / 1000 + 100;
	uint8_t *packed = malloc(room);

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)n;
	z.next_out = packed;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	buf_add(out, packed, z.total_out);
	deflateEnd(&z);
	free(packed);
}

#endif
