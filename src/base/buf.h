/*
 * buf.h - growable byte buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/stop.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* A zero-initialised buffer is empty. Once something has been added, data[len] is NUL. */
struct buf {
	char *data;
	size_t len, cap;
};

void buf_release(struct buf *b);

/* Append n bytes. */
void buf_add(struct buf *b, const void *data, size_t n);

/* buf_add as a snap_sink_fn. Returns 0. */
int buf_take(void *b, const void *data, size_t n);

/*
 * Reserve room for n more bytes, for a caller that writes them itself and then adds to len.
 *
 * Returns the address to write to; valid until the next call
 */
char *buf_room(struct buf *b, size_t n);

/* Append a C string. Inline, so that the compiler finds the length of a literal. */
static inline void buf_addz(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

/* Append n copies of a byte. */
void buf_fill(struct buf *b, char c, size_t n);

/* Append formatted text. */
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

/* A limit of the size of buffers. */
struct buf_limit {
	size_t max;              /* bytes of one buffer */
	struct stop *stop;       /* set when a buffer would exceed max; NULL: none */
	atomic_bool is_exceeded; /* was a buffer cut? Then all results that were made with the limit are unusable. */
};

/*
 * Limit all buffers that this thread, and those that it starts with pool_run, append to: what exceeds the limit is cut. So
 * a loop that writes a large text needs no check of its own, and its caller checks once. NULL: no limit.
 *
 * limit    borrowed until the next call
 * Returns  the limit before
 */
struct buf_limit *buf_set_limit(struct buf_limit *limit);

/* The limit of this thread; NULL for none. */
struct buf_limit *buf_get_limit(void);

/* Are n bytes within the limit of this thread? If not, the limit is exceeded. */
bool buf_check_limit(size_t n);

/*
 * May a loop that only writes end? True if the limit of this thread is exceeded, or if its stop is set: the result will not
 * be used.
 */
bool buf_is_stopped(void);

/* The content as a C string; never NULL. */
const char *buf_text(const struct buf *b);

#endif
