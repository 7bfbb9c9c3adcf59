/*
 * requests.h - requests of processes to sample a program that cannot load our library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Unlike the other functions of the collector, these may be called in another thread, but only in one, and only before
 * collect_close.
 */
#ifndef LIBCPAPROF_COLLECTOR_REQUESTS_H
#define LIBCPAPROF_COLLECTOR_REQUESTS_H

#include "libcpaprof/collector/collect.h"

/* From now on processes wait for an answer before they execute such a program, or not any more. */
void collect_requests_answer(struct collect *c, bool yes);

/*
 * Wait for requests, at most this time.
 *
 * seen    how many requests were there when they were last read, 0 at first; updated
 */
void collect_requests_wait(struct collect *c, uint32_t *seen, int ms);

/* is_running: does the process execute its program already? */
typedef void collect_request_fn(void *arg, pid_t pid, bool is_running);

/* Call fn for each request, and answer it. Requests for processes that are not those of this recording are dropped. */
void collect_requests_each(struct collect *c, collect_request_fn *fn, void *arg);

/* Has a process mapped our segment, so that our library samples it? */
bool collect_has_segment(const struct collect *c, pid_t pid);

#endif
