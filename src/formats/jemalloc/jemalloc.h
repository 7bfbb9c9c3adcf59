/*
 * jemalloc.h - read heap profiles of jemalloc, "heap_v2/524288"
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_JEMALLOC_JEMALLOC_H
#define FORMATS_JEMALLOC_JEMALLOC_H

#include "formats/common/format.h"

/*
 * The sample types are inuse_objects and inuse_space, preceded by alloc_objects and alloc_space if the program ran with
 * prof_accum:true. Values are scaled to estimates stack by stack, as in jeprof. Frames at the leaf that are in
 * libjemalloc are left out. A format_read_fn.
 */
int jemalloc_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		  struct err *err);

#endif
