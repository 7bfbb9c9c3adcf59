/*
 * frames_texts.c - texts that live on when the file they come from is closed, each once
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A name comes many times from the same place in the file, so places are looked up first: that needs
 * no look at the text.
 */
#include "config.h"

#include "symbol/frames_texts.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct frames_text {
	const char *text;
	size_t n;
};

struct frames_seen {
	const char *from, *to;
};

void frames_texts_init(struct frames_texts *t, struct arena *mem, uint64_t max)
{
	*t = (struct frames_texts){ .mem = mem, .left = max };
	idtab_init(&t->by_text, 1024);
	idtab_init(&t->by_pointer, 1024);
}

void frames_texts_release(struct frames_texts *t)
{
	idtab_release(&t->by_text);
	idtab_release(&t->by_pointer);
	free(t->text);
	free(t->seen);
}

static const char *add_text(struct frames_texts *t, const char *text)
{
	size_t n = strnlen(text, t->left + 1);
	uint64_t h;
	uint32_t id;

	if (n > t->left)
		n = t->left = 0;
	if (!n)
		return "";
	t->left -= n;
	h = hash_bytes(text, n);
	for (size_t pos = idtab_start(&t->by_text, h); idtab_next(&t->by_text, h, &pos, &id);)
		if (t->text[id].n == n && memcmp(t->text[id].text, text, n) == 0)
			return t->text[id].text;
	t->text = mem_grow(t->text, &t->cap, t->n + 1, sizeof(*t->text));
	t->text[t->n] = (struct frames_text){ arena_strndup(t->mem, text, n), n };
	idtab_put(&t->by_text, h, (uint32_t)t->n);
	return t->text[t->n++].text;
}

const char *frames_texts_add(struct frames_texts *t, const char *text)
{
	uint64_t h = hash_u64((uintptr_t)text);
	uint32_t id;

	if (!text || !*text)
		return "";
	for (size_t pos = idtab_start(&t->by_pointer, h); idtab_next(&t->by_pointer, h, &pos, &id);)
		if (t->seen[id].from == text)
			return t->seen[id].to;
	t->seen = mem_grow(t->seen, &t->cap_seen, t->n_seen + 1, sizeof(*t->seen));
	t->seen[t->n_seen] = (struct frames_seen){ text, add_text(t, text) };
	idtab_put(&t->by_pointer, h, (uint32_t)t->n_seen);
	return t->seen[t->n_seen++].to;
}
