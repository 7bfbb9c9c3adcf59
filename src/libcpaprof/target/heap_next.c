/*
 * heap_next.c - the allocator after ours, bootstrap memory until it is known, and whether allocations reach us
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The malloc after ours is looked up at the first call, which the loader makes before any constructor runs. Meanwhile
 * dlsym may allocate. Such calls get bootstrap memory, which is never reused. The filter has an entry for such an
 * object, so our free checks its address and recognises it.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/locals.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum { MEMORY_SIZE = 64 << 10, ALIGN = 16, OBJECTS_MAX = 1024 };

static _Alignas(4096) uint8_t memory[MEMORY_SIZE];
static _Atomic size_t used;
static _Atomic uint32_t n_objects;
static _Atomic(void *) objects[OBJECTS_MAX];

void *cpi_heap_bootstrap_alloc(size_t size, size_t align)
{
	uint32_t i = atomic_fetch_add(&n_objects, 1);
	size_t from = atomic_load(&used), at;

	if (i >= OBJECTS_MAX)
		return NULL;
	if (align < ALIGN)
		align = ALIGN;
	do {
		at = (from + align - 1) & ~(align - 1);
		if (align > MEMORY_SIZE || at >= MEMORY_SIZE || size > MEMORY_SIZE - at - 1)
			return NULL;
	} while (!atomic_compare_exchange_weak(&used, &from, at + size + 1));
	atomic_store(&objects[i], memory + at);
	cpi_heap_filter_mark((uintptr_t)memory + at);
	return memory + at;
}

bool cpi_heap_is_bootstrap(const void *p)
{
	return (uintptr_t)p - (uintptr_t)memory < MEMORY_SIZE;
}

void cpi_heap_bootstrap_mark(void)
{
	for (uint32_t i = 0; i < OBJECTS_MAX && i < atomic_load(&n_objects); i++)
		if (atomic_load(&objects[i]))
			cpi_heap_filter_mark((uintptr_t)atomic_load(&objects[i]));
}

size_t cpi_heap_bootstrap_size(const void *p)
{
	return MEMORY_SIZE - (size_t)((uintptr_t)p - (uintptr_t)memory);
}

/* Functions of the C library, under names that programs do not replace. */
void *__libc_malloc(size_t size) __attribute__((weak));
void *__libc_calloc(size_t n, size_t size) __attribute__((weak));
void *__libc_realloc(void *p, size_t size) __attribute__((weak));
void *__libc_memalign(size_t align, size_t size) __attribute__((weak));
void __libc_free(void *p) __attribute__((weak));

static bool is_looking_up;

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

/* Look up the allocator. Returns false if a lookup is already running. */
static bool heap_next_look_up(void)
{
	struct heap_next n = { 0 };

	if (is_looking_up)
		return false;
	is_looking_up = true;
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
	return heap_next_look_up() ? cpi_heap_next.malloc(size) : cpi_heap_bootstrap_alloc(size, 0);
}

static void *first_calloc(size_t n, size_t size)
{
	size_t all;

	if (heap_next_look_up())
		return cpi_heap_next.calloc(n, size);
	/* bootstrap memory contains zeros, since it is never reused */
	return __builtin_mul_overflow(n, size, &all) ? NULL : cpi_heap_bootstrap_alloc(all, 0);
}

static void *first_realloc(void *p, size_t size)
{
	void *to;

	if (heap_next_look_up())
		return cpi_heap_next.realloc(p, size);
	to = cpi_heap_bootstrap_alloc(size, 0);
	if (to && p && cpi_heap_is_bootstrap(p))
		memcpy(to, p, size < cpi_heap_bootstrap_size(p) ? size : cpi_heap_bootstrap_size(p));
	return to;
}

/* Only bootstrap memory can be freed during the lookup; it is never reused. */
static void first_free(void *p)
{
	if (heap_next_look_up())
		cpi_heap_next.free(p);
}

