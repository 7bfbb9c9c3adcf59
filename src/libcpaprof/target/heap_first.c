/*
 * heap_first.c - memory from before malloc is known
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * To find the malloc behind ours dlsym may allocate, which is when this is used; it is never used again.
 * Our free knows it by its address, and looks because the filter says so.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"

enum { FIRST_SIZE = 64 << 10, ALIGN = 16, GIVEN_MOST = 1024 };

static _Alignas(4096) uint8_t memory[FIRST_SIZE];
static _Atomic size_t used;
static _Atomic uint32_t n_given;
static _Atomic(void *) given[GIVEN_MOST];

void *cpi_heap_first(size_t size, size_t align)
{
	uint32_t i = atomic_fetch_add(&n_given, 1);
	size_t from = atomic_load(&used), at;

	if (i >= GIVEN_MOST)
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
	for (uint32_t i = 0; i < GIVEN_MOST && i < atomic_load(&n_given); i++)
		if (atomic_load(&given[i]))
			cpi_heap_mark(atomic_load(&given[i]));
}

size_t cpi_heap_first_size(const void *p)
{
	return FIRST_SIZE - (size_t)((uintptr_t)p - (uintptr_t)memory);
}
