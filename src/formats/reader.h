/*
 * reader.h - read a profile of any format
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_READER_H
#define FORMATS_READER_H

#include "base/err.h"
#include "base/io.h"
#include "profile/profile.h"

#include <stdint.h>

/* Limits on the input. Each has an option of the same name; 0 means no limit. */
struct reader_limits {
	uint64_t max_inflated; /* bytes after decompression */
	uint64_t max_ratio;    /* decompressed bytes per compressed byte, checked above 64 MiB */
	uint64_t max_count;    /* entries of a table: samples, locations, functions, mappings, strings */
	uint64_t max_depth;    /* frames of a stack, labels of a sample */
	uint64_t max_nesting;  /* layers of compression */
};

extern const struct reader_limits reader_limits_default;

/*
 * Read a profile: profile.proto or a legacy format, compressed with gzip (maybe of several members) or
 * zstd, or uncompressed. The format is detected from the content.
 *
 * in      consumed: its data is freed as soon as it is no longer needed, and n is set to 0
 * out     owned by the caller, freed with profile_free
 * Fails   ERR_FORMAT, ERR_LIMIT; the message describes the problem and its position
 */
int reader_read(struct bytes *in, const struct reader_limits *limits, struct profile **out, struct err *err);

#endif
