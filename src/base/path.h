/*
 * path.h - path strings: clean, trim, base name, folder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/buf.h"

#include <string.h>

/* Append the path without //, . and .. as far as the text alone allows; "" stays "". Like Go path/filepath.Clean. */
void path_add_clean(struct buf *out, const char *path);

/* Append the last part of a path; "." for "", "/" for slashes alone. Like Go path/filepath.Base. */
void path_add_base(struct buf *out, const char *path);

/* Append all but the last part of a path, cleaned; "." if there is no other part. Like Go path/filepath.Dir. */
void path_add_dir(struct buf *out, const char *path);

/* The part after the last slash; "" when a slash is last. Borrowed. Like GNU basename(3). */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The pid of a perf map, /tmp/perf-PID.map, by its name; 0 if it is another file. */
int path_perf_map(const char *path);

/*
 * A source file name without the folders of the machine that built it; borrowed.
 *
 * prefixes  colon-separated folders to remove from the start, tried before the prefixes of build
 *           systems (/proc/self/cwd/)
 * search    colon-separated folders, used only without prefixes: the path is cut after the first folder
 *           that has the base name of one of them
 * Like      pprof internal/report trimPath
 */
const char *path_trim(const char *path, const char *prefixes, const char *search);

#endif
