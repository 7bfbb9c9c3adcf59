/*
 * frames_dwarf.h - the frames of many addresses, from DWARF
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_FRAMES_DWARF_H
#define SYMBOL_FRAMES_DWARF_H

#include "base/err.h"
#include "base/stop.h"
#include "symbol/frames.h"

#include <stdbool.h>
#include <stdint.h>

struct frames_dwarf; /* what was found; only frames_dwarf.c looks inside */

/* Files to read; descriptors stay the caller's. */
struct frames_files {
	int fd;            /* of the program */
	int debug_fd;      /* with its DWARF: the same or another one; -1 for none */
	int alt_fd;        /* the supplementary file of that; -1 for none */
	const char *path;  /* of the one with the DWARF, for people */
	struct stop *stop; /* ends looking, between two units; NULL: never */
};

/*
 * Look up addresses, each unit that has any once, side by side on several threads.
 *
 * addr    [n] ascending, each once
 * out     freed with frames_dwarf_free
 * Fails   as dwarf_handle_open
 */
int frames_dwarf_find(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct frames_dwarf **out,
		      struct err *err);

/* The frames of address i, innermost first, texts NULL where unknown; NULL and *n 0 when there are none. */
const struct frame *frames_dwarf_get(const struct frames_dwarf *d, uint32_t i, uint32_t *n);

/* Was something needed that is not there, a split unit, or was it stopped? Then what was found is not all there is. */
bool frames_dwarf_is_partial(const struct frames_dwarf *d);

/* How many bytes all texts together may have: more than they have in a sound file. */
uint64_t frames_dwarf_max_text(const struct frames_dwarf *d);

/* Takes NULL. */
void frames_dwarf_free(struct frames_dwarf *d);

#endif
