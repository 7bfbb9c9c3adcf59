/*
 * strings.h - the distinct texts of a profile that is being written
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_STRINGS_H
#define LIBCPAPROF_COLLECTOR_STRINGS_H

#include "libcpaprof/collector/memory.h"

struct string {
	uint32_t at, n, hash; /* in strings.text */
};

/* Begins as zeros. Number 0 is the empty text. */
struct strings {
	struct vec text;   /* char */
	struct vec string; /* struct string */
	uint32_t *slot;    /* hash table of number + 1 */
	uint32_t n_slots;
};

/* The number of a text, in the order in which they came. 0 when there is no room for it. */
uint32_t strings_add(struct strings *t, const char *s, size_t n);

/*
 * The number of an empty text that is not number 0, which in profile.proto stands for no text at all. 0 when there
 * is no room. Each call makes a new one.
 */
uint32_t strings_add_empty(struct strings *t);

/* The same as strings_add for one that ends with NUL, or NULL, which is empty. */
uint32_t strings_put(struct strings *t, const char *s);

/* Number i. It moves when another is added. */
static inline const char *strings_get(const struct strings *t, uint32_t i, size_t *n)
{
	const struct string *s = (const struct string *)t->string.data + i;

	*n = s->n;
	return (const char *)t->text.data + s->at;
}

void strings_release(struct strings *t);

#endif
