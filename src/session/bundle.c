/*
 * bundle.c - the source lines that reports of a profile need, put into it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/bundle.h"

#include "base/arena.h"
#include "base/mem.h"
#include "profile/texts.h"
#include "report/where.h"
#include "symbol/source_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	WHOLE_LINES = 10000,  /* a file up to this long is taken as it is */
	LINES_BEFORE = 50,    /* of a longer one: in front of a function and its lines */
	LINES_BEHIND = 200,   /* and behind them */
	ALL_LINES = 10000000, /* of all files */
};

/* A line that the profile names, with the function that it is in. */
struct named {
	str_id file;
	int64_t start, line;
};

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* Every line of a location with a file, sorted by file, function and line. */
static struct named *all_named(const struct profile *p, size_t *n)
{
	struct named *named = mem_alloc(p->n_lines, sizeof(*named));

	*n = 0;
	for (uint32_t i = 0; i < p->n_lines; i++) {
		uint32_t func = p->line_func[i];
		int64_t line = p->line_no[i], start = p->func_start[func];

		if (p->func_file[func])
			named[(*n)++] =
				(struct named){ p->func_file[func], start > 0 && start < line ? start : line, line };
	}
	qsort(named, *n, sizeof(*named), compare_named);
	return named;
}

static void add_lines(struct texts *t, const char *name, const struct source_file *f, int64_t lo, int64_t hi)
{
	size_t n = strlen(name);

	for (int64_t line = lo > 1 ? lo : 1; line <= hi && line <= f->n && t->n < ALL_LINES; line++)
		texts_add(t, name, n, line, f->line[line - 1], strlen(f->line[line - 1]));
}

/* The lines of one file that the profile names: [n]. */
static void add_file(struct texts *t, const char *name, const struct source_file *f, const struct named *named,
		     size_t n)
{
	int64_t done = 0;

	if (f->n <= WHOLE_LINES) {
		add_lines(t, name, f, 1, f->n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int64_t lo, hi;

		if (named[i].line <= 0 || named[i].line > f->n)
			continue;
		lo = named[i].start - LINES_BEFORE;
		hi = named[i].line + LINES_BEHIND;
		add_lines(t, name, f, lo > done ? lo : done + 1, hi);
		done = hi > done ? hi : done;
	}
}

void bundle_sources(struct profile *p, const struct query *q, struct buf *told)
{
	struct arena *mem = arena_new();
	struct source_files *files;
	struct symbol_where where;
	struct texts texts = { 0 };
	size_t n, end, n_files = 0, n_found = 0;
	struct named *named = all_named(p, &n);

	where_of(q, mem, &where);
	files = source_files_new(p, &where);
	for (size_t i = 0; i < n; i = end) {
		const char *name = profile_text(p, named[i].file);
		const struct source_file *f = source_files_get(files, name);

		for (end = i; end < n && named[end].file == named[i].file; end++)
			;
		n_files++;
		n_found += f->n > 0;
		add_file(&texts, name, f, &named[i], end - i);
	}
	texts_put(&texts, p);
	buf_addf(told, "bundled %" PRIu32 " lines of %zu of %zu source files\n", p->n_texts, n_found, n_files);
	texts_release(&texts);
	source_files_free(files);
	free(named);
	arena_free(mem);
}
