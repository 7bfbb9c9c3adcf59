/*
 * zlib.h - zlib, for gzip that libdeflate does not decompress, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_ZLIB_H
#define BASE_ZLIB_H

#include "base/err.h"

#include <zlib.h>

/* clang-format off */
#define ZLIB_FUNCTIONS(F) F(inflateInit2_) F(inflate) F(inflateReset) F(inflateEnd)

/* The functions of zlib that cpa calls; each has the name of the real one. */
struct zlib {
#define FUNCTION(name) __typeof__(name) *name;
	ZLIB_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/* Load zlib once per process. Callable by any thread. Fails with ERR_IO if it is missing. */
int zlib_load(const struct zlib **out, struct err *err);

/* inflateInit2 of zlib.h */
static inline int zlib_inflate_init(const struct zlib *lib, z_stream *z, int window_bits)
{
	return lib->inflateInit2_(z, window_bits, ZLIB_VERSION, (int)sizeof(*z));
}

#endif
