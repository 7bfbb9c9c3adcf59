/*
 * lines.h - give locations other functions and lines, by the loader
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_LINES_H
#define PROFILE_LINES_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdint.h>

struct new_line {
	str_id name, sysname, file; /* of the profile's strings */
	int64_t start, line, col;   /* 0 when unknown */
};

/* Location loc[i] gets line[off[i] .. off[i + 1]), innermost inlined call first, for its own. */
struct new_lines {
	uint32_t n;
	const uint32_t *loc;         /* [n] ascending, each once */
	const uint32_t *off;         /* [n + 1] */
	const struct new_line *line; /* [off[n]] */
};

/*
 * Replace the lines of locations, which are then no longer folded. Functions that are equal in all
 * but their id are one; they follow those that are there, which stay though nobody may use them, and
 * are numbered on from the highest id.
 *
 * Fails   ERR_LIMIT past 2^32 lines, or functions without a free id
 * Like    pprof internal/symbolizer symbolizeOneMapping
 */
int profile_set_lines(struct profile *p, const struct new_lines *l, struct err *err);

#endif
