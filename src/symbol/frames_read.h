/*
 * frames_read.h - the frames of many addresses, from files, without a cache
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_FRAMES_READ_H
#define SYMBOL_FRAMES_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "symbol/frames.h"
#include "symbol/frames_dwarf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * As frames_find, from DWARF and symbol tables alone.
 *
 * whole   set: was everything there, so that no later look can find more?
 */
int frames_read(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, bool *whole, struct err *err);

#endif
