/*
 * lz4.h - liblz4, which decompresses, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_LZ4_H
#define BASE_LZ4_H

#include "base/err.h"

#include <lz4.h>
#include <lz4frame.h>

/* clang-format off */
#define LZ4_FUNCTIONS(F) \
	F(createDecompressionContext) F(freeDecompressionContext) F(decompress) F(isError) F(getErrorName)

/* The functions of liblz4 that cpa calls; each has the name of the real one without LZ4F_. */
struct lz4 {
#define FUNCTION(name) __typeof__(LZ4F_##name) *name;
	LZ4_FUNCTIONS(FUNCTION)
#undef FUNCTION
	__typeof__(LZ4_decompress_safe) *decompress_safe;
};
/* clang-format on */

/* Load liblz4 once per process. Callable by any thread. Fails with ERR_IO if it is missing. */
int lz4_load(const struct lz4 **out, struct err *err);

#endif
