/*
 * sources.h - patterns of file names to file names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SOURCES_H
#define ANSWER_SOURCES_H

#include "base/err.h"
#include "engine/query.h"

#include <stddef.h>

struct sources {
	const char **name; /* [n] */
	size_t n;
	/* what is behind the names that were patterns */
	char **own;
	size_t n_own, cap, cap_own;
};

/*
 * Add the names that the n words stand for: a word that is no file but has *, ? or [ in it stands
 * for the files that match, sorted by their bytes; one that matches none may be a URL, which stays.
 *
 * out     zero-initialised or already holding some; borrows the words; released with sources_release
 * Fails   ERR_IO when a pattern matches nothing
 */
int sources_add(struct sources *out, const char *const *word, size_t n, struct err *err);
void sources_release(struct sources *s);

/*
 * Refuse sources that cannot be meant: one that the report would be written over, standard input more than once.
 *
 * kind     what they are called: "source", "base"
 * n_stdin  how often standard input has been named before; counted up
 * Fails    ERR_USAGE
 */
int sources_check(const struct sources *s, const char *kind, const struct query *q, size_t *n_stdin, struct err *err);

#endif
