/*
 * string_list.h - list of strings in one buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_STRING_LIST_H
#define BASE_STRING_LIST_H

#include "base/buf.h"
#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>

/* A zero-initialised list is empty. To add a string, append it to all, then call string_list_end. */
struct string_list {
	struct buf all;
	size_t n, cap;
	size_t *end; /* [n] */
};

static inline void string_list_end(struct string_list *t)
{
	t->end = mem_grow(t->end, &t->cap, t->n + 1, sizeof(*t->end));
	t->end[t->n++] = t->all.len;
}

/* String i and its length; not NUL-terminated. */
static inline const char *string_list_get(const struct string_list *t, size_t i, size_t *n)
{
	size_t start = i ? t->end[i - 1] : 0;

	*n = t->end[i] - start;
	return buf_text(&t->all) + start;
}

static inline void string_list_release(struct string_list *t)
{
	buf_release(&t->all);
	free(t->end);
	*t = (struct string_list){ 0 };
}

#endif
