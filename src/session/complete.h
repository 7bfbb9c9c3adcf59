/*
 * complete.h - completion candidates for a line at the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_COMPLETE_H
#define SESSION_COMPLETE_H

#include "base/string_list.h"
#include "profile/profile.h"

#include <stddef.h>

/*
 * Append the candidates for the last word of a line: commands, options, their values, sample types,
 * keys and values of labels, functions (as an expression that matches only that function), files after >.
 *
 * line only the first n bytes are read: the text before the cursor
 * start   set to the offset in the line of the word that a candidate replaces
 * out     in byte order, without duplicates; at most COMPLETE_MAX
 */
enum { COMPLETE_MAX = 1000 };
void complete_line(const char *line, size_t n, const struct profile *p, size_t *start, struct string_list *out);

#endif
