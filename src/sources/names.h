/*
 * names.h - names of a profile, for completion
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_NAMES_H
#define SOURCES_NAMES_H

#include "base/string_list.h"

#include <stddef.h>

/*
 * Append the sample types, label keys and names of functions of the first file that is a profile. Words that are not
 * regular files are skipped, so nothing is fetched. If no file is a profile, nothing is appended.
 *
 * types, keys, functions   each may be NULL
 */
void sources_add_names(const char *const *file, size_t n, struct string_list *types, struct string_list *keys,
		       struct string_list *functions);

#endif
