/*
 * chunked.h - decode a request body with chunked transfer encoding
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_CHUNKED_H
#define LIBCPAPROF_ENDPOINT_CHUNKED_H

#include "libcpaprof/collector/read/memory.h"

#include <stddef.h>
#include <stdint.h>

enum chunked_status {
	CHUNKED_MORE,
	CHUNKED_DONE,
	CHUNKED_BAD,      /* invalid encoding: answer 400 */
	CHUNKED_TOO_LONG, /* the body is above the limit: answer 413 */
	CHUNKED_NO_MEMORY
};

/* Zero-initialised. */
struct chunked {
	unsigned state;       /* enum state of chunked.c */
	uint64_t n_remaining; /* remaining bytes of the chunk; while its size is parsed, the value so far */
	uint64_t n_body;      /* total bytes of all chunks */
	unsigned n_overhead;  /* total bytes of sizes, extensions and trailers */
};

/*
 * Decode bytes, as strictly as request_head_parse. Trailers and extensions are skipped.
 *
 * data    [*n]; *n out: number of bytes used, which all belong to the body
 * max     size limit of the body
 * out     uint8_t: the decoded bytes are appended; NULL: they are dropped
 */
enum chunked_status chunked_decode(struct chunked *c, const char *data, size_t *n, uint64_t max, struct vec *out);

#endif
