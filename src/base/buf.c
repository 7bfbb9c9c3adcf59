/*
 * buf.c - growable byte buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct buf_limit *limit;

struct buf_limit *buf_set_limit(struct buf_limit *new)
{
	struct buf_limit *before = limit;

	limit = new;
	return before;
}

struct buf_limit *buf_get_limit(void)
{
	return limit;
}

bool buf_check_limit(size_t n)
{
	if (!limit || n <= limit->max)
		return true;
	atomic_store_explicit(&limit->is_exceeded, true, memory_order_relaxed);
	if (limit->stop)
		stop_set(limit->stop);
	return false;
}

bool buf_is_stopped(void)
{
	return limit && (atomic_load_explicit(&limit->is_exceeded, memory_order_relaxed) || stop_is_set(limit->stop));
}

/* Of n bytes, how many may be appended. */
static size_t buf_cut(const struct buf *b, size_t n)
{
	if (buf_check_limit(b->len + n))
		return n;
	return b->len < limit->max ? limit->max - b->len : 0;
}

void buf_release(struct buf *b)
{
	assert(!b->data || b->len < b->cap);
	free(b->data);
	*b = (struct buf){ 0 };
}

void buf_add(struct buf *b, const void *data, size_t n)
{
	n = buf_cut(b, n);
	b->data = mem_grow(b->data, &b->cap, b->len + n + 1, 1);
	if (n)
		memcpy(b->data + b->len, data, n);
	b->len += n;
	b->data[b->len] = 0;
}

int buf_take(void *b, const void *data, size_t n)
{
	buf_add(b, data, n);
	return 0;
}

char *buf_room(struct buf *b, size_t n)
{
	if (!b->data) {
		b->cap = n + 1;
		b->data = mem_alloc_large(b->cap, 1);
	}
	b->data = mem_grow(b->data, &b->cap, b->len + n + 1, 1);
	return b->data + b->len;
}

void buf_fill(struct buf *b, char c, size_t n)
{
	assert(b->len <= b->cap);
	n = buf_cut(b, n);
	b->data = mem_grow(b->data, &b->cap, b->len + n + 1, 1);
	memset(b->data + b->len, c, n);
	b->len += n;
	b->data[b->len] = 0;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	buf_vaddf(b, fmt, args);
	va_end(args);
}

void buf_vaddf(struct buf *b, const char *fmt, va_list args)
{
	size_t room = b->cap - b->len;
	va_list args_copy;
	int n;

	assert(b->len <= b->cap);
	va_copy(args_copy, args);
	n = vsnprintf(room ? b->data + b->len : NULL, room, fmt, args);
	if (n > 0 && buf_cut(b, (size_t)n) < (size_t)n) {
		if (b->data) /* instead of a part of a number, say, append nothing */
			b->data[b->len] = 0;
		va_end(args_copy);
		return;
	}
	if (n > 0 && (size_t)n >= room) {
		b->data = mem_grow(b->data, &b->cap, b->len + (size_t)n + 1, 1);
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, args_copy);
		assert(b->len + (size_t)n < b->cap);
	}
	b->len += n > 0 ? (size_t)n : 0;
	va_end(args_copy);
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}
