/*
 * heap_rate.h - the sampling rate of the heap, and whether it was set explicitly
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_HEAP_RATE_H
#define LIBCPAPROF_API_HEAP_RATE_H

#include <stdint.h>

enum { HEAP_RATE_DEFAULT = 512 << 10 };

/* Set the rate from the environment: bytes, 0 for none. The segment must exist. */
void heap_rate_set_by_env(uint64_t bytes);

/* Set the default rate, unless the program or the environment has set one. The segment must exist. */
void heap_rate_set_default(void);

#endif
