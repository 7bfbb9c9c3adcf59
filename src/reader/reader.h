/*
 * reader.h - bytes to profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef READER_READER_H
#define READER_READER_H

#include "base/err.h"
#include "base/io.h"
#include "profile/profile.h"

#include <stdint.h>

/* What an input may cost. Each has a flag of the same name that lifts it; 0 means no limit. */
struct reader_limits {
	uint64_t max_inflated; /* bytes after unpacking */
	uint64_t max_ratio;    /* unpacked bytes per packed byte, looked at above 64 MiB */
	uint64_t max_count;    /* entries of one table: samples, locations, functions, mappings, strings */
	uint64_t max_depth;    /* frames of one stack, labels of one sample */
	uint64_t max_nesting;  /* layers of compression */
};

extern const struct reader_limits reader_limits_default;

/*
 * Read one profile: gzip (also of several members), zstd or neither around profile.proto or one
 * of the legacy formats. What it is shows in the bytes alone.
 *
 * in      consumed: its data is freed as soon as it is no longer needed, n set to 0
 * out     owned by the caller, freed with profile_free
 * Fails   ERR_FORMAT and ERR_LIMIT with a sentence that says what is wrong and where
 */
int reader_read(struct bytes *in, const struct reader_limits *limits, struct profile **out, struct err *err);

#endif
