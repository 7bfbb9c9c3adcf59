/*
 * label_unit.h - the unit of the numbers of a label key
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_LABEL_UNIT_H
#define ENGINE_LABEL_UNIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "profile/profile.h"

struct label_units {
	const char **unit;  /* [strings of the profile] unit of each key; NULL for other strings */
	const char **shown; /* the finest compatible unit of the key, to which all its numbers are converted */
};

/*
 * Find the unit of each key: the first one in the rows, else bytes for "alignment" and "request", else the key itself.
 *
 * notes   a line is appended per key with incompatible units, in order of keys; may be NULL
 * Like    pprof profile/profile.go, NumLabelUnits, except that pprof then reads all numbers of a key in its one unit
 */
void label_units_make(const struct profile *p, struct arena *mem, struct label_units *out, struct buf *notes);

/* The unit of a label that is a number: its own, or that of its key when it has none. Borrowed. */
const char *label_unit(const struct label_units *u, const struct profile *p, uint32_t label);

/* The number of a label in the shown unit of its key; unchanged when its own unit is incompatible. */
int64_t label_number(const struct label_units *u, const struct profile *p, uint32_t label);

#endif
