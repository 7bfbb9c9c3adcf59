/*
 * memory.c - memory from mmap instead of the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/read/memory.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, FIRST_SIZE = 16 * PAGE };

void *memory_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void *memory_map_secret(size_t size)
{
	void *p = memory_map(size);

	if (p) /* fails only on kernels whose core dumps never contain such memory */
		(void)madvise(p, size, MADV_DONTDUMP);
	return p;
}

void memory_unmap(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

void *vec_reserve(struct vec *v, size_t more, size_t size, size_t max)
{
	size_t cap = v->cap ? v->cap : FIRST_SIZE / size;
	void *p;

	if (v->n > max || more > max - v->n)
		return NULL;
	while (cap < v->n + more)
		cap *= 2;
	if (cap > v->cap) {
		p = v->data ? mremap(v->data, v->cap * size, cap * size, MREMAP_MAYMOVE) : memory_map(cap * size);
		if (!p || p == MAP_FAILED)
			return NULL;
		v->data = p;
		v->cap = cap;
	}
	return (char *)v->data + v->n * size;
}

void *vec_add(struct vec *v, const void *from, size_t n, size_t size, size_t max)
{
	void *to = vec_reserve(v, n, size, max);

	if (!to)
		return NULL;
	if (n)
		memcpy(to, from, n * size);
	v->n += n;
	return to;
}

void vec_release(struct vec *v, size_t size)
{
	memory_unmap(v->data, v->cap * size);
	*v = (struct vec){ 0 };
}
