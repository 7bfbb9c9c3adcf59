/*
 * ci_int.h - shared by the formats for CI servers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For viewers/ci only. Appended text has no control characters, except in paths.
 */
#ifndef VIEWERS_CI_INT_H
#define VIEWERS_CI_INT_H

#include "base/buf.h"
#include "report/gate/gate.h"

#include <stdbool.h>
#include <stddef.h>

/* Max bytes of a name in a message; max number of aliases. */
enum { CI_NAME_MAX = 200, CI_ALIASES = 3 };

/* Append a string from a profile with control characters escaped, shortened to max bytes; 0: no limit. "?" for "". */
void ci_add_name(const char *name, size_t max, struct buf *out);

/* Append the description of a row after its name: change, confidence, reason. */
void ci_add_row(const struct gate_row *r, struct buf *out);

/* Append one line without a newline: both sides, and what their changes are relative to. */
void ci_add_sides(const struct gate *g, struct buf *out);

/* Append one line without a newline: the smallest detectable changes, and the number of samples that is needed. */
void ci_add_power(const struct gate *g, struct buf *out);

/* Returns true if both sides have enough samples. */
bool ci_has_enough_samples(const struct gate *g);

/*
 * Append the path of a source file relative to the repository, or unchanged if it is outside. Shortened paths and paths
 * from other machines are matched by their suffixes.
 *
 * Returns true if the file is in the repository; nothing is appended for ""
 */
bool ci_add_path(const char *file, struct buf *out);

/* A line number that servers accept: at least 1. */
int ci_line(int64_t line);

#endif
