/*
 * zstd.h - libzstd, which compresses and decompresses, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_ZSTD_H
#define BASE_ZSTD_H

#include "base/err.h"

#include <zstd.h>
#include <zstd_errors.h>

/* clang-format off */
#define ZSTD_FUNCTIONS(F) \
	F(createDStream) F(freeDStream) F(decompressStream) F(decompress) F(createCCtx) F(freeCCtx) \
	F(CCtx_setParameter) F(compress2) F(isError) F(getErrorCode) F(getErrorName)

/* The functions of libzstd that cpa calls; each has the name of the real one without ZSTD_. */
struct zstd {
#define FUNCTION(name) __typeof__(ZSTD_##name) *name;
	ZSTD_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/* Load libzstd once per process. Callable by any thread. Fails with ERR_IO if it is missing. */
int zstd_load(const struct zstd **out, struct err *err);

#endif
