/*
 * perf_rings.h - ring buffers of perf events, one per CPU
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All events of a CPU write to one ring buffer. Records have the layout of perf_event_open(2).
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_PERF_RINGS_H
#define LIBCPAPROF_COLLECTOR_READ_PERF_RINGS_H

#include "libcpaprof/collector/read/memory.h"

#include <stddef.h>
#include <sys/types.h>

struct perf_event_attr;
struct perf_event_header;

struct perf_ring {
	int cpu, fd; /* fd: the event that owns the buffer, which the caller closes; -1: none yet */
	struct perf_event_mmap_page *page;
};

struct perf_rings {
	struct perf_ring *ring; /* [n] CPUs that are online */
	size_t n;
	size_t bytes; /* size of a buffer, a power of 2; halved down to bytes_min until the kernel permits it */
	size_t bytes_min;
	/* private */
	struct vec cpus;
	size_t page_bytes;
	unsigned char *record; /* a record that wraps around the end of its buffer */
};

/* List the CPUs; bytes and bytes_min are set. Returns 0 or -errno; in both cases the caller calls release. */
int perf_rings_init(struct perf_rings *r);
/* Unmap the buffers. */
void perf_rings_release(struct perf_rings *r);

/*
 * Open an event on the CPU of ring i, which writes to that ring.
 *
 * flags   as for perf_event_open(2); close-on-exec is added
 * fd      filled in; the event stays open until the caller closes it
 * Returns 0 or -errno
 */
int perf_rings_open(struct perf_rings *r, size_t i, const struct perf_event_attr *attr, pid_t pid, unsigned long flags,
		    int *fd);

/* Raise the limit of open files of this process as far as permitted: an event is a file. */
void perf_rings_raise_files_limit(void);

/* Called with a record, which is valid until the function returns; ring: index of its ring. */
typedef void perf_rings_fn(void *arg, unsigned ring, const struct perf_event_header *h);

/* Read all records, CPU by CPU; those of one CPU are in order of time. */
void perf_rings_read(struct perf_rings *r, perf_rings_fn *fn, void *arg);
/* The same, but the records stay in the buffers. */
void perf_rings_peek(struct perf_rings *r, perf_rings_fn *fn, void *arg);

#endif
