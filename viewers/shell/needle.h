/*
 * needle.h - what was typed to search for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_NEEDLE_H
#define VIEWERS_SHELL_NEEDLE_H

#include <stdbool.h>

struct needle;

/*
 * An expression where the text is one, else plain text. Upper and lower case are one unless it has a capital.
 *
 * Gives   owned, freed with needle_free, which takes NULL; NULL for ""
 */
struct needle *needle_new(const char *text);
void needle_free(struct needle *n);

/* Is it somewhere in a text? No when it takes too long to say. */
bool needle_is_in(struct needle *n, const char *text);

#endif
