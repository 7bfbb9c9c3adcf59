/*
 * complete.h - complete the last word of a command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_COMPLETE_H
#define FRONT_CLI_COMPLETE_H

#include "base/buf.h"

#include <stddef.h>

/*
 * Append the completions of the last of n words of a command line, for the scripts of cpa completion.
 *
 * word   [n] the words after cpa, the last one up to the cursor; may be ""
 * out    lines: a candidate, a tab, a description or nothing; scripts add no blank after a candidate that ends with = or a colon.
 *        A line :files, :folders or :programs adds names of these.
 */
void completion_candidates(const char *const *word, size_t n, struct buf *out);

#endif
