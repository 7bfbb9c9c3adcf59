/*
 * cache_folder.h - the folder of a cache: paths, writing, keeping it small
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_CACHE_FOLDER_H
#define SYMBOL_CACHE_FOLDER_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Append the path of the file of a build id; false when there is no folder, or no build id to name a file. */
bool cache_folder_path(const char *dir, const char *build_id, struct buf *out);

/* Note that a file is still of use. */
void cache_folder_used(const char *path);

/*
 * Replace the file of a build id in one step, and remove the files that were not used for longest when
 * there is too much in the folder, which is made when it is missing. Nobody else may read them. Says
 * nothing when it fails.
 */
void cache_folder_put(const char *dir, const char *build_id, const void *data, size_t n);

#endif
