/*
 * tag_range.h - ranges of numbers that labels are compared with
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_TAG_RANGE_H
#define ENGINE_TAG_RANGE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From lo to hi, both included, in unit. */
struct tag_range {
	double lo, hi;
	const char *unit;
};

/*
 * Read "64kb", "64kb:", ":64kb" or "12kb:64mb".
 *
 * text   n bytes
 * mem    keeps what out points at
 * Gives  1 when the text is no range, which includes ranges from one kind of unit to another
 * Fails  ERR_USAGE for numbers that leave 64 bits
 * Like   pprof internal/driver/driver_focus.go, parseTagFilterRange
 */
int tag_range_parse(const char *text, size_t n, struct arena *mem, struct tag_range *out, struct err *err);

/* Is a value of this unit in the range? */
bool tag_range_has(const struct tag_range *r, int64_t value, const char *unit);

#endif
