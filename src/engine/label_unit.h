/*
 * label_unit.h - the unit that the numbers of a label key are read in
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_LABEL_UNIT_H
#define ENGINE_LABEL_UNIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "profile/profile.h"

struct label_units {
	const char **unit;  /* [strings of the profile] by key; NULL for what is no key of a number */
	const char **shown; /* the finest unit of the key that agrees with it: what all its numbers are brought to */
};

/*
 * Find the unit of each key: the first one that a row names; without any, bytes for "alignment" and
 * "request", else the key itself.
 *
 * notes   a line for each key that has units which do not agree, in order of keys; may be NULL
 * Like    pprof profile/profile.go, NumLabelUnits, but that pprof then reads all numbers of a key in
 *         its one unit
 */
void label_units_make(const struct profile *p, struct arena *mem, struct label_units *out, struct buf *notes);

/* The unit of a label that is a number: its own, or that of its key when it has none. Borrowed. */
const char *label_unit(const struct label_units *u, const struct profile *p, uint32_t label);

/* The number of a label in the shown unit of its key; as it is when its own unit does not agree. */
int64_t label_number(const struct label_units *u, const struct profile *p, uint32_t label);

#endif
