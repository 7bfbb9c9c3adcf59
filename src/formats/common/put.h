/*
 * put.h - append fields of protobuf messages to a buffer that grows
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For messages in messages whose size is not known; wire/wire.h writes large ones without a copy.
 */
#ifndef FORMATS_COMMON_PUT_H
#define FORMATS_COMMON_PUT_H

#include "base/buf.h"
#include "wire/wire.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void put_varint(struct buf *b, uint64_t v)
{
	uint8_t bytes[WIRE_VARINT_MAX];

	buf_add(b, bytes, (size_t)(wire_put(bytes, v) - bytes));
}

/* Append a number; 0 is left out. */
static inline void put_number(struct buf *b, uint32_t field, uint64_t v)
{
	if (v == 0)
		return;
	put_varint(b, (uint64_t)field << 3);
	put_varint(b, v);
}

static inline void put_bytes(struct buf *b, uint32_t field, const void *data, size_t n)
{
	put_varint(b, (uint64_t)field << 3 | 2);
	put_varint(b, n);
	buf_add(b, data, n);
}

static inline void put_textz(struct buf *b, uint32_t field, const char *text)
{
	put_bytes(b, field, text, strlen(text));
}

/* Append a message and empty its buffer. */
static inline void put_message(struct buf *b, uint32_t field, struct buf *message)
{
	put_bytes(b, field, buf_text(message), message->len);
	message->len = 0;
}

#endif
