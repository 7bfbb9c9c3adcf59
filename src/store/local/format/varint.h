/*
 * varint.h - numbers in 1 to 10 bytes: LEB128, zigzag for signed numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_VARINT_H
#define STORE_LOCAL_FORMAT_VARINT_H

#include "base/buf.h"
#include "wire/wire.h"

#include <stdbool.h>
#include <stdint.h>

enum { VARINT_MAX = 10 }; /* maximum bytes of a number */

/* Append a number. */
static inline void varint_put(struct buf *out, uint64_t v)
{
	uint8_t *at = (uint8_t *)buf_room(out, VARINT_MAX);

	out->len += (size_t)(wire_put(at, v) - at);
}

/* Small absolute values become small numbers: 0, -1, 1, -2, 2. */
static inline uint64_t varint_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t varint_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

static inline void varint_put_signed(struct buf *out, int64_t v)
{
	varint_put(out, varint_zigzag(v));
}

/* Append the difference of two ids or unsigned numbers, modulo 2^64. */
static inline void varint_put_delta(struct buf *out, uint64_t v, uint64_t previous)
{
	varint_put_signed(out, (int64_t)(v - previous));
}

/* varint_get for any number. */
static inline bool varint_get_long(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	const uint8_t *p = *at;
	uint64_t x = 0;

	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		uint8_t byte = *p++;

		if (shift == 63 && byte > 1)
			return false;
		x |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*at = p;
			*v = x;
			return true;
		}
	}
	return false;
}

/* Read a number of [*at, end) and set *at to its end. False if there is none, or if it exceeds 64 bits. Most have
   at most four bytes. */
static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	const uint8_t *p = *at;

	if (p < end && p[0] < 0x80) {
		*v = p[0];
		*at = p + 1;
		return true;
	}
	if (end - p < 4)
		return varint_get_long(at, end, v);
	*v = (p[0] & 0x7fU) | (p[1] & 0x7fU) << 7;
	if (p[1] < 0x80) {
		*at = p + 2;
		return true;
	}
	*v |= (p[2] & 0x7fU) << 14;
	if (p[2] < 0x80) {
		*at = p + 3;
		return true;
	}
	if (p[3] >= 0x80)
		return varint_get_long(at, end, v);
	*v |= (uint32_t)p[3] << 21;
	*at = p + 4;
	return true;
}

static inline bool varint_get_signed(const uint8_t **at, const uint8_t *end, int64_t *v)
{
	uint64_t x;

	if (!varint_get(at, end, &x))
		return false;
	*v = varint_unzigzag(x);
	return true;
}

#endif
