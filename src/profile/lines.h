/*
 * lines.h - replace the functions and lines of locations
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_LINES_H
#define PROFILE_LINES_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdint.h>

struct new_line {
	str_id name, sysname, file; /* ids of the profile */
	int64_t start, line, col;   /* 0 when unknown */
};

/* The lines of location loc[i] become line[off[i] .. off[i + 1]), innermost inlined call first. */
struct new_lines {
	uint32_t n;
	const uint32_t *loc;         /* [n] ascending, without duplicates */
	const uint32_t *off;         /* [n + 1] */
	const struct new_line *line; /* [off[n]] */
};

/*
 * Replace the lines of locations, which are then no longer folded. Equal functions are merged and
 * appended after the existing ones, with ids above the highest. Existing functions are kept even if
 * unused. Only the code that loads the profile may call this, before it is shared.
 *
 * Fails   ERR_LIMIT past 2^32 lines, or functions without a free id
 * Like    pprof internal/symbolizer symbolizeOneMapping
 */
int profile_set_lines(struct profile *p, const struct new_lines *l, struct err *err);

#endif
