/*
 * unit.h - units of measurement, and formatting of values
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
 * The family of a unit ("KB", "secs", "Hours"), NULL when unknown. Case and a trailing s are ignored.
 *
 * factor  set to the size in base units (byte, nanosecond, GCU); may be NULL
 * Like    pprof internal/measurement, sniffUnit
 */
const struct unit_family *unit_find(const char *unit, double *factor);

/* Is this a valid value of -unit: "minimum", "auto", a count unit, a unit of a family, or "" for the base unit? */
bool unit_is_choice(const char *unit);

/* Append the canonical units, separated by commas. */
void unit_add_choices(struct buf *b);

/*
 * Convert a value between units.
 *
 * to      a unit, or "minimum" or "auto" for the largest unit in which the value is at least 1
 * unit    set to the unit of the result, borrowed: canonical, or to itself when from is unknown
 * Like    pprof internal/measurement, Scale
 */
double unit_scale(int64_t value, const char *from, const char *to, const char **unit);

/*
 * Append a value with its unit and two decimals; ".00" is omitted, and zero has no unit.
 *
 * Like    pprof internal/measurement, ScaledLabel
 */
void unit_add_label(struct buf *b, int64_t value, const char *from, const char *to);

/*
 * Append a number with thousands separators: "-1234567.25kB" becomes "-1,234,567.25kB".
 *
 * number   decimal digits; text before and after them is copied
 */
void unit_add_grouped(struct buf *b, const char *number);

/* Append a count with thousands separators: "1,234,567". */
void unit_add_count(struct buf *b, uint64_t n);

/*
 * Append |value / total| as a percentage, padded to six columns (" 0.63%", "  100%").
 *
 * Like    pprof internal/measurement, Percentage
 */
void unit_add_percent(struct buf *b, int64_t value, int64_t total);

/* Like unit_add_percent, for a percentage >= 0. */
void unit_add_share(struct buf *b, double percent);

/* Like unit_add_percent, without leading blanks. */
void unit_add_percent_trimmed(struct buf *b, int64_t value, int64_t total);

/* The percentage that unit_add_percent prints: 100 * |value / total|, 0 when total is 0. */
double unit_percent(int64_t value, int64_t total);

/*
 * Can values of these units be added after scaling? True for equal strings and for units of one family.
 *
 * Like    pprof internal/measurement, compatibleValueTypes
 */
bool unit_is_compatible(const char *a, const char *b);

#endif
