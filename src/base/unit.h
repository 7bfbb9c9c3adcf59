/*
 * unit.h - units of measurement, and numbers as people read them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_UNIT_H
#define BASE_UNIT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct unit_family; /* memory, time or GCU */

/*
 * The family of a unit text ("KB", "secs", "Hours"), NULL when unknown; upper and lower case are
 * one and a trailing s does not count.
 *
 * factor  set to how many base units (byte, nanosecond, GCU) make one; may be NULL
 * Like    pprof internal/measurement, sniffUnit
 */
const struct unit_family *unit_find(const char *unit, double *factor);

/*
 * Convert a value between units.
 *
 * to      a unit, or "minimum" or "auto" for the largest unit that keeps the value at 1 or more
 * unit    set to the unit of the result: canonical, or to itself when nothing is known; borrowed
 * Like    pprof internal/measurement, Scale
 */
double unit_scale(int64_t value, const char *from, const char *to, const char **unit);

/*
 * Append a value with its unit: two decimals unless they are zero, "0" without a unit.
 *
 * Like    pprof internal/measurement, ScaledLabel
 */
void unit_add_label(struct buf *b, int64_t value, const char *from, const char *to);

/*
 * Append |value / total| as a percentage of six columns (" 0.63%", "  100%").
 *
 * Like    pprof internal/measurement, Percentage
 */
void unit_add_percent(struct buf *b, int64_t value, int64_t total);

/* The same for a percentage that is known already; it is not negative. */
void unit_add_share(struct buf *b, double percent);

/* The same without blanks in front. */
void unit_add_percent_tight(struct buf *b, int64_t value, int64_t total);

/* The number behind unit_add_percent: 100 * |value / total|, 0 when total is 0. */
double unit_percent(int64_t value, int64_t total);

/*
 * Can values of these units be added after scaling? Equal texts or the same family.
 *
 * Like    pprof internal/measurement, compatibleValueTypes
 */
bool unit_agree(const char *a, const char *b);

#endif
