/*
 * kind.h - the format of JSON, found by its keys
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_JSON_KIND_H
#define FORMATS_JSON_KIND_H

#include <stddef.h>

enum jsonr_kind {
	JSONR_KIND_NONE,  /* not JSON */
	JSONR_KIND_OTHER, /* JSON of a kind that is not known, or damaged before the deciding key */
	JSONR_KIND_CPUPROFILE,
	JSONR_KIND_HEAPPROFILE,
	JSONR_KIND_HEAPSNAPSHOT,
	JSONR_KIND_TRACE,
	JSONR_KIND_SPEEDSCOPE,
	JSONR_KIND_FIREFOX,
	JSONR_KIND_GECKO,
	JSONR_KIND_OTLP,
	JSONR_KIND_STACKPROF,
	JSONR_KIND_DHAT
};

/* A nesting limit for formats whose calls are nested objects, as in .heapprofile: 10,000 calls. */
enum { JSONR_DEPTH_OF_CALLS = 20064 };

/*
 * The kind of the first JSON value. Its keys may come in any order; values are skipped, and it is read only up to the
 * deciding key.
 */
enum jsonr_kind jsonr_find_kind(const void *data, size_t n);

#endif
