/*
 * history.c - moving through earlier lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/history.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void history_open(struct history *h, const struct string_list *lines)
{
	size_t n;

	for (size_t i = 0; i < lines->n; i++) {
		const char *line = string_list_get(lines, i, &n);

		buf_add(&h->lines.all, line, n);
		string_list_end(&h->lines);
	}
	h->current = h->lines.n;
}

void history_release(struct history *h)
{
	string_list_release(&h->lines);
	free(h->draft);
	*h = (struct history){ 0 };
}

void history_show(const struct history *h, size_t i, struct editor *e)
{
	size_t n;
	const char *text = string_list_get(&h->lines, i, &n);
	char *line = mem_strndup(text, n);

	assert(i < h->lines.n);
	editor_set(e, line);
	free(line);
}

static bool is_shown(const struct history *h, size_t i, const struct editor *e)
{
	size_t n;
	const char *text = string_list_get(&h->lines, i, &n);

	return n == e->text.len && memcmp(text, buf_text(&e->text), n) == 0;
}

void history_walk(struct history *h, int by, struct editor *e)
{
	size_t to = h->current;

	assert(h->current <= h->lines.n && (by == 1 || by == -1));
	if (by < 0) {
		while (to > 0 && is_shown(h, to - 1, e))
			to--;
		if (to == 0)
			return;
		if (h->current == h->lines.n) {
			free(h->draft);
			h->draft = mem_strndup(buf_text(&e->text), e->text.len);
		}
		h->current = to - 1;
		history_show(h, h->current, e);
		return;
	}
	if (to == h->lines.n)
		return;
	for (to++; to < h->lines.n && is_shown(h, to, e);)
		to++;
	h->current = to;
	if (to < h->lines.n)
		history_show(h, to, e);
	else
		editor_set(e, h->draft ? h->draft : "");
}

size_t history_find(const struct history *h, size_t from, const char *text)
{
	size_t want = strlen(text);

	for (size_t i = from < h->lines.n ? from : h->lines.n; i-- > 0;) {
		size_t n;
		const char *line = string_list_get(&h->lines, i, &n);

		for (size_t k = 0; k + want <= n; k++)
			if (memcmp(line + k, text, want) == 0)
				return i;
	}
	return h->lines.n;
}

void history_add(struct string_list *lines, const char *line)
{
	size_t n = strlen(line), last = 0;
	const char *before = lines->n ? string_list_get(lines, lines->n - 1, &last) : "";

	if (n == 0 || (lines->n && last == n && memcmp(before, line, n) == 0))
		return;
	buf_add(&lines->all, line, n);
	string_list_end(lines);
}
