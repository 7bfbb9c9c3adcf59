/*
 * debuginfod_cache.h - the cache that libdebuginfod keeps for all programs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DEBUGINFOD_CACHE_H
#define SYMBOL_DEBUGINFOD_CACHE_H

#include <time.h>

/*
 * Take out what the cache has learned of a build id since then: that no server knows it. The library
 * (0.188) writes that down for ten minutes when a question is broken off, too.
 */
void debuginfod_cache_forget(const char *build_id, time_t since);

#endif
