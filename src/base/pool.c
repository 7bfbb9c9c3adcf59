/*
 * pool.c - run parts of a task on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/pool.h"

#include "base/buf.h"
#include "base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { POOL_MAX = 8 };

static unsigned size_override; /* set once by main before work starts */
static _Thread_local unsigned limit;

struct pool_part {
	pool_fn fn;
	void *arg;
	unsigned part, limit;
	atomic_uint_fast64_t *counter; /* see mem_count_into */
	struct buf_limit *buf_limit;
	pthread_t thread;
	bool started;
};

static void *part_main(void *arg)
{
	struct pool_part *p = arg;

	limit = p->limit;
	mem_count_into(p->counter);
	buf_set_limit(p->buf_limit);
	p->fn(p->arg, p->part);
	return NULL;
}

void pool_run(pool_fn fn, void *arg, unsigned n)
{
	struct pool_part part[POOL_MAX];
	unsigned n_started = n < POOL_MAX ? n : POOL_MAX;

	assert(fn);
	for (unsigned i = 1; i < n_started; i++) {
		part[i] = (struct pool_part){ .fn = fn,
					      .arg = arg,
					      .part = i,
					      .limit = limit,
					      .counter = mem_counter(),
					      .buf_limit = buf_get_limit() };
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

static unsigned count_cpus(void)
{
	cpu_set_t set;
	int n;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	n = CPU_COUNT(&set);
	return n < 1 ? 1 : n < POOL_MAX ? (unsigned)n : POOL_MAX;
}

unsigned pool_size(void)
{
	unsigned n = size_override ? size_override : count_cpus();

	return limit && limit < n ? limit : n;
}

void pool_limit(unsigned n)
{
	limit = n;
}

void pool_set_size(unsigned n)
{
	size_override = n < POOL_MAX ? n : POOL_MAX;
}
