/*
 * strtab.c - interned strings
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/strtab.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct strtab {
	struct arena *mem;
	struct idtab ids;
	struct entry {
		const char *text;
		size_t len;
		uint32_t hash; /* the low 32 bits, which are all that idtab uses */
	} * str;               /* [n] */
	size_t cap;
	size_t text_bytes; /* of all strings, with their NULs */
	uint32_t n;
	const struct strtab *base; /* from strtab_make_concat, else NULL; the strings of base are not in ids */
};

struct strtab *strtab_new(void)
{
	struct strtab *t = mem_zalloc(1, sizeof(*t));

	t->mem = arena_new();
	idtab_init(&t->ids, 64);
	strtab_add(t, "", 0);
	return t;
}

void strtab_reserve(struct strtab *t, size_t n)
{
	assert(t->n == 1 && t->ids.n == 1);
	t->str = mem_grow(t->str, &t->cap, n, sizeof(*t->str));
	idtab_release(&t->ids);
	idtab_init(&t->ids, n);
	idtab_put(&t->ids, t->str[0].hash, 0);
}

void strtab_free(struct strtab *t)
{
	if (!t)
		return;
	arena_free(t->mem);
	idtab_release(&t->ids);
	free(t->str);
	free(t);
}

static bool base_strtab_find(const struct strtab *t, uint64_t h, const char *s, size_t n, str_id *out)
{
	uint32_t id;

	for (size_t pos = idtab_start(&t->ids, h); idtab_next(&t->ids, h, &pos, &id);) {
		if (t->str[id].len == n && memcmp(t->str[id].text, s, n) == 0) {
			*out = id;
			return true;
		}
	}
	return t->base && base_strtab_find(t->base, h, s, n, out);
}

bool strtab_find(const struct strtab *t, const char *s, size_t n, str_id *out)
{
	return base_strtab_find(t, hash_bytes(s, n), s, n, out);
}

bool strtab_find_from(const struct strtab *t, const struct strtab *other, str_id id, str_id *out)
{
	const struct entry *e = &other->str[id];

	assert(id < other->n);
	return base_strtab_find(t, e->hash, e->text, e->len, out);
}

struct strtab *strtab_make_concat(const struct strtab *base, const struct strtab *more, struct arena *mem)
{
	struct strtab *t = arena_zalloc(mem, 1, sizeof(*t));

	assert(base != more && !more->base);
	t->base = base;
	t->str = arena_alloc(mem, (size_t)base->n + more->n, sizeof(*t->str));
	memcpy(t->str, base->str, base->n * sizeof(*t->str));
	t->n = base->n;
	idtab_init(&t->ids, more->n);
	for (uint32_t i = 1; i < more->n; i++) {
		struct entry e = more->str[i];

		e.text = arena_strndup(mem, e.text, e.len);
		t->str[t->n] = e;
		idtab_put(&t->ids, e.hash, t->n++);
	}
	assert(t->n == base->n + more->n - 1);
	arena_own(mem, t->ids.slot);
	return t;
}

static str_id base_strtab_add(struct strtab *t, uint32_t h, const char *s, size_t n)
{
	str_id id;

	assert(!t->base);
	if (base_strtab_find(t, h, s, n, &id))
		return id;
	t->str = mem_grow(t->str, &t->cap, (size_t)t->n + 1, sizeof(*t->str));
	t->str[t->n] = (struct entry){ arena_strndup(t->mem, s, n), n, h };
	t->text_bytes += n + 1;
	idtab_put(&t->ids, h, t->n);
	return t->n++;
}

str_id strtab_add(struct strtab *t, const char *s, size_t n)
{
	return base_strtab_add(t, (uint32_t)hash_bytes(s, n), s, n);
}

str_id strtab_add_from(struct strtab *t, const struct strtab *other, str_id id)
{
	const struct entry *e = &other->str[id];

	assert(id < other->n);
	return base_strtab_add(t, e->hash, e->text, e->len);
}

str_id strtab_addz(struct strtab *t, const char *s)
{
	return strtab_add(t, s, strlen(s));
}

const char *strtab_text(const struct strtab *t, str_id id)
{
	return t->str[id].text;
}

size_t strtab_len(const struct strtab *t, str_id id)
{
	return t->str[id].len;
}

uint32_t strtab_count(const struct strtab *t)
{
	return t->n;
}

size_t strtab_memory(const struct strtab *t)
{
	return sizeof(*t) + t->text_bytes + t->cap * sizeof(*t->str) + (t->ids.mask + 1) * sizeof(*t->ids.slot);
}
