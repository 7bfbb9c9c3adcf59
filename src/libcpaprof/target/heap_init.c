/*
 * heap_init.c - are we the ones who see what is allocated?
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A malloc in the program itself, or in a library in front of ours, wins. Names do not tell, for a program
 * that takes the address of malloc has an entry of that name too; so it is called, and we see whether
 * that comes to us. Half a heap profile would be worse than none: then there is none, and it is told.
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

/* Does what the program calls come here? */
static bool is_ours(void)
{
	malloc_fn *get;
	free_fn *put;
	bool seen;
	void *p;

	*(void **)&get = dlsym(RTLD_DEFAULT, "malloc");
	*(void **)&put = dlsym(RTLD_DEFAULT, "free");
	if (!get || !put)
		return false;
	cpi_heap_seen();
	p = get(1);
	seen = cpi_heap_seen();
	if (!p)
		return seen;
	put(p);
	return seen && cpi_heap_seen();
}

void cpi_heap_init(void)
{
	uint32_t why;

	cpi_heap_see();
	why = is_sanitized() ? HEAP_SANITIZER : is_ours() ? 0 : HEAP_FOREIGN;
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
