/*
 * heap_malloc.c - wrappers of malloc and its family
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most calls count down, or look into the filter, and jump on. What an allocator exports besides the
 * family (mallocx, sdallocx) is not wrapped: programs tell by these names whether they have that allocator.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

void cfree(void *p);
void *memalign(size_t align, size_t size);
void *pvalloc(size_t size);
void free_sized(void *p, size_t size);
void free_aligned_sized(void *p, size_t align, size_t size);

static NOINLINE void *malloc_due(size_t size)
{
	uint32_t rate = cpi_heap_due(size);

	if (cpi_heap_is_seer())
		return cpi_heap_first(size, 0);
	return cpi_heap_add(cpi_heap_next.malloc(size), size, rate);
}

CPA_EXPORT void *malloc(size_t size)
{
	return cpi_heap_passes(size) ? cpi_heap_next.malloc(size) : malloc_due(size);
}

static NOINLINE void *calloc_due(size_t n, size_t size)
{
	uint32_t rate = cpi_heap_due(n * size);

	if (cpi_heap_is_seer())
		return cpi_heap_first(n * size, 0);
	return cpi_heap_add(cpi_heap_next.calloc(n, size), n * size, rate);
}

CPA_EXPORT void *calloc(size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all) || cpi_heap_passes(all))
		return cpi_heap_next.calloc(n, size);
	return calloc_due(n, size);
}

NOINLINE bool cpi_heap_drop(void *p)
{
	struct live_object o;

	if (!p)
		return false;
	cpi_heap_is_seer();
	if (cpi_heap_is_first(p))
		return true;
	if (cpi_heap_take(p, &o))
		cpi_heap_count_free(&o);
	return false;
}

static NOINLINE void free_known(void *p)
{
	if (!cpi_heap_drop(p))
		cpi_heap_next.free(p);
}

CPA_EXPORT void free(void *p)
{
	if (cpi_heap_has(p))
		free_known(p);
	else
		cpi_heap_next.free(p);
}

CPA_EXPORT void cfree(void *p)
{
	if (!cpi_heap_has(p) || !cpi_heap_drop(p))
		cpi_heap_next.cfree(p);
}

CPA_EXPORT void free_sized(void *p, size_t size)
{
	if (!cpi_heap_has(p) || !cpi_heap_drop(p))
		cpi_heap_next.free_sized(p, size);
}

CPA_EXPORT void free_aligned_sized(void *p, size_t align, size_t size)
{
	if (!cpi_heap_has(p) || !cpi_heap_drop(p))
		cpi_heap_next.free_aligned_sized(p, align, size);
}

/* The first memory is never freed, nor does it grow. */
static void *move_first(void *p, size_t size)
{
	void *to = malloc(size);

	if (to)
		memcpy(to, p, size < cpi_heap_first_size(p) ? size : cpi_heap_first_size(p));
	return to;
}

/* It is another object then, wherever it is. Size 0 frees it, when the C library says so with NULL. */
static NOINLINE void *realloc_known(void *p, size_t size)
{
	struct live_object before;
	uint32_t rate;
	void *to;
	bool has;

	if (p && cpi_heap_is_first(p))
		return move_first(p, size);
	has = p && cpi_heap_has(p) && cpi_heap_take(p, &before);
	rate = cpi_heap_passes(size) ? 0 : cpi_heap_due(size);
	to = cpi_heap_next.realloc(p, size);
	if (has && !to && size)
		cpi_heap_put_back(&before);
	else if (has)
		cpi_heap_count_free(&before);
	return cpi_heap_add(to, size, rate);
}

CPA_EXPORT void *realloc(void *p, size_t size)
{
	if (!cpi_heap_has(p) && cpi_heap_passes(size))
		return cpi_heap_next.realloc(p, size);
	return realloc_known(p, size);
}

/* The C library's calls realloc, which is ours. */
CPA_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	if (!cpi_heap_has(p) && cpi_heap_passes(all))
		return cpi_heap_next.realloc(p, all);
	return realloc_known(p, all);
}

CPA_EXPORT void *memalign(size_t align, size_t size)
{
	uint32_t rate = cpi_heap_passes(size) ? 0 : cpi_heap_due(size);

	return cpi_heap_add(cpi_heap_next.memalign(align, size), size, rate);
}

CPA_EXPORT void *aligned_alloc(size_t align, size_t size)
{
	uint32_t rate = cpi_heap_passes(size) ? 0 : cpi_heap_due(size);

	if (cpi_heap_is_seer())
		return cpi_heap_first(size, align);
	return cpi_heap_add(cpi_heap_next.aligned_alloc(align, size), size, rate);
}

CPA_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
	uint32_t rate = cpi_heap_passes(size) ? 0 : cpi_heap_due(size);
	int rc = cpi_heap_next.posix_memalign(out, align, size);

	if (rc == 0)
		cpi_heap_add(*out, size, rate);
	return rc;
}

CPA_EXPORT void *valloc(size_t size)
{
	uint32_t rate = cpi_heap_passes(size) ? 0 : cpi_heap_due(size);

	return cpi_heap_add(cpi_heap_next.valloc(size), size, rate);
}

CPA_EXPORT void *pvalloc(size_t size)
{
	uint32_t rate = cpi_heap_passes(size) ? 0 : cpi_heap_due(size);

	return cpi_heap_add(cpi_heap_next.pvalloc(size), size, rate);
}
