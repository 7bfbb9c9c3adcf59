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

/* The functions of libzstd that cpa calls; each has the name of the real one without ZSTD_. */
struct zstd {
#define FUNCTION(name) __typeof__(ZSTD_##name) *name
	FUNCTION(createDStream);
	FUNCTION(freeDStream);
	FUNCTION(decompressStream);
	FUNCTION(decompress);
	FUNCTION(createCCtx);
	FUNCTION(freeCCtx);
	FUNCTION(CCtx_setParameter);
	FUNCTION(compress2);
	FUNCTION(isError);
	FUNCTION(getErrorCode);
	FUNCTION(getErrorName);
#undef FUNCTION
};

/* Load libzstd once per process. Callable by any thread. Fails with ERR_IO if it is missing. */
int zstd_load(const struct zstd **out, struct err *err);

#endif
