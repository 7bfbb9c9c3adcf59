/*
 * chunked.h - the body of a request that comes in chunks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_CHUNKED_H
#define LIBCPAPROF_ENDPOINT_CHUNKED_H

#include "libcpaprof/collector/memory.h"

#include <stddef.h>
#include <stdint.h>

enum chunked_is {
	CHUNKED_MORE,
	CHUNKED_DONE,
	CHUNKED_BAD,  /* to be answered 400 */
	CHUNKED_MUCH, /* more than was allowed: 413 */
	CHUNKED_NO_MEMORY
};

/* Begins as zeros. */
struct chunked {
	unsigned at;    /* enum of chunked.c */
	uint64_t left;  /* bytes of the chunk that are to come; while its size is read: what was read */
	uint64_t all;   /* bytes of all chunks */
	unsigned extra; /* bytes of sizes, extensions and trailers */
};

/*
 * Take bytes, as strictly as request_head_parse does; trailers and extensions are skipped.
 *
 * data    [*n]; *n out: how many were taken, no more than belong to the body
 * most    the body may have so many bytes
 * out     uint8_t: they are put behind what is there; NULL: nowhere
 */
enum chunked_is chunked_take(struct chunked *c, const char *data, size_t *n, uint64_t most, struct vec *out);

#endif
