/*
 * option.h - the options that can be assigned at the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_OPTION_H
#define FRONT_SHELL_OPTION_H

#include "session/settings.h"

#include <stdbool.h>
#include <stddef.h>

/* An option, or a choice that several options form together, such as granularity. */
struct option {
	const char *name;
	const struct opt *opt;             /* the option; the first value of a choice */
	const struct query_choice *choice; /* NULL for an option */
};

/* Iterate over the options in table order; *at starts at 0. Return false at the end. */
bool option_next(size_t *at, struct option *out);

/* Find an option by name; false when it cannot be assigned at the prompt. */
bool option_find(const char *name, struct option *out);

/* Append the help of an option, one line. */
void option_add_help(const struct option *o, struct buf *out);

/* Append the value of an option as text. */
void option_add_value(const struct option *o, const struct settings *s, struct buf *out);

/* Does an option have the same value in both settings? */
bool option_is_same(const struct option *o, const struct settings *a, const struct settings *b);

/* Append the line that assigns a value: name=value, quoted if the prompt needs it. */
void option_add_line(const char *name, const char *value, struct buf *out);

/* Append one word of a command, quoted if it is empty or contains blanks. */
void option_add_word(const char *word, struct buf *out);

/* Append the lines, separated by commas, that change the settings from before to after; nothing when they are equal. */
void option_add_change(const struct settings *before, const struct settings *after, struct buf *out);

/* All options at their defaults; freed with settings_free. */
struct settings *option_defaults(void);

#endif
