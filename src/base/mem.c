/*
 * mem.c - memory allocation that never fails
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, LARGE_BYTES = HUGE_PAGE + HUGE_PAGE / 2 };

static _Thread_local atomic_uint_fast64_t *counter;
static bool (*wait_fn)(void *arg, unsigned n);
static void *wait_arg;

void mem_count_into(atomic_uint_fast64_t *bytes)
{
	counter = bytes;
}

atomic_uint_fast64_t *mem_counter(void)
{
	return counter;
}

void mem_set_wait(bool (*wait)(void *arg, unsigned n), void *arg)
{
	wait_fn = wait;
	wait_arg = arg;
}

/* After n failures: is the allocation to be tried again? */
static bool may_retry(unsigned n)
{
	return wait_fn && wait_fn(wait_arg, n);
}

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
	if (counter)
		atomic_fetch_add_explicit(counter, bytes, memory_order_relaxed);
	return bytes ? bytes : 1;
}

void *mem_alloc(size_t count, size_t size)
{
	size_t bytes = mem_bytes(count, size);
	void *p = malloc(bytes);

	for (unsigned n = 0; !p && may_retry(n); n++)
		p = malloc(bytes);
	if (!p)
		out_of_memory(count, size);
	return p;
}

void *mem_zalloc(size_t count, size_t size)
{
	size_t bytes = mem_bytes(count, size);
	void *p = calloc(1, bytes);

	for (unsigned n = 0; !p && may_retry(n); n++)
		p = calloc(1, bytes);
	if (!p)
		out_of_memory(count, size);
	return p;
}

void *mem_grow_slow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t new_cap = *cap ? *cap : 16, bytes;
	void *q;

	assert(size > 0);
	while (new_cap < need)
		new_cap += new_cap / 2 + 1;
	bytes = mem_bytes(new_cap, size);
	for (unsigned n = 0; !(q = realloc(p, bytes)); n++)
		if (!may_retry(n))
			out_of_memory(new_cap, size);
	*cap = new_cap;
	assert(*cap >= need);
	return q;
}

void *mem_trim(void *p, size_t count, size_t size)
{
	void *q = realloc(p, mem_bytes(count, size));

	return q ? q : p;
}

void *mem_alloc_large(size_t count, size_t size)
{
	size_t bytes = mem_bytes(count, size);
	int failed;
	void *p = NULL;

	if (bytes < LARGE_BYTES && bytes != HUGE_PAGE) /* much of a page would not be used */
		return mem_alloc(count, size);
	bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	failed = posix_memalign(&p, HUGE_PAGE, bytes);
	for (unsigned n = 0; failed && may_retry(n); n++)
		failed = posix_memalign(&p, HUGE_PAGE, bytes);
	if (failed)
		out_of_memory(count, size);
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void *mem_forget(void *p, size_t bytes)
{
	size_t skipped = -(uintptr_t)p % HUGE_PAGE, size = bytes > skipped ? bytes - skipped : 0;
	char *from = (char *)p + skipped;

	size -= size % HUGE_PAGE;
	if (size == 0 || madvise(from, size, MADV_DONTNEED) < 0)
		return p;
	return from + size;
}

uint64_t mem_quarter_of_ram(void)
{
	const uint64_t quarter_min = UINT64_C(256) << 20;
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t quarter = pages > 0 && size > 0 ? (uint64_t)pages / 4 * (uint64_t)size : 0;

	return quarter > quarter_min ? quarter : quarter_min;
}

/* Read a number from a file of the kernel; otherwise, a word is no limit. */
static uint64_t kernel_limit(const char *path, uint64_t otherwise)
{
	FILE *f = fopen(path, "re");
	uint64_t n = 0;
	bool is_number = f && fscanf(f, "%" SCNu64, &n) == 1;

	if (f)
		fclose(f);
	return is_number && n < otherwise ? n : otherwise;
}

uint64_t mem_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t limit = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
	struct rlimit space;

	limit = kernel_limit("/sys/fs/cgroup/memory.max", limit); /* in a container */
	limit = kernel_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes", limit);
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < limit)
		limit = space.rlim_cur;
	return limit;
}

uint64_t mem_resident(void)
{
	char text[64] = "";
	unsigned long long all, resident;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && sscanf(text, "%llu %llu", &all, &resident) == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE)
									: 0;
}

char *mem_strndup(const char *s, size_t n)
{
	char *copy = mem_alloc(n + 1, 1);

	memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}
