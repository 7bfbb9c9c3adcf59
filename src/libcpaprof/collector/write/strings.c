/*
 * strings.c - the string table of a profile that is being written
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/write/strings.h"

#include <string.h>

enum { STRINGS_MAX = 1 << 24, TEXTS_MAX = 1 << 30, FIRST_SLOTS = 1024 };

static uint32_t strings_hash_of(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ULL; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * 0x100000001b3ULL;
	return (uint32_t)(h ^ h >> 32);
}

static bool strings_grow(struct strings *t)
{
	uint32_t want = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS, *to;
	const struct string *s = t->string.data;

	if (t->string.n < t->n_slots / 2)
		return true;
	to = memory_map((size_t)want * sizeof(*to));
	if (!to)
		return t->string.n + 1 < t->n_slots; /* a table that cannot grow still works, but slower */
	for (uint32_t i = 0; i < t->string.n; i++) {
		uint32_t at = s[i].hash;

		while (to[at & (want - 1)])
			at++;
		to[at & (want - 1)] = i + 1;
	}
	memory_unmap(t->slot, (size_t)t->n_slots * sizeof(*t->slot));
	t->slot = to;
	t->n_slots = want;
	return true;
}

static uint32_t find_or_add(struct strings *t, const char *s, size_t n)
{
	uint32_t hash = strings_hash_of(s, n), at;
	struct string *new;
	size_t len;
	char *text;

	if (!strings_grow(t))
		return 0;
	for (at = hash; t->slot[at & (t->n_slots - 1)]; at++) {
		uint32_t i = t->slot[at & (t->n_slots - 1)] - 1;
		const char *is = strings_get(t, i, &len);

		if (len == n && memcmp(is, s, n) == 0)
			return i;
	}
	text = vec_reserve(&t->text, n, 1, TEXTS_MAX);
	new = vec_reserve(&t->string, 1, sizeof(*new), STRINGS_MAX);
	if (!text || !new)
		return 0;
	memcpy(text, s, n);
	*new = (struct string){ .at = (uint32_t)t->text.n, .n = (uint32_t)n, .hash = hash };
	t->text.n += n;
	t->slot[at & (t->n_slots - 1)] = (uint32_t)++t->string.n;
	return (uint32_t)t->string.n - 1;
}

uint32_t strings_add(struct strings *t, const char *s, size_t n)
{
	if (t->string.n == 0)
		find_or_add(t, "", 0);
	return n && t->string.n ? find_or_add(t, s, n) : 0;
}

uint32_t strings_add_empty(struct strings *t)
{
	struct string *new;

	strings_add(t, "", 0);
	new = t->string.n ? vec_reserve(&t->string, 1, sizeof(*new), STRINGS_MAX) : NULL;
	if (!new)
		return 0;
	*new = (struct string){ .hash = strings_hash_of("", 0) };
	return (uint32_t)t->string.n++;
}

uint32_t strings_add_text(struct strings *t, const char *s)
{
	return strings_add(t, s ? s : "", s ? strlen(s) : 0);
}

void strings_release(struct strings *t)
{
	memory_unmap(t->slot, (size_t)t->n_slots * sizeof(*t->slot));
	vec_release(&t->string, sizeof(struct string));
	vec_release(&t->text, 1);
	*t = (struct strings){ 0 };
}
