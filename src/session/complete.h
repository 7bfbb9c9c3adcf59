/*
 * complete.h - what could stand at the end of a line that is being typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_COMPLETE_H
#define SESSION_COMPLETE_H

#include "base/texts.h"
#include "profile/profile.h"

#include <stddef.h>

/*
 * Append the candidates for the last word of a line: commands, options, their values, sample types,
 * keys and values of labels, functions (an expression that matches just that one), files behind >.
 *
 * line    its first n bytes are what stands before the cursor
 * start   set to where in the line the word begins that a candidate replaces
 * out     in the order of their bytes, each once; not more than COMPLETE_MAX
 */
enum { COMPLETE_MAX = 1000 };
void complete_line(const char *line, size_t n, const struct profile *p, size_t *start, struct texts *out);

#endif
