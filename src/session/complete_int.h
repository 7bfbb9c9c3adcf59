/*
 * complete_int.h - between the files that complete a line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_COMPLETE_INT_H
#define SESSION_COMPLETE_INT_H

#include "base/texts.h"
#include "profile/profile.h"

/* Candidates as they are found: in any order, some more than once. */
struct candidates {
	const struct profile *p;
	const char *word; /* what is there of the word, without quotes */
	const char *lead; /* stands in front of each candidate, before its quotes: -, > or "" */
	struct texts found;
};

/* Add a name of ours that begins with the word; end is put behind it. */
void complete_add_name(struct candidates *c, const char *name, const char *end);

/* Add expressions for functions: those whose name begins with the word, else those that have it. */
void complete_functions(struct candidates *c);

/* Add keys of labels, and expressions for the values of a key when KEY= is there. */
void complete_labels(struct candidates *c);

/* Add the keys of labels alone; end is put behind them. */
void complete_keys(struct candidates *c, const char *end);

/* Add files whose path begins with the word, folders with / behind them. */
void complete_files(struct candidates *c);

/* Add the sample types with a prefix. */
void complete_types(struct candidates *c, const char *prefix);

#endif
