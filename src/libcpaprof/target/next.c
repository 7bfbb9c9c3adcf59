/*
 * next.c - the functions that we wrap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/next.h"

#include <stdatomic.h>

static _Atomic int is_found;

/* Initial values of cpi_next_found for wrappers that must be fast: the first call looks up all functions. */
static int first_lock(pthread_mutex_t *m)
{
	return cpi_next()->pthread_mutex_lock(m);
}

static int first_trylock(pthread_mutex_t *m)
{
	return cpi_next()->pthread_mutex_trylock(m);
}

static int first_unlock(pthread_mutex_t *m)
{
	return cpi_next()->pthread_mutex_unlock(m);
}

struct next cpi_next_found = {
	.pthread_mutex_lock = first_lock,
	.pthread_mutex_trylock = first_trylock,
	.pthread_mutex_unlock = first_unlock,
};

/*
 * Condition variables have a new version since glibc 2.3.2. We wrap only that version (versions.map), so the next
 * function must have it too.
 */
static void find_versioned(void)
{
#if defined(__x86_64__)
	static const char version[] = "GLIBC_2.3.2";
	void *wait = dlvsym(RTLD_NEXT, "pthread_cond_wait", version),
	     *timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", version);

	if (wait)
		*(void **)&cpi_next_found.pthread_cond_wait = wait;
	if (timedwait)
		*(void **)&cpi_next_found.pthread_cond_timedwait = timedwait;
#endif
}

/*
 * Called early, because constructors of libraries before ours may call wrappers. Two threads may do this at the same
 * time: they find the same functions.
 */
const struct next *cpi_next(void)
{
	if (!atomic_load_explicit(&is_found, memory_order_acquire)) {
#define NEXT_FIND(result, name, arguments) *(void **)&cpi_next_found.name = dlsym(RTLD_NEXT, #name);
		NEXT_FUNCTIONS(NEXT_FIND)
#undef NEXT_FIND
		find_versioned();
		atomic_store_explicit(&is_found, 1, memory_order_release);
	}
	return &cpi_next_found;
}
