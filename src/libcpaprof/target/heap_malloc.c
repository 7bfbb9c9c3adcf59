/*
 * heap_malloc.c - wrappers of malloc and its family
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most calls only decrease the count or read the filter, then jump to the real function. All calls that are not sampled
 * end with a jump, so that a sanitizer, which walks frame pointers, sees the caller and no frame of ours. Other
 * functions that allocators export (mallocx, sdallocx) are not wrapped, because programs detect the allocator by these names.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define LINE_ALIGNED __attribute__((aligned(64))) /* for the most frequent functions: in one cache line */

void cfree(void *p);
void *memalign(size_t align, size_t size);
void *pvalloc(size_t size);
void free_sized(void *p, size_t size);
void free_aligned_sized(void *p, size_t align, size_t size);

static NOINLINE void *malloc_sampled(size_t size)
{
	uint32_t rate = cpi_heap_due(size);

	if (cpi_heap_probe_hit())
		return cpi_heap_bootstrap_alloc(size, 0);
	return rate ? cpi_heap_add(cpi_heap_next.malloc(size), size, rate) : cpi_heap_next.malloc(size);
}

CPA_EXPORT LINE_ALIGNED void *malloc(size_t size)
{
	return cpi_heap_count_down(size) ? cpi_heap_next.malloc(size) : malloc_sampled(size);
}

static NOINLINE void *calloc_sampled(size_t n, size_t size)
{
	uint32_t rate = cpi_heap_due(n * size);

	if (cpi_heap_probe_hit())
		return cpi_heap_bootstrap_alloc(n * size, 0);
	return rate ? cpi_heap_add(cpi_heap_next.calloc(n, size), n * size, rate) : cpi_heap_next.calloc(n, size);
}

CPA_EXPORT void *calloc(size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all) || cpi_heap_count_down(all))
		return cpi_heap_next.calloc(n, size);
	return calloc_sampled(n, size);
}

NOINLINE bool cpi_heap_before_free(void *p)
{
	struct live_object o;

	if (!p || !cpi_heap_filter_has((uintptr_t)p))
		return false;
	cpi_heap_probe_hit();
	if (cpi_heap_is_bootstrap(p))
		return true;
	if (cpi_heap_take(p, &o))
		cpi_heap_count_free(&o);
	return false;
}

static NOINLINE void free_checked(void *p)
{
	if (!cpi_heap_before_free(p))
		cpi_heap_next.free(p);
}

CPA_EXPORT LINE_ALIGNED void free(void *p)
{
	if (cpi_heap_may_contain(p))
		free_checked(p);
	else
		cpi_heap_next.free(p);
}

CPA_EXPORT void cfree(void *p)
{
	if (!cpi_heap_may_contain(p) || !cpi_heap_before_free(p))
		cpi_heap_next.cfree(p);
}

CPA_EXPORT void free_sized(void *p, size_t size)
{
	if (!cpi_heap_may_contain(p) || !cpi_heap_before_free(p))
		cpi_heap_next.free_sized(p, size);
}

CPA_EXPORT void free_aligned_sized(void *p, size_t align, size_t size)
{
	if (!cpi_heap_may_contain(p) || !cpi_heap_before_free(p))
		cpi_heap_next.free_aligned_sized(p, align, size);
}

/* Bootstrap memory is never freed and cannot grow: copy the object to the heap. */
static void *move_bootstrap(void *p, size_t size)
{
	void *to = malloc(size);

	if (to)
		memcpy(to, p, size < cpi_heap_bootstrap_size(p) ? size : cpi_heap_bootstrap_size(p));
	return to;
}

/*
 * realloc creates a new object, even at the same address. With size 0 the object is freed if the C library returns
 * NULL.
 */
static NOINLINE void *realloc_checked(void *p, size_t size)
{
	struct live_object before;
	uint32_t rate;
	void *to;
	bool is_sampled;

	if (p && cpi_heap_is_bootstrap(p))
		return move_bootstrap(p, size);
	is_sampled = p && cpi_heap_take(p, &before);
	rate = cpi_heap_count_down(size) ? 0 : cpi_heap_due(size);
	to = cpi_heap_next.realloc(p, size);
	if (is_sampled && !to && size)
		cpi_heap_put_back(&before);
	else if (is_sampled)
		cpi_heap_count_free(&before);
	return cpi_heap_add(to, size, rate);
}

/* The same for an object that is not sampled. */
static NOINLINE void *realloc_due(void *p, size_t size)
{
	uint32_t rate = cpi_heap_due(size);

	return rate ? cpi_heap_add(cpi_heap_next.realloc(p, size), size, rate) : cpi_heap_next.realloc(p, size);
}

CPA_EXPORT void *realloc(void *p, size_t size)
{
	if (cpi_heap_may_contain(p))
		return realloc_checked(p, size);
	return cpi_heap_count_down(size) ? cpi_heap_next.realloc(p, size) : realloc_due(p, size);
}

/* Not forwarded to the C library, whose function calls realloc, which is our wrapper. */
CPA_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	if (cpi_heap_may_contain(p))
		return realloc_checked(p, all);
	return cpi_heap_count_down(all) ? cpi_heap_next.realloc(p, all) : realloc_due(p, all);
}

CPA_EXPORT void *memalign(size_t align, size_t size)
{
	uint32_t rate = cpi_heap_count_down(size) ? 0 : cpi_heap_due(size);

	return rate ? cpi_heap_add(cpi_heap_next.memalign(align, size), size, rate)
		    : cpi_heap_next.memalign(align, size);
}

CPA_EXPORT void *aligned_alloc(size_t align, size_t size)
{
	uint32_t rate = cpi_heap_count_down(size) ? 0 : cpi_heap_due(size);

	if (cpi_heap_probe_hit())
		return cpi_heap_bootstrap_alloc(size, align);
	return rate ? cpi_heap_add(cpi_heap_next.aligned_alloc(align, size), size, rate)
		    : cpi_heap_next.aligned_alloc(align, size);
}

CPA_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
	uint32_t rate = cpi_heap_count_down(size) ? 0 : cpi_heap_due(size);
	int rc;

	if (!rate)
		return cpi_heap_next.posix_memalign(out, align, size);
	rc = cpi_heap_next.posix_memalign(out, align, size);
	if (rc == 0)
		cpi_heap_add(*out, size, rate);
	return rc;
}

CPA_EXPORT void *valloc(size_t size)
{
	uint32_t rate = cpi_heap_count_down(size) ? 0 : cpi_heap_due(size);

	return rate ? cpi_heap_add(cpi_heap_next.valloc(size), size, rate) : cpi_heap_next.valloc(size);
}

CPA_EXPORT void *pvalloc(size_t size)
{
	uint32_t rate = cpi_heap_count_down(size) ? 0 : cpi_heap_due(size);

	return rate ? cpi_heap_add(cpi_heap_next.pvalloc(size), size, rate) : cpi_heap_next.pvalloc(size);
}
