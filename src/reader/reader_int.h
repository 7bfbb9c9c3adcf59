/*
 * reader_int.h - the readers of one format each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef READER_READER_INT_H
#define READER_READER_INT_H

#include "reader/reader.h"

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Read a profile of one format from inflated bytes.
 *
 * out     owned by the caller; untouched on failure
 * Fails   ERR_UNKNOWN when the bytes are not of this format at all, so that the next may try;
 *         ERR_FORMAT when they are and something in them is wrong; ERR_LIMIT
 */
typedef int (*reader_fn)(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
			 struct err *err);

int reader_proto(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		 struct err *err);

/* The legacy formats, in the order in which they are tried. Like pprof profile/legacy_profile.go. */
int reader_cpu(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
	       struct err *err); /* gperftools CPU binary, and Java's */
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
 * Take away the layers of compression.
 *
 * in      consumed as by reader_read
 * out     owned by the caller; the bytes of in when there was no compression
 */
int reader_inflate(struct bytes *in, const struct reader_limits *limits, struct bytes *out, struct err *err);

/* Is this number over a limit (0: none)? */
static inline bool reader_over(uint64_t n, uint64_t limit)
{
	return limit && n > limit;
}

#endif
