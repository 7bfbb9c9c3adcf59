/*
 * find.h - searching for the text that is typed after /
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_WIDGETS_FIND_H
#define FRONT_SHELL_WIDGETS_FIND_H

#include <stdbool.h>
#include <stddef.h>

struct find;

/*
 * Compile a search text. A text that is not a valid regular expression is searched as plain text. Case matters only if
 * the text contains a capital letter. "" matches everything. Freed with find_free, which takes NULL.
 */
struct find *find_new(const char *text);
void find_free(struct find *f);

/* Replace *f by a search for a text; "" sets it to NULL, which means no search. */
void find_set(struct find **f, const char *text);

/* Does the search match a part of the name? An expression that takes too many steps does not match. */
bool find_matches(struct find *f, const char *name);

/* Find the position and length of the match in bytes. Return false if there is no match, or for regular expressions. */
bool find_position(const struct find *f, const char *name, size_t *at, size_t *n);

#endif
