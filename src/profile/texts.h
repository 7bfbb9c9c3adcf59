/*
 * texts.h - source lines that a profile carries with it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_TEXTS_H
#define PROFILE_TEXTS_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The lines of a source file, by the name that functions have for it: text[i], which is line
 * text_line[i] of the file without its end, for lo <= i < hi, ascending. Not all lines of a file need
 * be there; those that are not are not known.
 *
 * Gives   false when the profile has none of this file
 */
bool profile_texts_find(const struct profile *p, const char *file, uint32_t *lo, uint32_t *hi);

/* Lines on their way into a profile; zero-initialised it is empty. */
struct profile_texts {
	struct strtab *str; /* their own; NULL while there are none */
	struct text *text;
	size_t n, cap;
	uint32_t source; /* how many sources so far */
};

void profile_texts_release(struct profile_texts *t);

/* Append a line of a file; lines count from 1. */
void profile_texts_add(struct profile_texts *t, const char *file, size_t file_n, int64_t line, const char *text,
		       size_t text_n);

/* Append the lines of a profile, as one more source. */
void profile_texts_add_of(struct profile_texts *t, const struct profile *p);

/*
 * Give a profile these lines in place of those it has. Where two sources disagree on a line, the
 * later one says nothing of that file: it is another version.
 *
 * p       the loader's alone
 */
void profile_texts_put(const struct profile_texts *t, struct profile *p);

#endif
