/*
 * rates.h - the rates of the profiles heap, block and mutex
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_RATES_H
#define LIBCPAPROF_API_RATES_H

#include <stdint.h>

enum { HEAP_RATE_DEFAULT = 512 << 10 };

/* Set the rate from the environment: bytes, 0 for none. The segment must exist. */
void heap_rate_set_by_env(uint64_t bytes);

/* Set the default rate, unless the program or the environment has set one. The segment must exist. */
void heap_rate_set_default(void);

#endif
