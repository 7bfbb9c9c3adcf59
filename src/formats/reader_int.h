/*
 * reader_int.h - the readers of the formats
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_READER_INT_H
#define FORMATS_READER_INT_H

#include "formats/reader.h"

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Read a profile of a format from decompressed bytes.
 *
 * out     owned by the caller; unchanged on failure
 * Fails   ERR_UNKNOWN if the bytes are in another format: the next reader is tried; ERR_FORMAT if the bytes are
 *         invalid; ERR_LIMIT
 */
typedef int (*reader_fn)(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
			 struct err *err);

int reader_proto(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		 struct err *err);

/* The legacy formats, in the order in which they are tried. Like pprof profile/legacy_profile.go. */
int reader_cpu(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
	       struct err *err); /* binary CPU profiles of gperftools and Java */
int reader_heap(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		struct err *err);
int reader_go_count(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		    struct err *err);
int reader_threads(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		   struct err *err);
int reader_contention(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		      struct err *err);
int reader_java(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		struct err *err);

/*
 * Decompress all layers of compression.
 *
 * in      consumed as by reader_read
 * out     owned by the caller; the bytes of in if it was not compressed
 */
int reader_inflate(struct bytes *in, const struct reader_limits *limits, struct bytes *out, struct err *err);

/* Does n exceed the limit (0: no limit)? */
static inline bool reader_exceeds(uint64_t n, uint64_t limit)
{
	return limit && n > limit;
}

#endif
