/*
 * rates.c - the rates of the profiles heap, block and mutex, and waits reported by the program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/api/rates.h"
#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/wait.h"

#include <limits.h>

static _Atomic bool is_explicit; /* was the rate set by the program or its environment, even if to 0? */

static uint64_t heap_rate_set(uint64_t bytes)
{
	uint64_t before = atomic_exchange(&cpi.head->heap_rate, bytes);

	cpi_heap_rate_changed();
	return before;
}

void heap_rate_set_by_env(uint64_t bytes)
{
	atomic_store(&is_explicit, true);
	heap_rate_set(bytes);
}

void heap_rate_set_default(void)
{
	if (!atomic_load(&is_explicit) && !atomic_load(&cpi.head->heap_rate))
		heap_rate_set(HEAP_RATE_DEFAULT);
}

CPA_EXPORT size_t cpa_heap_set_rate(size_t bytes)
{
	if (bytes != SIZE_MAX)
		atomic_store(&is_explicit, true);
	if (!cpi.head && (bytes == 0 || bytes == SIZE_MAX || collector_ensure_segment() < 0))
		return 0;
	return bytes == SIZE_MAX ? atomic_load(&cpi.head->heap_rate) : heap_rate_set(bytes);
}

/* Set a rate in the segment, which is created if the rate needs it. Returns the previous rate. */
static uint64_t locks_set_rate(size_t at, int64_t value)
{
	_Atomic uint64_t *rate;

	if (!cpi.head && (value <= 0 || collector_ensure_segment() < 0))
		return 0;
	rate = (_Atomic uint64_t *)((uint8_t *)cpi.head + at);
	return value < 0 ? atomic_load(rate) : atomic_exchange(rate, (uint64_t)value);
}

CPA_EXPORT int64_t cpa_block_set_rate(int64_t ns)
{
	uint64_t before = locks_set_rate(offsetof(struct segment_head, block_rate), ns);

	return before > INT64_MAX ? INT64_MAX : (int64_t)before;
}

CPA_EXPORT int cpa_mutex_set_fraction(int n)
{
	uint64_t before = locks_set_rate(offsetof(struct segment_head, mutex_fraction), n);

	return before > INT_MAX ? INT_MAX : (int)before;
}

/* The stack starts at the caller's address, so that it does not include this function. */
static struct wait_site site_of(const void *back)
{
	return (struct wait_site){ .back = (uintptr_t)back };
}

CPA_EXPORT void cpa_block_event(int64_t ns, int skip)
{
	struct wait_site site = site_of(__builtin_return_address(0));

	if (WAITS_ENABLED && ns >= 0)
		cpi_wait_block(&site, skip > 0 ? (uint32_t)skip : 0, (uint64_t)ns);
}

/* Called by the thread that released the lock, as in Go's runtime. The lock itself is not recorded, only the stack. */
CPA_EXPORT void cpa_mutex_event(const void *lock, int64_t ns, int skip)
{
	struct wait_site site = site_of(__builtin_return_address(0));

	(void)lock;
	if (WAITS_ENABLED && ns >= 0)
		cpi_wait_mutex(&site, skip > 0 ? (uint32_t)skip : 0, (uint64_t)ns);
}
