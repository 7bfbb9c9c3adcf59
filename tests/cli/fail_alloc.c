/*
 * fail_alloc.c - a library for LD_PRELOAD that lets allocations fail
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * FAIL_ALLOC=N: one of N allocations fails, at random, once the file in FAIL_ALLOC_AFTER exists. FAIL_ALLOC_OWN=1: only
 * those that the program itself requests, not its libraries.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *p, size_t n);

static unsigned one_of;
static const char *after;
static uintptr_t own_lo, own_hi; /* addresses of the program; own_hi 0: all callers count */
static atomic_bool is_on;
static atomic_uint n_calls;

static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	own_lo = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = at + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		own_lo = at < own_lo ? at : own_lo;
		own_hi = end > own_hi ? end : own_hi;
	}
	return 1; /* the first object is the program */
}

__attribute__((constructor)) static void start(void)
{
	const char *n = getenv("FAIL_ALLOC");

	after = getenv("FAIL_ALLOC_AFTER");
	if (getenv("FAIL_ALLOC_OWN"))
		dl_iterate_phdr(find_program, NULL);
	one_of = n ? (unsigned)atoi(n) : 0;
}

static bool fails(const void *caller)
{
	unsigned n = atomic_fetch_add(&n_calls, 1), mixed = n * 2654435761u;

	if (!one_of || (own_hi && ((uintptr_t)caller < own_lo || (uintptr_t)caller >= own_hi)))
		return false;
	if (!atomic_load(&is_on)) {
		if (n % 64 || !after || access(after, F_OK) != 0)
			return false;
		atomic_store(&is_on, true);
	}
	if ((mixed >> 7) % one_of)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t count, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, n);
}

void *realloc(void *p, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}
