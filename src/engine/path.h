/*
 * path.h - source file names as reports show them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_PATH_H
#define ENGINE_PATH_H

#include "base/buf.h"

/* Append the path without //, . and .. where that can be told from the text; "" stays "".
   Like Go path/filepath.Clean. */
void path_add_clean(struct buf *out, const char *path);

/* The last part of a path; "." for "", "/" for slashes alone. Like Go path/filepath.Base. */
void path_add_base(struct buf *out, const char *path);

/* The path behind the prefixes that build systems put in front (/proc/self/cwd/); borrowed. */
const char *path_trimmed(const char *path);

#endif
