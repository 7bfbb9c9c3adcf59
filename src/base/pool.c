/*
 * pool.c - the same work on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { POOL_MAX = 8 };

static unsigned forced; /* set once by main before work starts */

struct part {
	pool_fn fn;
	void *arg;
	unsigned part;
	pthread_t thread;
	bool started;
};

static void *part_main(void *arg)
{
	struct part *p = arg;

	p->fn(p->arg, p->part);
	return NULL;
}

void pool_run(pool_fn fn, void *arg, unsigned n)
{
	struct part part[POOL_MAX];
	unsigned n_started = n < POOL_MAX ? n : POOL_MAX;

	assert(fn);
	for (unsigned i = 1; i < n_started; i++) {
		part[i] = (struct part){ .fn = fn, .arg = arg, .part = i };
		part[i].started = pthread_create(&part[i].thread, NULL, part_main, &part[i]) == 0;
	}
	if (n)
		fn(arg, 0);
	for (unsigned i = 1; i < n; i++) {
		if (i < n_started && part[i].started)
			pthread_join(part[i].thread, NULL);
		else
			fn(arg, i);
	}
}

unsigned pool_size(void)
{
	cpu_set_t set;
	int n;

	if (forced)
		return forced;
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	n = CPU_COUNT(&set);
	return n < 1 ? 1 : n < POOL_MAX ? (unsigned)n : POOL_MAX;
}

void pool_set_size(unsigned n)
{
	forced = n < POOL_MAX ? n : POOL_MAX;
}
