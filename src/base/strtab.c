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

#include <stdlib.h>
#include <string.h>

struct strtab {
	struct arena *mem;
	struct idtab ids;
	struct entry {
		const char *text;
		size_t len;
	} * str; /* [n] */
	size_t cap;
	uint32_t n;
};

struct strtab *strtab_new(void)
{
	struct strtab *t = mem_zalloc(1, sizeof(*t));

	t->mem = arena_new();
	idtab_init(&t->ids, 64);
	strtab_add(t, "", 0);
	return t;
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

str_id strtab_add(struct strtab *t, const char *s, size_t n)
{
	uint64_t h = hash_bytes(s, n);
	uint32_t id;

	for (size_t pos = idtab_start(&t->ids, h); idtab_next(&t->ids, h, &pos, &id);)
		if (t->str[id].len == n && memcmp(t->str[id].text, s, n) == 0)
			return id;
	t->str = mem_grow(t->str, &t->cap, (size_t)t->n + 1, sizeof(*t->str));
	t->str[t->n] = (struct entry){ arena_strndup(t->mem, s, n), n };
	idtab_put(&t->ids, h, t->n);
	return t->n++;
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
