/*
 * request.h - ask the collector to sample a program that cannot load our library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector opens perf events for the process. They do nothing to it, and its children inherit them.
 */
#ifndef LIBCPAPROF_TARGET_REQUEST_H
#define LIBCPAPROF_TARGET_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

struct segment_head;

/* Does a collector answer requests, and may this process make the system calls? false for NULL. */
bool cpi_request_is_answered_sig(const struct segment_head *head);

/*
 * This process is about to execute such a program, or cannot map the whole segment: wait, at most briefly, until the
 * collector samples it. Does nothing for NULL.
 */
void cpi_request_exec_sig(struct segment_head *head);

/* A new process executes such a program. */
void cpi_request_spawned_sig(uint32_t pid);

#endif
