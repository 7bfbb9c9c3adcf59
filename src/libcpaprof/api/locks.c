/*
 * locks.c - the rates of the profiles block and mutex, and waits that programs tell of
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/target/target.h"
#include "libcpaprof/target/wait.h"

#include <limits.h>

/* Set a rate of the segment, which is made when there is none and it has to be. Gives what was there. */
static uint64_t set_rate(size_t at, int64_t to)
{
	_Atomic uint64_t *rate;

	if (!cpi.head && (to <= 0 || collector_ensure_segment() < 0))
		return 0;
	rate = (_Atomic uint64_t *)((uint8_t *)cpi.head + at);
	return to < 0 ? atomic_load(rate) : atomic_exchange(rate, (uint64_t)to);
}

CPA_EXPORT int64_t cpa_block_set_rate(int64_t ns)
{
	uint64_t was = set_rate(offsetof(struct segment_head, block_rate), ns);

	return was > INT64_MAX ? INT64_MAX : (int64_t)was;
}

CPA_EXPORT int cpa_mutex_set_fraction(int n)
{
	uint64_t was = set_rate(offsetof(struct segment_head, mutex_fraction), n);

	return was > INT_MAX ? INT_MAX : (int)was;
}

/* The frames of the program begin behind the caller's address: the wrapper itself is none of them. */
static struct wait_site site_of(const void *back)
{
	return (struct wait_site){ .back = (uintptr_t)back };
}

CPA_EXPORT void cpa_block_event(int64_t ns, int skip)
{
	struct wait_site site = site_of(__builtin_return_address(0));

	if (WAITS_ON && ns >= 0)
		cpi_wait_block(&site, skip > 0 ? (uint32_t)skip : 0, (uint64_t)ns);
}

/* Called by who let the lock go, as Go's runtime does: which one it was tells no more than the stack. */
CPA_EXPORT void cpa_mutex_event(const void *lock, int64_t ns, int skip)
{
	struct wait_site site = site_of(__builtin_return_address(0));

	(void)lock;
	if (WAITS_ON && ns >= 0)
		cpi_wait_mutex(&site, skip > 0 ? (uint32_t)skip : 0, (uint64_t)ns);
}
