/*
 * out.h - where a profile goes: a descriptor, a file, a function
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program could trip over is avoided: no file is open while it works (but for descriptors that it
 * gave, which are checked before they are written), files are new ones with mode 0600, links are not followed,
 * and a broken pipe is an error and no signal.
 */
#ifndef LIBCPAPROF_API_OUT_H
#define LIBCPAPROF_API_OUT_H

#include "libcpaprof/api/cpa/pprof.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

enum out_kind { OUT_NONE, OUT_FD, OUT_PATH, OUT_FN };

struct out {
	enum out_kind kind;
	int fd, given; /* the duplicate, -1 when there is none, and what was given */
	struct stat is;
	char path[PATH_MAX]; /* absolute; with %p, %t and %h in place */
	int64_t start_s;     /* what %t became */
	bool overwrite;
	cpa_write_fn write;
	void *arg;
};

/* Each gives 0, or -errno when nothing could be written there now. */
int out_fd(struct out *o, int fd);
int out_path(struct out *o, const char *path, bool overwrite);
int out_fn(struct out *o, cpa_write_fn write, void *arg);

/* Write all of it, and release. Gives 0, -errno, or what the function gave. */
int out_write(struct out *o, const void *data, size_t n);

/* Close what is ours. */
void out_release(struct out *o);

/*
 * The path with %p (process), %t (seconds since 1970) and %h (host) in place, absolute.
 *
 * Gives   0, -ENAMETOOLONG, or what getcwd says
 */
int out_name(char to[PATH_MAX], const char *path, int64_t time_s);

#endif
