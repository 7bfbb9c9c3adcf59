/*
 * heap_init.c - check whether allocations reach our wrappers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A malloc in the program itself, or in a library before ours, takes precedence over our wrapper. The symbol table
 * cannot show that, because a program that takes the address of malloc has an entry for it too. So malloc is called,
 * and we check whether the call reaches our wrapper. If it does not, there is no heap profile and the reason is
 * reported, since half a heap profile would be worse than none.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"

#include <dlfcn.h>

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
