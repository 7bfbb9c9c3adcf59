/*
 * heap_rate.c - how often the heap is sampled, and who said so
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/heap_rate.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/target.h"

static _Atomic bool said; /* by the program or its environment, also that there be none */

static uint64_t set(uint64_t bytes)
{
	uint64_t before = atomic_exchange(&cpi.head->heap_rate, bytes);

	cpi_heap_look();
	return before;
}

void heap_rate_say(uint64_t bytes)
{
	atomic_store(&said, true);
	set(bytes);
}

void heap_rate_begin(void)
{
	if (!atomic_load(&said) && !atomic_load(&cpi.head->heap_rate))
		set(HEAP_RATE_USUAL);
}

CPA_EXPORT size_t cpa_heap_set_rate(size_t bytes)
{
	if (bytes != SIZE_MAX)
		atomic_store(&said, true);
	if (!cpi.head && (bytes == 0 || bytes == SIZE_MAX || collector_ensure_segment() < 0))
		return 0;
	return bytes == SIZE_MAX ? atomic_load(&cpi.head->heap_rate) : set(bytes);
}
