/*
 * headline.h - what is shown of a profile and what is not, in one line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_HEADLINE_H
#define VIEWERS_SHELL_HEADLINE_H

#include "base/buf.h"
#include "report/report.h"

struct shell;

/* Append what the head of the text says about nodes, in so many columns: the words of text where there is
   room, else fewer; nothing where no number fits. */
void headline_add(const struct report *r, int columns, struct buf *out);

/* The same of a comparison: both totals and the change. */
void headline_add_sides(const struct report *r, int64_t before, int64_t after, int columns, struct buf *out);

/* Why a view has no rows at all, and what would change that: a sentence. */
const char *headline_none(const struct shell *s, const struct head *h);

#endif
