/*
 * strings.h - the string table of a profile that is being written
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITE_STRINGS_H
#define LIBCPAPROF_COLLECTOR_WRITE_STRINGS_H

#include "libcpaprof/collector/read/memory.h"

struct string {
	uint32_t at, n, hash; /* position and length in strings.text; hash */
};

/* Zero-initialised. String 0 is the empty string. */
struct strings {
	struct vec text;   /* char */
	struct vec string; /* struct string */
	uint32_t *slot;    /* hash table of index + 1 */
	uint32_t n_slots;
};

/* Add a string, unless it exists. Returns its index; 0 if there is no room. */
uint32_t strings_add(struct strings *t, const char *s, size_t n);

/*
 * Add an empty string with an index other than 0, which means no string in profile.proto. Returns its index; 0 if
 * there is no room. Each call adds a new one.
 */
uint32_t strings_add_empty(struct strings *t);

/* strings_add for a NUL-terminated string; NULL counts as empty. */
uint32_t strings_add_text(struct strings *t, const char *s);

/* String i. The pointer is valid until the next string is added. */
static inline const char *strings_get(const struct strings *t, uint32_t i, size_t *n)
{
	const struct string *s = (const struct string *)t->string.data + i;

	*n = s->n;
	return (const char *)t->text.data + s->at;
}

void strings_release(struct strings *t);

#endif
