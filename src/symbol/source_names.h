/*
 * source_names.h - from the name that reports have for a source file back to that of the profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_SOURCE_NAMES_H
#define SYMBOL_SOURCE_NAMES_H

#include "profile/profile.h"
#include "symbol/where.h"

#include <stdint.h>

struct source_names;

/* Learn the names of a profile's files: as they are, and clean and trimmed as reports have them. p
   lives longer; freed with source_names_free, which takes NULL. */
struct source_names *source_names_new(const struct profile *p, const struct symbol_where *w);
void source_names_free(struct source_names *s);

/* The name that the profile has for a file; NULL when it has no such file. */
const char *source_names_find(const struct source_names *s, const char *file);

/* The mapping of a binary that has functions of a file of that name, one with a build id if any has; NULL. */
const struct mapping *source_names_map(struct source_names *s, const char *file);

/* The build id of a binary that has functions of a file of that name; "" for none. */
const char *source_names_build_id(struct source_names *s, const char *file);

#endif
