/*
 * busy.h - the time in which programs waited for a processor
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * On a busy machine the same program spends its CPU time differently: caches are shared, and a sample of a thread that
 * was stopped is late. A recording says so, since a comparison needs to know.
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_BUSY_H
#define LIBCPAPROF_COLLECTOR_READ_BUSY_H

#include <stdint.h>

/* A reading of the machine's counter. */
struct busy_time {
	uint64_t now_ns;    /* monotonic time of the reading; 0: the kernel has no such counter */
	uint64_t waited_ns; /* time until then in which some thread of any program waited for a processor */
};

/* Read /proc/pressure/cpu, unless the last reading is younger than 100 ms. */
void busy_read(struct busy_time *t);

/* The share of the time between two readings in which a thread waited, 0 to 1; 0 if it is unknown or too short. */
double busy_share(const struct busy_time *from, const struct busy_time *to);

/* Format the comment of a profile about this share. Returns 0 without a text if it is below 10 %. */
int busy_comment(double share, char *out, unsigned size);

#endif
