/*
 * stack_lists.h - lists of locations, leaf first, in one array
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most of a large profile are the ids of locations, so each takes three bytes while all fit. They are little-endian. An id is
 * read as four bytes, so a byte after the last one must be readable.
 */
#ifndef PROFILE_STACK_LISTS_H
#define PROFILE_STACK_LISTS_H

#include <assert.h>
#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Stack i has the ids off[i] .. off[i + 1]. */
struct stack_lists {
	uint32_t n;
	uint32_t *off;   /* [n + 1] */
	uint8_t *packed; /* [stack_bytes(off[n], width)] */
	uint32_t width;  /* bytes of an id: STACK_NARROW while all are below 2^24, else STACK_WIDE */
};

enum { STACK_NARROW = 3, STACK_WIDE = 4, STACK_SPARE_IDS = 6 };

/* The width for ids below n. */
static inline uint32_t stack_width(uint64_t n)
{
	return n <= UINT32_C(1) << 24 ? STACK_NARROW : STACK_WIDE;
}

/* The size of an array of n ids. */
static inline size_t stack_bytes(size_t n, uint32_t width)
{
	return n * width + 1;
}

/* The address of id number i. */
static inline uint8_t *stack_address(const struct stack_lists *s, uint32_t i)
{
	return s->packed + (size_t)i * s->width;
}

static inline uint32_t stack_load(const uint8_t *at, uint32_t width)
{
	uint32_t id;

	memcpy(&id, at, sizeof(id));
	return le32toh(id) & (UINT32_MAX >> (32 - 8 * width));
}

/* Write exactly width bytes. */
static inline void stack_store(uint8_t *at, uint32_t width, uint32_t id)
{
	uint32_t le = htole32(id);

	assert(width == STACK_WIDE || id >> 24 == 0);
	memcpy(at, &le, width);
}

/* Id number i, of all stacks together. */
static inline uint32_t stack_id_at(const struct stack_lists *s, uint32_t i)
{
	return stack_load(stack_address(s, i), s->width);
}

/* Copy n ids from number i on. */
static inline void stack_read(const struct stack_lists *s, uint32_t i, size_t n, uint32_t *to)
{
	const uint8_t *at = stack_address(s, i);

	if (s->width == STACK_NARROW)
		for (const uint32_t *end = to + n; to < end; at += STACK_NARROW)
			*to++ = stack_load(at, STACK_NARROW);
	else
		for (const uint32_t *end = to + n; to < end; at += STACK_WIDE)
			*to++ = stack_load(at, STACK_WIDE);
}

/* [n] For each stack the first one that is equal to it; freed by the caller. */
uint32_t *profile_equal_stacks(const struct stack_lists *s);

/* First stack of a part when the stacks are divided into parts with about the same number of ids; the number of stacks for
   part == parts. */
uint32_t profile_stack_part(const struct stack_lists *s, unsigned part, unsigned parts);

#endif
