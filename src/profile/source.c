/*
 * source.c - source lines embedded in a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/source.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct source_line {
	str_id file, text; /* strings of profile_source.str, in profile_source_store of the profile */
	uint32_t source;
	int64_t line;
};

/* Suffixes of source files in languages whose programs are profiled. */
static const char *const source_suffixes[] = {
	"C",   "F",     "F90", "H",     "S",    "adb", "ads", "asm", "c",    "c++",  "cc",  "cl",  "clj",
	"cpp", "cppm",  "cr",  "cs",    "cu",   "cuh", "cxx", "d",   "dart", "def",  "di",  "erl", "ex",
	"f",   "f90",   "for", "fs",    "go",   "h",   "h++", "hh",  "hpp",  "hrl",  "hs",  "hxx", "i",
	"inc", "inl",   "ipp", "ixx",   "java", "jl",  "js",  "jsx", "kt",   "l",    "lua", "m",   "mjs",
	"ml",  "mli",   "mm",  "nim",   "pas",  "php", "pl",  "pm",  "py",   "pyx",  "r",   "rb",  "rs",
	"s",   "scala", "sx",  "swift", "tcc",  "tpp", "ts",  "tsx", "v",    "vala", "y",   "zig",
};

const char *profile_source_suffix(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof(source_suffixes) / sizeof(source_suffixes[0]); i++)
		if (strcmp(dot + 1, source_suffixes[i]) == 0)
			return dot;
	return NULL;
}

bool profile_source_find(const struct profile *p, const char *file, uint32_t *lo, uint32_t *hi)
{
	str_id id;

	if (p->n_source_lines == 0 || !strtab_find(p->str, file, strlen(file), &id))
		return false;
	*lo = *hi = (uint32_t)lower_bound_u32(p->source_file, p->n_source_lines, id);
	while (*hi < p->n_source_lines && p->source_file[*hi] == id)
		++*hi;
	return *lo < *hi;
}

void profile_source_release(struct profile_source *t)
{
	strtab_free(t->str);
	free(t->text);
	*t = (struct profile_source){ 0 };
}

void profile_source_add(struct profile_source *t, const char *file, size_t file_n, int64_t line, const char *text,
			size_t text_n)
{
	if (!t->str)
		t->str = strtab_new();
	t->text = mem_grow(t->text, &t->cap, t->n + 1, sizeof(*t->text));
	t->text[t->n++] = (struct source_line){ .file = strtab_add(t->str, file, file_n),
						.text = strtab_add(t->str, text, text_n),
						.source = t->source,
						.line = line };
}

void profile_source_add_from(struct profile_source *t, const struct profile *p)
{
	assert(p->n_source_lines == 0 || (p->source_file && p->source_text && p->source_line));
	t->source++;
	for (uint32_t i = 0; i < p->n_source_lines; i++) {
		str_id file = p->source_file[i], text = p->source_text[i];

		profile_source_add(t, strtab_text(p->str, file), strtab_len(p->str, file), p->source_line[i],
				   strtab_text(p->str, text), strtab_len(p->str, text));
	}
}

static int profile_source_compare_lines(const void *n_left, const void *right)
{
	const struct source_line *a = n_left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->source < b->source ? -1 : a->source > b->source;
}

/*
 * Filter the sorted lines of a file: remove sources that disagree with an earlier one, then duplicate lines.
 *
 * Returns the number of remaining lines
 */
static size_t filter_conflicts(struct source_line *text, size_t n, str_id *rejected)
{
	size_t first = 0, n_kept = 0;

	for (size_t i = 1; i < n; i++) {
		if (text[i].line != text[first].line)
			first = i;
		else if (text[i].text != text[first].text && text[i].source != text[first].source)
			rejected[text[i].source] = text[i].file;
	}
	for (size_t i = 0; i < n; i++)
		if (rejected[text[i].source] != text[i].file && (n_kept == 0 || text[n_kept - 1].line != text[i].line))
			text[n_kept++] = text[i];
	return n_kept;
}

/*
 * Sort the lines by file id and line number, and remove conflicts and duplicates. Returns the number of remaining
 * lines.
 */
static size_t sort_lines(struct source_line *text, size_t n, uint32_t n_sources)
{
	str_id *rejected = mem_zalloc((size_t)n_sources + 1,
				      sizeof(*rejected)); /* the last file for which a source was rejected */
	size_t n_kept = 0, end;

	qsort(text, n, sizeof(*text), profile_source_compare_lines);
	for (size_t i = 0; i < n; i = end) {
		size_t n_left;

		for (end = i; end < n && text[end].file == text[i].file; end++)
			;
		n_left = filter_conflicts(&text[i], end - i, rejected);
		memmove(&text[n_kept], &text[i], n_left * sizeof(*text));
		n_kept += n_left;
	}
	free(rejected);
	return n_kept;
}

void profile_source_store(const struct profile_source *t, struct profile *p)
{
	struct source_line *text = mem_alloc(t->n, sizeof(*text));
	size_t n = 0;

	for (size_t i = 0; i < t->n && n < UINT32_MAX; i++) {
		const struct source_line *from = &t->text[i];

		if (strtab_len(t->str, from->file) == 0)
			continue;
		text[n] = *from;
		text[n].file = strtab_add_from(p->str, t->str, from->file);
		text[n++].text = strtab_add_from(p->str, t->str, from->text);
	}
	n = sort_lines(text, n, t->source);
	p->n_source_lines = (uint32_t)n;
	p->source_file = arena_alloc(p->mem, n + 1, sizeof(*p->source_file));
	p->source_text = arena_alloc(p->mem, n + 1, sizeof(*p->source_text));
	p->source_line = arena_alloc(p->mem, n + 1, sizeof(*p->source_line));
	for (size_t i = 0; i < n; i++) {
		p->source_file[i] = text[i].file;
		p->source_text[i] = text[i].text;
		p->source_line[i] = text[i].line;
	}
	free(text);
}
