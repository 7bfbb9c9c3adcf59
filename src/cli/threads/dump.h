/*
 * dump.h - stacks from a text, those that are the same together
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_THREADS_DUMP_H
#define CLI_THREADS_DUMP_H

#include "base/buf.h"
#include "base/err.h"
#include "base/regex.h"
#include "reader/stacks.h"

/*
 * Append a dump of stacks: those with the same functions at the same lines, in the same state, with the same labels and
 * creator together, those that wait longest first, then most first; in lines of at most 80 columns.
 *
 * focus, ignore   NULL, or only stacks with, or without, a function that matches
 * Fails           ERR_LIMIT as regex_match
 */
int cmd_threads_dump(const struct stacks *s, struct regex *focus, struct regex *ignore, struct buf *out,
		     struct err *err);

#endif
