/*
 * texts.h - many texts in one buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include "base/buf.h"
#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>

/* Zero-initialised it is empty. Append to all, then call texts_end: that was the next text. */
struct texts {
	struct buf all;
	size_t n, cap;
	size_t *end; /* [n] */
};

static inline void texts_end(struct texts *t)
{
	t->end = mem_grow(t->end, &t->cap, t->n + 1, sizeof(*t->end));
	t->end[t->n++] = t->all.len;
}

/* Text i and its length; it is not a C string. */
static inline const char *texts_at(const struct texts *t, size_t i, size_t *n)
{
	size_t start = i ? t->end[i - 1] : 0;

	*n = t->end[i] - start;
	return buf_text(&t->all) + start;
}

static inline void texts_release(struct texts *t)
{
	buf_release(&t->all);
	free(t->end);
	*t = (struct texts){ 0 };
}

#endif
