/*
 * unwind_here.h - walk stacks of the test process itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RUNTIME_UNWIND_HERE_H
#define RUNTIME_UNWIND_HERE_H

#include "libcpaprof/target/unwind/unwind.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 2048 };

struct walked {
	uint64_t pc[MAX_FRAMES];
	struct unwind_result r;
};

/* The stack of the calling thread. */
static inline struct unwind_range this_stack(void)
{
	pthread_attr_t attr;
	size_t size;
	void *lo;

	if (pthread_getattr_np(pthread_self(), &attr) != 0 || pthread_attr_getstack(&attr, &lo, &size) != 0)
		abort();
	pthread_attr_destroy(&attr);
	return (struct unwind_range){ (uint64_t)lo, (uint64_t)lo + size, lo };
}

static inline const char *end_name(enum unwind_end end)
{
	static const char *const name[UNWIND_N_ENDS] = { "root",   "full",   "no CFI",  "bad CFI",
							 "no reg", "bad sp", "outside", "too long" };

	return name[end];
}

#endif
