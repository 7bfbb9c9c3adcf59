/*
 * sources.h - patterns of file names to file names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SOURCES_H
#define ANSWER_SOURCES_H

#include "base/err.h"

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

#endif
