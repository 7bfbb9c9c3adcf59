/*
 * stop.c - work that another thread may end, and how far it is
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/stop.h"

#include <assert.h>

int stop_check(const struct stop *s, struct err *err)
{
	return stop_is_set(s) ? err_set(err, ERR_STOPPED, "stopped") : 0;
}

int stop_percent(const struct stop *s, const char **what)
{
	uint64_t all = atomic_load_explicit(&s->all, memory_order_relaxed);
	uint64_t done = atomic_load_explicit(&s->done, memory_order_relaxed);

	assert(s && what);
	*what = atomic_load_explicit(&s->what, memory_order_relaxed);
	if (all == 0)
		return -1;
	return done >= all ? 100 : (int)((double)done * 100 / (double)all);
}
