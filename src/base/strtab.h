/*
 * strtab.h - interned strings: equal text has one id
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

/* An empty table, holding "" as id 0; owned by the caller. */
struct strtab *strtab_new(void);
void strtab_free(struct strtab *t);

/* The id of n bytes of s (any bytes, NUL too), storing a copy when new. */
str_id strtab_add(struct strtab *t, const char *s, size_t n);

/* The id of n bytes of s; false when they are not in the table. */
bool strtab_find(const struct strtab *t, const char *s, size_t n, str_id *out);

/* The same with a string of another table, which has been hashed before. */
str_id strtab_add_of(struct strtab *t, const struct strtab *other, str_id id);
bool strtab_find_of(const struct strtab *t, const struct strtab *other, str_id id, str_id *out);

/*
 * A table that holds all of base under the same ids, and behind them the strings of more, which
 * base must not hold, in their order (but for the "" that more starts with). base is not changed:
 * other threads may read it.
 *
 * mem    owns the table, which must not be added to nor handed to strtab_free; base lives longer
 */
struct strtab *strtab_make_over(const struct strtab *base, const struct strtab *more, struct arena *mem);

/* The same as strtab_add for a C string. */
str_id strtab_addz(struct strtab *t, const char *s);

/* The text, with a NUL behind; borrowed, stays until strtab_free. */
const char *strtab_text(const struct strtab *t, str_id id);

/* Its length in bytes. */
size_t strtab_len(const struct strtab *t, str_id id);

/* How many strings there are; ids are below. */
uint32_t strtab_count(const struct strtab *t);

#endif
