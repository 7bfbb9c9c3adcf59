/*
 * out.h - destinations of a profile: a descriptor, a file, a function
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writing profiles must not disturb the program: no file stays open while the program runs, except descriptors that it
 * passed in, which are checked before they are written. New files have mode 0600, symbolic links are not followed, and
 * a broken pipe is an error instead of a signal.
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
	int fd, original; /* the duplicate, or -1 if there is none, and the original */
	struct stat file_stat;
	char path[PATH_MAX]; /* absolute; with %p, %t and %h replaced */
	int64_t start_s;     /* value of %t */
	bool overwrite;
	cpa_write_fn write;
	void *arg;
};

/* Prepare a destination. Returns 0, or -errno if it could not be written now. */
int out_fd(struct out *o, int fd);
int out_path(struct out *o, const char *path, bool overwrite);
int out_fn(struct out *o, cpa_write_fn write, void *arg);

/* Write all data, and release the destination. Returns 0, -errno, or the value of the function. */
int out_write(struct out *o, const void *data, size_t n);

/* Write a message to standard error. If that fails, nothing happens. */
void out_message(const char *text, size_t n);

/* Close our duplicate. */
void out_release(struct out *o);

/*
 * Make a path absolute, with %p (process), %t (seconds since 1970) and %h (host) replaced.
 *
 * Returns 0, -ENAMETOOLONG, or the error of getcwd
 */
int out_expand_path(char to[PATH_MAX], const char *path, int64_t time_s);

#endif
