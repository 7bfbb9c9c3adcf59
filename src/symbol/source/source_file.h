/*
 * source_file.h - find and read source files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_SOURCE_SOURCE_FILE_H
#define SYMBOL_SOURCE_SOURCE_FILE_H

#include "profile/profile.h"
#include "symbol/options.h"

#include <stdint.h>

struct source_files; /* the files requested so far */

struct source_file {
	const char *path;        /* path of the file; "" if it was not found */
	uint32_t n;              /* lines */
	const char *const *line; /* [n] text of line i + 1, without newline; "" if a bundle omits it; untrusted */
	const char *error;       /* error in pprof's words; "" on success */
	const char *tried;       /* on failure, the most likely of the paths tried, one per line */
};

/* Source texts in the profile are tried first, debuginfod servers last. p and w must outlive the result. Freed with
   source_files_free, which takes NULL. */
struct source_files *source_files_new(const struct profile *p, const struct symbol_options *w);
void source_files_free(struct source_files *s);

/* The file with this name in the profile; never NULL, valid as long as s. */
const struct source_file *source_files_get(struct source_files *s, const char *file);

#endif
