/*
 * wire.h - write profile.proto by hand, valid or not, for the tests of its reader
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_WIRE_H
#define TESTS_UNIT_WIRE_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Number of values in a list. */
#define N_OF(...) (sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
#define LIST(...) (const uint64_t[]){ __VA_ARGS__ }, N_OF(__VA_ARGS__)

static inline void wire_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_add(b, &(uint8_t){ (uint8_t)(v | 0x80) }, 1);
	buf_add(b, &(uint8_t){ (uint8_t)v }, 1);
}

/* Append a field with a single number. */
static inline void wire_int(struct buf *b, uint64_t field, uint64_t v)
{
	wire_varint(b, field << 3);
	wire_varint(b, v);
}

static inline void wire_fixed32(struct buf *b, uint64_t field, uint32_t v)
{
	wire_varint(b, field << 3 | 5);
	buf_add(b, &v, 4);
}

static inline void wire_fixed64(struct buf *b, uint64_t field, uint64_t v)
{
	wire_varint(b, field << 3 | 1);
	buf_add(b, &v, 8);
}

static inline void wire_bytes(struct buf *b, uint64_t field, const void *data, size_t n)
{
	wire_varint(b, field << 3 | 2);
	wire_varint(b, n);
	buf_add(b, data, n);
}

/* Append a message; m is released. */
static inline void wire_message(struct buf *b, uint64_t field, struct buf *m)
{
	wire_bytes(b, field, m->data, m->len);
	buf_release(m);
}

static inline void wire_packed(struct buf *b, uint64_t field, const uint64_t *v, size_t n)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < n; i++)
		wire_varint(&list, v[i]);
	wire_message(b, field, &list);
}

static inline void wire_strings(struct buf *b, const char *const *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		wire_bytes(b, 6, text[i], strlen(text[i]));
}
#define STRINGS(b, ...)                                                                                                \
	wire_strings(b, (const char *const[]){ __VA_ARGS__ },                                                          \
		     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* Append the fields of a message, numbered from 1, without those that are 0. */
static inline void wire_numbers(struct buf *b, uint64_t field, const uint64_t *v, size_t n)
{
	struct buf m = { 0 };

	for (size_t i = 0; i < n; i++)
		if (v[i])
			wire_int(&m, i + 1, v[i]);
	wire_message(b, field, &m);
}

#define TYPE(b, ...) wire_numbers(b, 1, LIST(__VA_ARGS__))     /* name, unit */
#define MAPPING(b, ...) wire_numbers(b, 3, LIST(__VA_ARGS__))  /* id, start, limit, offset, ... */
#define FUNCTION(b, ...) wire_numbers(b, 5, LIST(__VA_ARGS__)) /* id, name, system name, file, line */
#define LINE(m, ...) wire_numbers(m, 4, LIST(__VA_ARGS__))     /* function, line, column */
#define LABEL(m, ...) wire_numbers(m, 3, LIST(__VA_ARGS__))    /* key, text, number, unit */

/* Append a location with a line, or without if func is 0. */
static inline void wire_location(struct buf *b, uint64_t id, uint64_t map, uint64_t addr, uint64_t func, uint64_t line)
{
	struct buf m = { 0 };

	wire_int(&m, 1, id);
	wire_int(&m, 2, map);
	wire_int(&m, 3, addr);
	if (func)
		LINE(&m, func, line);
	wire_message(b, 4, &m);
}

/* Append a sample of one value. */
static inline void wire_sample(struct buf *b, uint64_t value, const uint64_t *loc, size_t n)
{
	struct buf m = { 0 };

	wire_packed(&m, 1, loc, n);
	wire_packed(&m, 2, &value, 1);
	wire_message(b, 2, &m);
}

#endif
