/*
 * texts.c - source lines that a profile carries with it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/texts.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct text {
	str_id file, text; /* of texts->str; later of the profile */
	uint32_t source;
	int64_t line;
};

bool profile_texts_find(const struct profile *p, const char *file, uint32_t *lo, uint32_t *hi)
{
	str_id id;

	if (p->n_texts == 0 || !strtab_find(p->str, file, strlen(file), &id))
		return false;
	*lo = *hi = (uint32_t)lower_bound_u32(p->text_file, p->n_texts, id);
	while (*hi < p->n_texts && p->text_file[*hi] == id)
		++*hi;
	return *lo < *hi;
}

void profile_texts_release(struct profile_texts *t)
{
	strtab_free(t->str);
	free(t->text);
	*t = (struct profile_texts){ 0 };
}

void profile_texts_add(struct profile_texts *t, const char *file, size_t file_n, int64_t line, const char *text,
		       size_t text_n)
{
	if (!t->str)
		t->str = strtab_new();
	t->text = mem_grow(t->text, &t->cap, t->n + 1, sizeof(*t->text));
	t->text[t->n++] = (struct text){ .file = strtab_add(t->str, file, file_n),
					 .text = strtab_add(t->str, text, text_n),
					 .source = t->source,
					 .line = line };
}

void profile_texts_add_of(struct profile_texts *t, const struct profile *p)
{
	assert(p->n_texts == 0 || (p->text_file && p->text && p->text_line));
	t->source++;
	for (uint32_t i = 0; i < p->n_texts; i++) {
		str_id file = p->text_file[i], text = p->text[i];

		profile_texts_add(t, strtab_text(p->str, file), strtab_len(p->str, file), p->text_line[i],
				  strtab_text(p->str, text), strtab_len(p->str, text));
	}
}

static int compare_texts(const void *left, const void *right)
{
	const struct text *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->source < b->source ? -1 : a->source > b->source;
}

/* The lines of one file, sorted: those of sources that disagree with an earlier one go, then all but
   the first of each line. Gives how many are left. */
static size_t agree(struct text *text, size_t n, str_id *wrong)
{
	size_t first = 0, kept = 0;

	for (size_t i = 1; i < n; i++) {
		if (text[i].line != text[first].line)
			first = i;
		else if (text[i].text != text[first].text && text[i].source != text[first].source)
			wrong[text[i].source] = text[i].file;
	}
	for (size_t i = 0; i < n; i++)
		if (wrong[text[i].source] != text[i].file && (kept == 0 || text[kept - 1].line != text[i].line))
			text[kept++] = text[i];
	return kept;
}

/* Sorted by the profile's ids, each line once. Gives how many are left. */
static size_t sort_texts(struct text *text, size_t n, uint32_t n_sources)
{
	str_id *wrong = mem_zalloc((size_t)n_sources + 1, sizeof(*wrong)); /* the file a source is wrong about */
	size_t kept = 0, end;

	qsort(text, n, sizeof(*text), compare_texts);
	for (size_t i = 0; i < n; i = end) {
		size_t left;

		for (end = i; end < n && text[end].file == text[i].file; end++)
			;
		left = agree(&text[i], end - i, wrong);
		memmove(&text[kept], &text[i], left * sizeof(*text));
		kept += left;
	}
	free(wrong);
	return kept;
}

void profile_texts_put(const struct profile_texts *t, struct profile *p)
{
	struct text *text = mem_alloc(t->n, sizeof(*text));
	size_t n = 0;

	for (size_t i = 0; i < t->n && n < UINT32_MAX; i++) {
		const struct text *from = &t->text[i];

		if (strtab_len(t->str, from->file) == 0)
			continue;
		text[n] = *from;
		text[n].file = strtab_add_of(p->str, t->str, from->file);
		text[n++].text = strtab_add_of(p->str, t->str, from->text);
	}
	n = sort_texts(text, n, t->source);
	p->n_texts = (uint32_t)n;
	p->text_file = arena_alloc(p->mem, n + 1, sizeof(*p->text_file));
	p->text = arena_alloc(p->mem, n + 1, sizeof(*p->text));
	p->text_line = arena_alloc(p->mem, n + 1, sizeof(*p->text_line));
	for (size_t i = 0; i < n; i++) {
		p->text_file[i] = text[i].file;
		p->text[i] = text[i].text;
		p->text_line[i] = text[i].line;
	}
	free(text);
}
