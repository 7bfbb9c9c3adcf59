/*
 * waited.h - for how long threads have waited, by what was seen of them before
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel does not tell since when a thread waits, but how often it ran. One that did not run since
 * an earlier dump has waited since then at least.
 */
#ifndef LIBCPAPROF_COLLECTOR_WAITED_H
#define LIBCPAPROF_COLLECTOR_WAITED_H

#include "libcpaprof/collector/memory.h"

/* Begins as zeros. */
struct waited {
	struct vec before, now; /* struct waited_thread; before is in order of tid */
};

/* A thread was seen that ran so often. Gives for how long it waits, 0 when that is not known. */
uint64_t waited_see(struct waited *w, uint32_t tid, uint64_t runs, uint64_t now_ns);

/* All threads were seen. */
void waited_end(struct waited *w);

void waited_release(struct waited *w);

#endif
