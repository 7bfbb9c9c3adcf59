/*
 * format.h - options, limits and compression; all formats use them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_COMMON_FORMAT_H
#define FORMATS_COMMON_FORMAT_H

#include "base/err.h"
#include "base/io.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FORMAT_COUNT_DEFAULT = 100000000 }; /* of max_count */

/* Options of all readers. Each limit has an option of the same name; 0 means no limit. */
struct format_options {
	uint64_t max_inflated; /* bytes after decompression */
	uint64_t max_ratio;    /* decompressed bytes per compressed byte, checked above 64 MiB */
	uint64_t max_count;    /* entries of a table: samples, locations, functions, mappings, strings */
	uint64_t max_depth;    /* frames of a stack, labels of a sample */
	uint64_t max_nesting;  /* layers of compression */

	/*
	 * Formats with time stamps keep them as a numeric label "time" in nanoseconds since the start of the recording.
	 * Equal stacks at different times are then separate rows.
	 */
	bool keeps_times;
};

/* The answer of a probe. FORMAT_MAYBE: text of other kinds looks the same, so a user must name the format. */
enum format_match { FORMAT_NO, FORMAT_MAYBE, FORMAT_SURE };

/*
 * Read a profile of a format from decompressed bytes.
 *
 * out     owned by the caller; unchanged on failure
 * Fails   ERR_UNKNOWN if the bytes are in another format: the next reader is tried; ERR_FORMAT if the bytes are
 *         invalid; ERR_LIMIT
 */
typedef int (*format_read_fn)(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			      struct err *err);

/*
 * Decompress all layers of compression.
 *
 * in      consumed: its data is freed as soon as it is no longer needed, and n is set to 0
 * out     owned by the caller; the bytes of in if it was not compressed
 * Fails   ERR_FORMAT, ERR_LIMIT
 */
int format_inflate(struct bytes *in, const struct format_options *options, struct bytes *out, struct err *err);

/* Return true if n exceeds the limit (0: no limit). */
static inline bool format_exceeds(uint64_t n, uint64_t limit)
{
	return limit && n > limit;
}

#endif
