/*
 * threads.h - print the threads of a running process for people, in Go's text format, or as a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_THREADS_H
#define ATTACH_THREADS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_threads_options {
	int64_t debug; /* 1, 2: as Go prints goroutines; 0: for people */
	bool proto;    /* write profile.proto instead */
};

/*
 * Append the threads of a process. For people, threads with the same stack and the same kind of wait are grouped, the
 * longest wait first, in lines of at most 80 columns.
 *
 * pid     above 0
 * Fails   ERR_IO if the process cannot be read, else as symbolize_local
 */
int attach_threads(pid_t pid, const struct attach_threads_options *o, struct buf *out, struct err *err);

#endif
