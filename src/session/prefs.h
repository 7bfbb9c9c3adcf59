/*
 * prefs.h - user preferences that are saved between sessions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each name has one text, for example the columns that a view shows. The file contains lines NAME=TEXT, which users
 * may edit.
 */
#ifndef SESSION_KEPT_H
#define SESSION_KEPT_H

#include "base/err.h"

struct prefs;

/*
 * Read the preferences of a file; a missing or unreadable file counts as empty. Freed with prefs_free, which
 * takes NULL.
 *
 * path    NULL: do not save anything
 */
struct prefs *prefs_open(const char *path);
void prefs_free(struct prefs *k);

/* The text saved under a name, "" if there is none; valid until the name is set again. */
const char *prefs_get(const struct prefs *k, const char *name);

/*
 * Save a one-line text under a name, in memory and in the file. Missing directories are created. Other lines of the
 * file are preserved, including those that other sessions have saved meanwhile.
 *
 * Fails   ERR_IO, ERR_LIMIT when the file cannot be read or written. The file is then unchanged, but this session
 *         still uses the new text
 */
int prefs_set(struct prefs *k, const char *name, const char *text, struct err *err);

#endif
