/*
 * stop.c - cancel work from another thread, and report its progress
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

int stop_percent(const struct stop *s, const char **activity)
{
	uint64_t total = atomic_load_explicit(&s->total, memory_order_relaxed);
	uint64_t done = atomic_load_explicit(&s->done, memory_order_relaxed);

	assert(s && activity);
	*activity = atomic_load_explicit(&s->activity, memory_order_relaxed);
	if (total == 0)
		return -1;
	return done >= total ? 100 : (int)((double)done * 100 / (double)total);
}
