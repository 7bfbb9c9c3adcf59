/*
 * buf.h - growable byte buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

/* A zero-initialised buffer is empty. Once something has been added, data[len] is NUL. */
struct buf {
	char *data;
	size_t len, cap;
};

void buf_release(struct buf *b);

/* Append n bytes. */
void buf_add(struct buf *b, const void *data, size_t n);

/*
 * Reserve room for n more bytes, for a caller that writes them itself and then adds to len.
 *
 * Returns the address to write to; valid until the next call
 */
char *buf_room(struct buf *b, size_t n);

/* Append a C string. */
void buf_addz(struct buf *b, const char *s);

/* Append n copies of a byte. */
void buf_fill(struct buf *b, char c, size_t n);

/* Append formatted text. */
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

/* The content as a C string; never NULL. */
const char *buf_text(const struct buf *b);

#endif
