/*
 * mem.c - memory allocation that never fails
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, LARGE_BYTES = HUGE_PAGE + HUGE_PAGE / 2 };

static _Noreturn void out_of_memory(size_t count, size_t size)
{
	fprintf(stderr, "cpa: out of memory (%zu elements of %zu bytes)\n", count, size);
	exit(2);
}

static size_t mem_bytes(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
		out_of_memory(count, size);
	return bytes ? bytes : 1;
}

void *mem_alloc(size_t count, size_t size)
{
	void *p = malloc(mem_bytes(count, size));

	if (!p)
		out_of_memory(count, size);
	return p;
}

void *mem_zalloc(size_t count, size_t size)
{
	void *p = calloc(1, mem_bytes(count, size));

	if (!p)
		out_of_memory(count, size);
	return p;
}

void *mem_grow_slow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t new_cap = *cap ? *cap : 16;

	assert(size > 0);
	while (new_cap < need)
		new_cap += new_cap / 2 + 1;
	p = realloc(p, mem_bytes(new_cap, size));
	if (!p)
		out_of_memory(new_cap, size);
	*cap = new_cap;
	assert(*cap >= need);
	return p;
}

void *mem_trim(void *p, size_t count, size_t size)
{
	void *q = realloc(p, mem_bytes(count, size));

	return q ? q : p;
}

void *mem_alloc_large(size_t count, size_t size)
{
	size_t bytes = mem_bytes(count, size);
	void *p;

	if (bytes < LARGE_BYTES)
		return mem_alloc(count, size);
	bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	if (posix_memalign(&p, HUGE_PAGE, bytes) != 0)
		out_of_memory(count, size);
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

uint64_t mem_quarter_of_ram(void)
{
	const uint64_t quarter_min = UINT64_C(256) << 20;
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t quarter = pages > 0 && size > 0 ? (uint64_t)pages / 4 * (uint64_t)size : 0;

	return quarter > quarter_min ? quarter : quarter_min;
}

char *mem_strndup(const char *s, size_t n)
{
	char *copy = mem_alloc(n + 1, 1);

	memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}
