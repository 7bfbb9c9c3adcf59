/*
 * settings.h - a question whose options are set by text, one after the other
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the shells hold: unlike a query it owns its texts, can be copied (to undo, or to ask something
 * once) and can say itself.
 */
#ifndef SESSION_SETTINGS_H
#define SESSION_SETTINGS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "engine/query.h"
#include "profile/profile.h"

#include <stdbool.h>

struct settings;

/* Settings that begin as a question stands; q is copied with all its texts. Freed with settings_free, which takes NULL. */
struct settings *settings_new(const struct query *q);
struct settings *settings_copy(const struct settings *s);
void settings_free(struct settings *s);

/* The question as it stands; valid until the next change. */
const struct query *settings_query(const struct settings *s);

/*
 * Assign as pprof's shell does.
 *
 * name    of an option, or of a value of a choice ("cum")
 * value   as text; NULL when there was no "=", which is true for a flag
 * p       for the sample types that sample_index can name
 * Fails   ERR_USAGE, nothing changed
 * Like    pprof internal/driver/interactive.go, configure in config.go
 */
int settings_assign(struct settings *s, const struct profile *p, const char *name, const char *value, struct err *err);

/* Is this the name of an option that can be assigned, or of one that only matters while profiles are read? */
bool settings_has(const char *name);

/* Set what a report takes besides options: the expression of peek, list, disasm, weblist. */
void settings_set_pattern(struct settings *s, const char *pattern);

/* Can this option be assigned? Others only matter while profiles are read. */
bool settings_can(const struct opt *o);

/* Append the value of an option as text; of a choice the name of the value in force. */
void settings_add_value(const struct settings *s, const struct opt *o, struct buf *out);

/* Append the name of the value of a choice that is in force; "text" of the choice shape when none was made. */
void settings_add_choice(const struct settings *s, const struct query_choice *c, struct buf *out);

/* Append one word, quoted as settings_add_arguments does. */
void settings_add_word(const char *word, struct buf *out);

/*
 * Append what differs from the defaults as options of a command line: " -cum -focus='a b'", each with
 * a blank in front, quoted so that a POSIX shell reads it and nothing reaches a terminal raw.
 */
void settings_add_arguments(const struct settings *s, struct buf *out);

/* Is every option the same? */
bool settings_equal(const struct settings *a, const struct settings *b);

#endif
