/*
 * where_path.h - paths put together
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_WHERE_PATH_H
#define SYMBOL_WHERE_PATH_H

#include "base/arena.h"

#include <stddef.h>

/*
 * Join up to four parts by slashes, without empty ones, and take out what changes nothing: double
 * slashes, "." and names that ".." undoes. "" when all are empty.
 *
 * Like    Go's filepath.Join
 */
const char *where_join(struct arena *mem, const char *a, const char *b, const char *c, const char *d);

/* The last name of a path, "." for none, "/" for slashes alone. Like Go's filepath.Base. */
const char *where_base(struct arena *mem, const char *path);

/* All but the last name, cleaned. Like Go's filepath.Dir. */
const char *where_dir(struct arena *mem, const char *path);

/*
 * Step through a list parted by colons, as PATH is.
 *
 * list    moved on; starts as the list, and is NULL behind its end; an empty list has no parts
 * Gives   the next part, "" for one that is empty; NULL at the end
 */
const char *where_part(struct arena *mem, const char **list);

#endif
