/*
 * settings.h - query options that are assigned as text, one at a time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The options of a shell. Unlike a query, settings own their texts, can be copied (for undo, or for a single
 * query), and can be written as text.
 */
#ifndef SESSION_SETTINGS_H
#define SESSION_SETTINGS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "profile/profile.h"

#include <stdbool.h>

struct query;
struct query_choice;
struct query_param;
struct report_type;
struct settings;

/* Create settings from a query, whose texts are copied. Freed with settings_free, which takes NULL. */
struct settings *settings_new(const struct query *q);
struct settings *settings_copy(const struct settings *s);
void settings_free(struct settings *s);

/* The current query; valid until the next change. */
const struct query *settings_query(const struct settings *s);

/*
 * Assign an option as pprof's shell does.
 *
 * name of an option, or a value of a choice ("cum")
 * value   as text; NULL when there was no "=", which sets a flag to true
 * p       the profile whose sample types sample_index can name
 * Fails   ERR_USAGE, nothing changed
 * Like    pprof internal/driver/interactive.go, configure in config.go
 */
int settings_assign(struct settings *s, const struct profile *p, const char *name, const char *value, struct err *err);

/* Set an option or a choice to its default, as if it had not been given. */
void settings_reset(struct settings *s, const char *name);

/*
 * Read the value of a flag; "" is true.
 *
 * Fails   ERR_USAGE
 * Like    pprof internal/driver stringToBool
 */
int settings_parse_flag(const char *value, bool *out, struct err *err);

/* Is this the name of an option, either one that can be assigned or one that only matters while profiles are read? */
bool settings_is_known(const char *name);

/* Set the argument of a report: the expression of peek, list, disasm, weblist. */
void settings_set_pattern(struct settings *s, const char *pattern);

/* Can this option be assigned? The others only matter while profiles are read. */
bool settings_can_assign(const struct opt *o);

/* Append the value of an option as text. For an option that belongs to a choice: the name of the current value. */
void settings_add_value(const struct settings *s, const struct opt *o, struct buf *out);

/* Append the name of the current value of a choice; "text" if no shape was chosen. */
void settings_add_choice(const struct settings *s, const struct query_choice *c, struct buf *out);

/* Append one word, quoted as settings_add_arguments does. */
void settings_add_word(const char *word, struct buf *out);

/*
 * Append all options that differ from their defaults as command-line options: " -cum -focus='a b'". A blank
 * precedes each option. Words are quoted for a POSIX shell, so that no control character reaches the terminal.
 *
 * t   options that the command line of this report refuses are omitted; NULL: all options are wanted
 */
void settings_add_arguments(const struct settings *s, const struct report_type *t, struct buf *out);

/* Do a and b have the same values for all options? */
bool settings_equal(const struct settings *a, const struct settings *b);

#endif
