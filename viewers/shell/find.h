/*
 * find.h - what / looks for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_FIND_H
#define VIEWERS_SHELL_FIND_H

#include <stdbool.h>
#include <stddef.h>

struct find;

/*
 * Make a typed text ready. It is an expression when it parses as one, else plain; without a capital
 * letter, capitals do not matter. "" is found everywhere. Freed with find_free, which takes NULL.
 */
struct find *find_new(const char *text);
void find_free(struct find *f);

/* Replace *f by what a text looks for; "" looks for nothing, *f is NULL then. */
void find_set(struct find **f, const char *text);

/* Is it in a name? An expression that takes too many steps is in none. */
bool find_in(struct find *f, const char *name);

/* Where in a name it is, in bytes; false when it is an expression, or not there. */
bool find_at(const struct find *f, const char *name, size_t *at, size_t *n);

#endif
