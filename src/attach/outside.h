/*
 * outside.h - sample programs of a run that cannot load our library, with perf events
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process with our library that executes such a program asks for it and waits, so that no CPU time is missing
 * (libcpaprof/target/request.h). Processes that the program starts inherit the events. A process with our library is
 * not sampled.
 */
#ifndef ATTACH_OUTSIDE_H
#define ATTACH_OUTSIDE_H

#include "attach/files.h"

struct attach_outside; /* a thread that answers requests and reads samples */

/* Begin to answer requests. Call this before the program starts. Returns NULL, after a note, if that is impossible. */
struct attach_outside *attach_outside_new(const struct attach_options *o, struct collect *c);

/* The program runs: start the thread. Signals must be blocked in the caller. Takes NULL. */
void attach_outside_start(struct attach_outside *x);

/* Stop sampling, and add the processes to the totals of the collector. Call this before collect_finish. Takes NULL. */
void attach_outside_stop(struct attach_outside *x);

/*
 * Write a file for each process.
 *
 * Returns the number of requests that were fulfilled; 0 for NULL
 */
unsigned attach_outside_finish(struct attach_outside *x, struct attach_files *files);

/* Takes NULL. */
void attach_outside_free(struct attach_outside *x);

#endif
