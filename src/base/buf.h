/*
 * buf.h - bytes that grow
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

/* Zero-initialised it is empty. data has a NUL behind len once anything was added. */
struct buf {
	char *data;
	size_t len, cap;
};

void buf_release(struct buf *b);

/* Append n bytes. */
void buf_add(struct buf *b, const void *data, size_t n);

/*
 * Have room for n more bytes, for a caller that writes them itself and then adds to len.
 *
 * Gives   where they go; good until the next call
 */
char *buf_room(struct buf *b, size_t n);

/* Append a C string. */
void buf_addz(struct buf *b, const char *s);

/* Append one byte n times. */
void buf_fill(struct buf *b, char c, size_t n);

/* Append formatted text. */
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

/* The text so far as a C string; never NULL. */
const char *buf_text(const struct buf *b);

#endif
