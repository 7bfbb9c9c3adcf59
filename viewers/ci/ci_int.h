/*
 * ci_int.h - what the drawers for CI servers share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For viewers/ci alone. Nothing that is appended has control characters, but for paths.
 */
#ifndef VIEWERS_CI_INT_H
#define VIEWERS_CI_INT_H

#include "base/buf.h"
#include "report/gate/gate.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a name within a sentence, and names of functions with the same samples. */
enum { CI_NAME_MAX = 200, CI_ALIASES = 3 };

/* Text from a profile, safe, with at most max bytes; 0 for all of them. "?" for "". */
void ci_add_name(const char *name, size_t max, struct buf *out);

/* What there is to say of a row behind its name: how much, how sure, why. */
void ci_add_row(const struct gate_row *r, struct buf *out);

/* Both sides, and what rows are relative to; one line without its end, as the next. */
void ci_add_sides(const struct gate *g, struct buf *out);

/* What could have been seen, and what is needed to see more. */
void ci_add_power(const struct gate *g, struct buf *out);

/* Did both sides have the samples that were needed? */
bool ci_is_long_enough(const struct gate *g);

/*
 * Append where a source file is in the repository: relative to it, or a path as it stands when it is not below.
 * Paths that were shortened or made on another machine are found by their ends.
 *
 * Gives   is it there, as far as can be told; nothing is appended for ""
 */
bool ci_add_place(const char *file, struct buf *out);

/* A line that servers take: at least 1. */
int ci_line(int64_t line);

#endif
