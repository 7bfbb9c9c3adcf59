/*
 * path.h - paths as text: clean, joined, trimmed, their parts
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/buf.h"

#include <string.h>

/* Append the path without //, . and .. where that can be told from the text; "" stays "".
   Like Go path/filepath.Clean. */
void path_add_clean(struct buf *out, const char *path);

/* Append the last part of a path; "." for "", "/" for slashes alone. Like Go path/filepath.Base. */
void path_add_base(struct buf *out, const char *path);

/* Append all but the last part of a path, clean; "." for none. Like Go path/filepath.Dir. */
void path_add_dir(struct buf *out, const char *path);

/* The part after the last slash; "" when a slash is last. Borrowed. Like GNU basename(3). */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * A source file name without what stands for the machine that built it; borrowed.
 *
 * prefixes  folders to take off its start, parted by colons; behind them come those that build
 *           systems put in front (/proc/self/cwd/)
 * search    folders parted by colons; without prefixes, the part up to the first folder in the path
 *           that is named as one of them goes
 * Like      pprof internal/report trimPath
 */
const char *path_trimmed(const char *path, const char *prefixes, const char *search);

#endif
