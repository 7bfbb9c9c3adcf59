/*
 * frames_dwarf.h - the frames of many addresses, from DWARF
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_FRAMES_DWARF_H
#define SYMBOL_FRAMES_DWARF_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "symbol/frames.h"

#include <stdbool.h>
#include <stdint.h>

struct frames_dwarf; /* the frames found; opaque */

/*
 * Look up addresses on several threads. Each unit that covers an address is read once.
 *
 * addr    [n] ascending, unique
 * out     freed with frames_dwarf_free
 * Fails   as dwarf_handle_open
 */
int frames_dwarf_find(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct frames_dwarf **out,
		      struct err *err);

/* The frames of address i, innermost first, texts NULL where unknown; NULL and *n 0 when there are none. */
const struct frame *frames_dwarf_get(const struct frames_dwarf *d, uint32_t i, uint32_t *n);

/* Is the result incomplete, because a split unit was not found or the search was stopped? */
bool frames_dwarf_is_partial(const struct frames_dwarf *d);

/* Append which split debug information is missing or cannot be read; nothing if none is. */
void frames_dwarf_add_missing(const struct frames_dwarf *d, struct buf *out);

/* Limit on the sum of all texts, in bytes. Valid files stay below it. */
uint64_t frames_dwarf_max_text(const struct frames_dwarf *d);

/* Takes NULL. */
void frames_dwarf_free(struct frames_dwarf *d);

#endif