static void first_free_sized(void *p, size_t size)
{
	if (heap_next_look_up())
		cpi_heap_next.free_sized(p, size);
}

static void first_free_aligned_sized(void *p, size_t align, size_t size)
{
	if (heap_next_look_up())
		cpi_heap_next.free_aligned_sized(p, align, size);
}

static void *first_memalign(size_t align, size_t size)
{
	return heap_next_look_up() ? cpi_heap_next.memalign(align, size) : cpi_heap_bootstrap_alloc(size, align);
}

static int first_posix_memalign(void **out, size_t align, size_t size)
{
	if (heap_next_look_up())
		return cpi_heap_next.posix_memalign(out, align, size);
	*out = cpi_heap_bootstrap_alloc(size, align);
	return *out ? 0 : ENOMEM;
}

static void *first_valloc(size_t size)
{
	return heap_next_look_up() ? cpi_heap_next.valloc(size) : NULL;
}

static void *first_pvalloc(size_t size)
{
	return heap_next_look_up() ? cpi_heap_next.pvalloc(size) : NULL;
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

static struct heap_next saved; /* the functions that ours replace */
static const struct local *bootstrap_thread;

static void *bootstrap_malloc(size_t size)
{
	void *p = &cpi_local == bootstrap_thread ? cpi_heap_bootstrap_alloc(size, 0) : NULL;

	return p ? p : saved.malloc(size);
}

static void *bootstrap_calloc(size_t n, size_t size)
{
	size_t all;
	void *p = &cpi_local == bootstrap_thread && !__builtin_mul_overflow(n, size, &all)
			  ? cpi_heap_bootstrap_alloc(all, 0)
			  : NULL;

	return p ? p : saved.calloc(n, size);
}

void cpi_heap_use_bootstrap(bool on)
{
	if (on) {
		heap_next_look_up();
		saved = cpi_heap_next;
		bootstrap_thread = &cpi_local;
		cpi_heap_next.malloc = bootstrap_malloc;
		cpi_heap_next.calloc = bootstrap_calloc;
	} else {
		cpi_heap_next.malloc = saved.malloc;
		cpi_heap_next.calloc = saved.calloc;
		bootstrap_thread = NULL;
	}
}

/*
 * A malloc in the program itself, or in a library before ours, takes precedence over our wrapper. The symbol table
 * cannot show that, because a program that takes the address of malloc has an entry for it too. So malloc is called,
 * and we check whether the call reaches our wrapper. If it does not, there is no heap profile and the reason is
 * reported, since half a heap profile would be worse than none.
 */

typedef void *malloc_fn(size_t);
typedef void free_fn(void *);

static bool is_sanitized(void)
{
	static const char *const marks[] = { "__asan_init", "__hwasan_init", "__msan_init", "__tsan_init",
					     "__lsan_init" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (dlsym(RTLD_DEFAULT, marks[i]))
			return true;
	return false;
}

/* Do malloc and free of the program reach our wrappers? */
static bool heap_init_is_ours(void)
{
	malloc_fn *get;
	free_fn *put;
	bool seen;
	void *p;

	*(void **)&get = dlsym(RTLD_DEFAULT, "malloc");
	*(void **)&put = dlsym(RTLD_DEFAULT, "free");
	if (!get || !put)
		return false;
	cpi_heap_probe_was_hit();
	p = get(1);
	seen = cpi_heap_probe_was_hit();
	if (!p)
		return seen;
	put(p);
	return seen && cpi_heap_probe_was_hit();
}

void cpi_heap_init(void)
{
	uint32_t why;

	cpi_heap_probe_begin();
	why = is_sanitized() ? HEAP_SANITIZER : heap_init_is_ours() ? 0 : HEAP_FOREIGN;
	if (why)
		cpi_heap_stop(why);
	else
		cpi_heap_new_init();
	cpi_heap_start();
}

void cpi_heap_dlopen(int flags)
{
	if (flags & RTLD_DEEPBIND)
		cpi_heap_stop(HEAP_DEEPBIND);
}
