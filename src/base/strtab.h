/*
 * strtab.h - interned strings: equal strings have one id
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t str_id; /* 0 is "" */

struct arena;
struct strtab;

/* A table that contains only "", with id 0; owned by the caller. */
struct strtab *strtab_new(void);
void strtab_free(struct strtab *t);

/* Reserve memory for about n strings, while the table contains only "". */
void strtab_reserve(struct strtab *t, size_t n);

/* The id of n bytes of s, which may include NUL; a new string is copied. */
str_id strtab_add(struct strtab *t, const char *s, size_t n);

/* Find the id of n bytes of s; false when they are not in the table. */
bool strtab_find(const struct strtab *t, const char *s, size_t n, str_id *out);

/* Like strtab_add and strtab_find, for a string of another table, whose hash is reused. */
str_id strtab_add_from(struct strtab *t, const struct strtab *other, str_id id);
bool strtab_find_from(const struct strtab *t, const struct strtab *other, str_id id, str_id *out);

/*
 * A table of the strings of base, with the same ids, followed by the strings of more, except its "". base must
 * contain none of the added strings. It is not changed, so other threads may read it.
 *
 * mem    owns the table; do not add to it or pass it to strtab_free. base must outlive it
 */
struct strtab *strtab_make_concat(const struct strtab *base, const struct strtab *more, struct arena *mem);

/* Like strtab_add, for a C string. */
str_id strtab_addz(struct strtab *t, const char *s);

/* The NUL-terminated text of a string; borrowed, valid until strtab_free. */
const char *strtab_text(const struct strtab *t, str_id id);

/* The length of a string in bytes. */
size_t strtab_len(const struct strtab *t, str_id id);

/* Estimated bytes that the table uses. */
size_t strtab_memory(const struct strtab *t);

/* Number of strings; all ids are below it. */
uint32_t strtab_count(const struct strtab *t);

#endif
