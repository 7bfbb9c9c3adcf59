/*
 * source.h - source lines embedded in a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_SOURCE_H
#define PROFILE_SOURCE_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Find the embedded lines of a source file, by its name in functions. For lo <= i < hi, line
 * source_line[i] of the file is source_text[i], without newline; line numbers ascend. Some lines of the
 * file may be missing.
 *
 * Returns false when the profile contains no lines of this file
 */
bool profile_source_find(const struct profile *p, const char *file, uint32_t *lo, uint32_t *hi);

/* The suffix of the name of a source file, with its dot; NULL if it is not that of a known language. Borrowed from name. */
const char *profile_source_suffix(const char *name);

/* Lines to embed in a profile. A zero-initialised list is empty. */
struct profile_source {
	struct strtab *str; /* strings of the list; NULL while it is empty */
	struct source_line *text;
	size_t n, cap;
	uint32_t source; /* number of sources added so far */
};

void profile_source_release(struct profile_source *t);

/* Append a line of a file; line numbers start at 1. */
void profile_source_add(struct profile_source *t, const char *file, size_t file_n, int64_t line, const char *text,
			size_t text_n);

/* Append the lines of a profile, as a new source. */
void profile_source_add_from(struct profile_source *t, const struct profile *p);

/*
 * Replace the embedded lines of a profile. When two sources disagree on a line, all lines of that file
 * from the later source are ignored, since it has another version of the file.
 *
 * p       must not be shared yet
 */
void profile_source_store(const struct profile_source *t, struct profile *p);

#endif
