/*
 * heap_rate.c - the sampling rate of the heap, and whether it was set explicitly
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/heap_rate.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/target.h"

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
