/*
 * heap_next.c - the malloc behind ours, and memory from before it is known
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The malloc behind ours is looked up at the first call, which comes from the loader before any constructor.
 * Meanwhile dlsym may allocate: that is taken from the first memory, which is never used again. Our free knows
 * it by its address, which it checks because the filter says so.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/locals.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum { FIRST_SIZE = 64 << 10, ALIGN = 16, GIVEN_MAX = 1024 };

static _Alignas(4096) uint8_t memory[FIRST_SIZE];
static _Atomic size_t used;
static _Atomic uint32_t n_given;
static _Atomic(void *) given[GIVEN_MAX];

void *cpi_heap_first(size_t size, size_t align)
{
	uint32_t i = atomic_fetch_add(&n_given, 1);
	size_t from = atomic_load(&used), at;

	if (i >= GIVEN_MAX)
		return NULL;
	if (align < ALIGN)
		align = ALIGN;
	do {
		at = (from + align - 1) & ~(align - 1);
		if (align > FIRST_SIZE || at >= FIRST_SIZE || size > FIRST_SIZE - at - 1)
			return NULL;
	} while (!atomic_compare_exchange_weak(&used, &from, at + size + 1));
	atomic_store(&given[i], memory + at);
	cpi_heap_mark(memory + at);
	return memory + at;
}

bool cpi_heap_is_first(const void *p)
{
	return (uintptr_t)p - (uintptr_t)memory < FIRST_SIZE;
}

void cpi_heap_first_mark(void)
{
	for (uint32_t i = 0; i < GIVEN_MAX && i < atomic_load(&n_given); i++)
		if (atomic_load(&given[i]))
			cpi_heap_mark(atomic_load(&given[i]));
}

size_t cpi_heap_first_size(const void *p)
{
	return FIRST_SIZE - (size_t)((uintptr_t)p - (uintptr_t)memory);
}

/* Of the C library itself, under names that nobody replaces. */
void *__libc_malloc(size_t size) __attribute__((weak));
void *__libc_calloc(size_t n, size_t size) __attribute__((weak));
void *__libc_realloc(void *p, size_t size) __attribute__((weak));
void *__libc_memalign(size_t align, size_t size) __attribute__((weak));
void __libc_free(void *p) __attribute__((weak));

static bool looking;

static void *or_else(void *found, void *other)
{
	return found ? found : other;
}

static void no_free_sized(void *p, size_t size)
{
	(void)size;
	cpi_heap_next.free(p);
}

static void no_free_aligned_sized(void *p, size_t align, size_t size)
{
	(void)align;
	(void)size;
	cpi_heap_next.free(p);
}

/* False while we look already. */
static bool look(void)
{
	struct heap_next n = { 0 };

	if (looking)
		return false;
	looking = true;
	*(void **)&n.malloc = or_else(dlsym(RTLD_NEXT, "malloc"), (void *)__libc_malloc);
	*(void **)&n.calloc = or_else(dlsym(RTLD_NEXT, "calloc"), (void *)__libc_calloc);
	*(void **)&n.realloc = or_else(dlsym(RTLD_NEXT, "realloc"), (void *)__libc_realloc);
	*(void **)&n.free = or_else(dlsym(RTLD_NEXT, "free"), (void *)__libc_free);
	*(void **)&n.memalign = or_else(dlsym(RTLD_NEXT, "memalign"), (void *)__libc_memalign);
	*(void **)&n.aligned_alloc = or_else(dlsym(RTLD_NEXT, "aligned_alloc"), (void *)n.memalign);
	*(void **)&n.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	*(void **)&n.valloc = dlsym(RTLD_NEXT, "valloc");
	*(void **)&n.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
	*(void **)&n.cfree = or_else(dlsym(RTLD_NEXT, "cfree"), (void *)n.free);
	*(void **)&n.free_sized = or_else(dlsym(RTLD_NEXT, "free_sized"), (void *)no_free_sized);
	*(void **)&n.free_aligned_sized =
		or_else(dlsym(RTLD_NEXT, "free_aligned_sized"), (void *)no_free_aligned_sized);
	cpi_heap_next = n;
	return true;
}

static void *first_malloc(size_t size)
{
	return look() ? cpi_heap_next.malloc(size) : cpi_heap_first(size, 0);
}

static void *first_calloc(size_t n, size_t size)
{
	size_t all;

	if (look())
		return cpi_heap_next.calloc(n, size);
	/* it is zeros, and never used again */
	return __builtin_mul_overflow(n, size, &all) ? NULL : cpi_heap_first(all, 0);
}

static void *first_realloc(void *p, size_t size)
{
	void *to;

	if (look())
		return cpi_heap_next.realloc(p, size);
	to = cpi_heap_first(size, 0);
	if (to && p && cpi_heap_is_first(p))
		memcpy(to, p, size < cpi_heap_first_size(p) ? size : cpi_heap_first_size(p));
	return to;
}

/* Nobody frees, while we look, what he has from before. */
static void first_free(void *p)
{
	if (look())
		cpi_heap_next.free(p);
}

static void first_free_sized(void *p, size_t size)
{
	if (look())
		cpi_heap_next.free_sized(p, size);
}

static void first_free_aligned_sized(void *p, size_t align, size_t size)
{
	if (look())
		cpi_heap_next.free_aligned_sized(p, align, size);
}

static void *first_memalign(size_t align, size_t size)
{
	return look() ? cpi_heap_next.memalign(align, size) : cpi_heap_first(size, align);
}

static int first_posix_memalign(void **out, size_t align, size_t size)
{
	if (look())
		return cpi_heap_next.posix_memalign(out, align, size);
	*out = cpi_heap_first(size, align);
	return *out ? 0 : ENOMEM;
}

static void *first_valloc(size_t size)
{
	return look() ? cpi_heap_next.valloc(size) : NULL;
}

static void *first_pvalloc(size_t size)
{
	return look() ? cpi_heap_next.pvalloc(size) : NULL;
}

struct heap_next cpi_heap_next = {
	.malloc = first_malloc,
	.calloc = first_calloc,
	.realloc = first_realloc,
	.free = first_free,
	.cfree = first_free,
	.free_sized = first_free_sized,
	.free_aligned_sized = first_free_aligned_sized,
	.memalign = first_memalign,
	.aligned_alloc = first_memalign,
	.posix_memalign = first_posix_memalign,
	.valloc = first_valloc,
	.pvalloc = first_pvalloc,
};

static struct heap_next lent; /* what was next before it was lent */
static const struct local *borrower;

static void *lent_malloc(size_t size)
{
	void *p = &cpi_local == borrower ? cpi_heap_first(size, 0) : NULL;

	return p ? p : lent.malloc(size);
}

static void *lent_calloc(size_t n, size_t size)
{
	size_t all;
	void *p = &cpi_local == borrower && !__builtin_mul_overflow(n, size, &all) ? cpi_heap_first(all, 0) : NULL;

	return p ? p : lent.calloc(n, size);
}

void cpi_heap_lend(bool on)
{
	if (on) {
		look();
		lent = cpi_heap_next;
		borrower = &cpi_local;
		cpi_heap_next.malloc = lent_malloc;
		cpi_heap_next.calloc = lent_calloc;
	} else {
		cpi_heap_next.malloc = lent.malloc;
		cpi_heap_next.calloc = lent.calloc;
		borrower = NULL;
	}
}
