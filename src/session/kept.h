/*
 * kept.h - small things that are remembered from one session to the next
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names with a text each: which columns a view shows. A file of lines NAME=TEXT, which people may edit.
 */
#ifndef SESSION_KEPT_H
#define SESSION_KEPT_H

#include "base/err.h"

struct kept;

/*
 * What a file holds; one that is not there or cannot be read holds nothing. Freed with kept_free, which
 * takes NULL.
 *
 * path    NULL keeps things only as long as this lives
 */
struct kept *kept_open(const char *path);
void kept_free(struct kept *k);

/* What is kept under a name, "" for nothing; good until it is set again. */
const char *kept_get(const struct kept *k, const char *name);

/*
 * Keep a text of one line, in the file too; folders on the way there are made. Lines of others stay, also those
 * that other sessions have kept meanwhile.
 *
 * Fails   ERR_IO, ERR_LIMIT when the file cannot be read or written, and then it stays as it is; this session
 *         remembers the text all the same
 */
int kept_set(struct kept *k, const char *name, const char *text, struct err *err);

#endif
