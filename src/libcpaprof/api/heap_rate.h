/*
 * heap_rate.h - how often the heap is sampled, and who said so
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_HEAP_RATE_H
#define LIBCPAPROF_API_HEAP_RATE_H

#include <stdint.h>

enum { HEAP_RATE_USUAL = 512 << 10 };

/* The environment says it: bytes, 0 for none. The segment is there. */
void heap_rate_say(uint64_t bytes);

/* From now on the usual rate, unless the program or the environment said another. The segment is there. */
void heap_rate_begin(void);

#endif
