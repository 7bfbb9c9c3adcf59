/*
 * arena.c - memory that is freed all at once
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Small allocations come from chunks whose size doubles up to 1 MiB. Large allocations and blocks from
 * arena_own are separate malloc blocks in a list.
 */
#include "config.h"

#include "base/arena.h"

#include "base/buf.h"
#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_FIRST = 4096, CHUNK_LAST = 1 << 20, ALIGN = 16 };

struct chunk {
	struct chunk *next;
	_Alignas(ALIGN) char data[];
};

struct arena {
	struct chunk *chunks;
	char *at, *end; /* the free part of the newest chunk */
	size_t chunk_size;
	void **owned;
	size_t n_owned, cap_owned;
};

struct arena *arena_new(void)
{
	struct arena *a = mem_zalloc(1, sizeof(*a));

	a->chunk_size = CHUNK_FIRST;
	return a;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	for (struct chunk *c = a->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	for (size_t i = 0; i < a->n_owned; i++)
		free(a->owned[i]);
	free(a->owned);
	free(a);
}

void *arena_own(struct arena *a, void *p)
{
	if (!p)
		return NULL;
	a->owned = mem_grow(a->owned, &a->cap_owned, a->n_owned + 1, sizeof(*a->owned));
	a->owned[a->n_owned++] = p;
	return p;
}

void arena_release(struct arena *a, void *p)
{
	size_t i = 0;

	while (i < a->n_owned && a->owned[i] != p)
		i++;
	if (i == a->n_owned)
		return;
	a->owned[i] = a->owned[--a->n_owned];
	free(p);
}

static void *arena_cut(struct arena *a, size_t bytes)
{
	void *p;

	if ((size_t)(a->end - a->at) < bytes) {
		struct chunk *c = mem_alloc(1, sizeof(*c) + a->chunk_size);

		c->next = a->chunks;
		a->chunks = c;
		a->at = c->data;
		a->end = c->data + a->chunk_size;
		if (a->chunk_size < CHUNK_LAST)
			a->chunk_size *= 2;
	}
	p = a->at;
	a->at += bytes;
	return p;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > a->chunk_size / 4)
		return arena_own(a, mem_alloc_large(count, size));
	return arena_cut(a, bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN);
}

void *arena_zalloc(struct arena *a, size_t count, size_t size)
{
	void *p = arena_alloc(a, count, size);

	return memset(p, 0, count * size);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *copy = arena_alloc(a, n + 1, 1);

	assert(a && (s || n == 0));
	memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list args;

	va_start(args, fmt);
	buf_vaddf(&b, fmt, args);
	va_end(args);
	return arena_move(a, &b);
}

char *arena_move(struct arena *a, struct buf *b)
{
	char *text = arena_strndup(a, buf_text(b), b->len);

	buf_release(b);
	return text;
}
