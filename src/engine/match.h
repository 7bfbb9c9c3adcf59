/*
 * match.h - the same function in several profiles, whatever its address
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row is what a comparison counts: a function, a file or a line, known by its name without what
 * compilers append (match_name.h) and by its file. Between profiles the directories of a build tree
 * may differ, so of functions of one name these are the same, the first rule that fits:
 *
 *	1. the whole path is equal;
 *	2. as many last parts of the path are equal as make it one function on either side: eight,
 *	   then seven, and so on down to the bare file name;
 *	3. it is the only one of its name on either side: it has moved, or one side knows no files.
 *
 * Functions that these leave apart stay apart. Within one profile a function without a file is the
 * one with a file, when there is one such only. Files, for rows that have no name, follow 1 and 2.
 */
#ifndef ENGINE_MATCH_H
#define ENGINE_MATCH_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/places.h"

#include <stdbool.h>
#include <stdint.h>

struct match;

/* No rows yet; owned by the caller. */
struct match *match_new(void);
void match_free(struct match *m);

/* Append the name that a function of n bytes counts for. Fails with a sentence. */
typedef int (*match_name_fn)(void *arg, const char *name, size_t n, const char *file, struct buf *out, struct err *err);

/* Have the names of profiles to come made by fn, and not cut by match_name.h; NULL goes back to that. */
void match_set_names(struct match *m, match_name_fn fn, void *arg);

/*
 * Find or append the rows of one more profile.
 *
 * pl     made with file names kept (match_query); its places become rows of m: list and many are
 *        renumbered, n is the number of rows there are so far, place is gone
 * Fails  ERR_LIMIT; as match_name_fn
 */
int match_places(struct match *m, struct places *pl, struct err *err);

/* The question to make places with: functions are told apart by file too. Fails ERR_USAGE for addresses. */
int match_query(const struct query *q, struct query *out, struct err *err);

/* Rows so far; ids are below and never change. */
uint32_t match_count(const struct match *m);

/* The name and the file of a row, "" when it has none; the file is that of the last profile. Borrowed. */
const char *match_name(const struct match *m, uint32_t row);
const char *match_file(const struct match *m, uint32_t row);
int64_t match_line(const struct match *m, uint32_t row);

/* Append the row as reports print it; with_file where a name alone would not tell it from others. */
void match_add_label(const struct match *m, uint32_t row, bool with_file, struct buf *out);

#endif
