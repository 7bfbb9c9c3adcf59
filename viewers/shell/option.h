/*
 * option.h - the options that the prompt can assign, one after the other
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_OPTION_H
#define VIEWERS_SHELL_OPTION_H

#include "session/settings.h"

#include <stdbool.h>
#include <stddef.h>

/* An option, or a choice that several make together: granularity. */
struct option {
	const char *name;
	const struct opt *opt;             /* of a choice its first value */
	const struct query_choice *choice; /* NULL for an option */
};

/* The options in the order of the table; *at is 0 at first. Gives false behind the last one. */
bool option_next(size_t *at, struct option *out);

/* The option of a name; false when the prompt can assign none of that name. */
bool option_find(const char *name, struct option *out);

/* Append what it is for, in one line. */
void option_add_help(const struct option *o, struct buf *out);

/* Append the value as text. */
void option_add_value(const struct option *o, const struct settings *s, struct buf *out);

/* Have both the same value? */
bool option_is_same(const struct option *o, const struct settings *a, const struct settings *b);

/* Append the line that gives an option a value: name=value, with quotes where the prompt needs them. */
void option_add_line(const char *name, const char *value, struct buf *out);

/* Append one word of a command, with quotes where it has blanks or is none. */
void option_add_word(const char *word, struct buf *out);

/* Append the lines, parted by commas, that give what `after` has otherwise than `before` its value; nothing
   when both are the same. */
void option_add_change(const struct settings *before, const struct settings *after, struct buf *out);

/* All options at their defaults; freed with settings_free. */
struct settings *option_defaults(void);

#endif
