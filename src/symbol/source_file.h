/*
 * source_file.h - source files: found, read, cut into lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_SOURCE_FILE_H
#define SYMBOL_SOURCE_FILE_H

#include "profile/profile.h"
#include "symbol/where.h"

#include <stdint.h>

struct source_files; /* those looked for so far; each once */

struct source_file {
	const char *path;        /* where it was found; "" when it was not */
	uint32_t n;              /* lines */
	const char *const *line; /* [n] line i + 1, without its end; "" for those that a bundle left out; hostile */
	const char *why;         /* the sentence why it could not be read, as pprof puts it; "" when it was */
	const char *tried;       /* then: the best places tried, a line each */
};

/* Nothing looked for yet. Texts that the profile carries come first, debuginfod servers last. p and w
   live longer; freed with source_files_free, which takes NULL. */
struct source_files *source_files_new(const struct profile *p, const struct symbol_where *w);
void source_files_free(struct source_files *s);

/* The file that a profile names so; never NULL, lives as long as s. */
const struct source_file *source_files_get(struct source_files *s, const char *file);

#endif
