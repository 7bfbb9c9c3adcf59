/*
 * complete_int.h - shared by the files that complete a line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_COMPLETE_INT_H
#define SESSION_COMPLETE_INT_H

#include "base/string_list.h"
#include "profile/profile.h"

/* The candidates found so far: unsorted, possibly with duplicates. */
struct candidates {
	const struct profile *p;
	const char *word;   /* the part of the word before the cursor, without quotes */
	const char *prefix; /* prepended to each candidate, before its quotes: -, > or "" */
	struct string_list found;
};

/* Add a name without quotes if it begins with the word. end is appended to the name. */
void complete_add_name(struct candidates *c, const char *name, const char *end);

/* Add expressions for the functions whose name begins with the word or, if there are none, contains it. */
void complete_functions(struct candidates *c);

/* Add the keys of labels or, after KEY=, expressions for the values of that key. */
void complete_labels(struct candidates *c);

/* Add only the keys of labels. end is appended to each. */
void complete_keys(struct candidates *c, const char *end);

/* Add the files whose path begins with the word; directories end in /. */
void complete_files(struct candidates *c);

/* Add the sample types, each after a prefix. */
void complete_types(struct candidates *c, const char *prefix);

#endif
