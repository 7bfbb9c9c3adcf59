/*
 * sources.h - expand patterns of file names, and queries of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SOURCES_H
#define ANSWER_SOURCES_H

#include "answer/stored.h"
#include "base/err.h"

#include <stddef.h>

struct sources {
	const char **name; /* [n] */
	size_t n;
	/* file names that match patterns, and canonical sources store:, owned */
	char **expanded;
	size_t n_expanded, cap, cap_expanded;
};

/*
 * Add the names of n words. If a word contains *, ? or [ and is not an existing file, the files that match are added
 * in byte order. If none matches and the word is a URL, it is added unchanged. A source store: is added with absolute times,
 * split as the command needs it.
 *
 * q       --store, and labels to keep
 * out     zero-initialised or with names from earlier calls; borrows the words; released with sources_release
 * Fails   ERR_IO when a pattern matches nothing; ERR_USAGE; as store_open
 */
int sources_add(struct sources *out, const char *const *word, size_t n, enum stored_split split, const struct query *q,
		struct err *err);
void sources_release(struct sources *s);

/*
 * Fail if the report would overwrite a source, or if standard input is given more than once.
 *
 * kind     for messages: "source" or "base"
 * n_stdin  number of times that standard input was given so far; increased
 * Fails    ERR_USAGE
 */
int sources_check(const struct sources *s, const char *kind, const struct query *q, size_t *n_stdin, struct err *err);

#endif
