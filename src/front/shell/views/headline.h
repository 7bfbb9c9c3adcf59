/*
 * headline.h - one line that summarizes a view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_VIEWS_HEADLINE_H
#define FRONT_SHELL_VIEWS_HEADLINE_H

#include "base/buf.h"
#include "report/report.h"

struct shell;

/* Append pprof's line about shown and dropped nodes in at most this many columns, shortened if necessary; nothing
   when no number fits. */
void headline_add(const struct report *r, int columns, struct buf *out);

/* Append the line of a comparison: both totals and the change. */
void headline_add_sides(const struct report *r, int64_t before, int64_t after, int columns, struct buf *out);

/* A sentence with the reason that a view has no rows, and a remedy. */
const char *headline_no_rows(const struct shell *s, const struct head *h);

#endif
