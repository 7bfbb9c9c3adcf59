/*
 * rows.h - rows of tables in the format RowBinary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers are little-endian, texts and lists have a varint with their length before them, columns follow each other.
 */
#ifndef STORE_CLICKHOUSE_ROWS_H
#define STORE_CLICKHOUSE_ROWS_H

#include "base/buf.h"
#include "store/local/format/varint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- writing --- */

static inline void click_put_u8(struct buf *out, uint8_t v)
{
	buf_add(out, &v, sizeof(v));
}

static inline void click_put_u16(struct buf *out, uint16_t v)
{
	buf_add(out, &v, sizeof(v));
}

static inline void click_put_u32(struct buf *out, uint32_t v)
{
	buf_add(out, &v, sizeof(v));
}

static inline void click_put_u64(struct buf *out, uint64_t v)
{
	buf_add(out, &v, sizeof(v));
}

static inline void click_put_i64(struct buf *out, int64_t v)
{
	buf_add(out, &v, sizeof(v));
}

static inline void click_put_text(struct buf *out, const char *text)
{
	size_t n = strlen(text);

	varint_put(out, n);
	buf_add(out, text, n);
}

/* --- reading --- */

/* A result. After a field that is missing, is_bad is set, and fields are 0 and "". */
struct click_rows {
	const uint8_t *at, *end;
	bool is_bad;
};

/* Is there another row? */
static inline bool click_has_row(const struct click_rows *r)
{
	return !r->is_bad && r->at < r->end;
}

/* n bytes, borrowed from the result; NULL if they are missing. */
static inline const uint8_t *click_get_bytes(struct click_rows *r, size_t n)
{
	const uint8_t *at = r->at;

	if (r->is_bad || n > (size_t)(r->end - at)) {
		r->is_bad = true;
		return NULL;
	}
	r->at += n;
	return at;
}

static inline uint64_t click_get_number(struct click_rows *r, size_t size)
{
	const uint8_t *at = click_get_bytes(r, size);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, size);
	return v;
}

static inline uint8_t click_get_u8(struct click_rows *r)
{
	return (uint8_t)click_get_number(r, 1);
}

static inline uint16_t click_get_u16(struct click_rows *r)
{
	return (uint16_t)click_get_number(r, 2);
}

static inline uint32_t click_get_u32(struct click_rows *r)
{
	return (uint32_t)click_get_number(r, 4);
}

static inline uint64_t click_get_u64(struct click_rows *r)
{
	return click_get_number(r, 8);
}

static inline int64_t click_get_i64(struct click_rows *r)
{
	return (int64_t)click_get_number(r, 8);
}

/* The number of items of a list, each of which takes at least size bytes. */
static inline size_t click_get_count(struct click_rows *r, size_t size)
{
	uint64_t n = 0;

	r->is_bad |= !varint_get(&r->at, r->end, &n) || n > (uint64_t)(r->end - r->at) / size;
	return r->is_bad ? 0 : (size_t)n;
}

/* A text of *n bytes, borrowed from the result; it has no NUL after it. */
static inline const char *click_get_text(struct click_rows *r, size_t *n)
{
	const char *text;

	*n = click_get_count(r, 1);
	text = (const char *)click_get_bytes(r, *n);
	return text ? text : "";
}

#endif
