/*
 * bundle.c - add to a profile the source lines that its reports need
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile may name any file, and a bundle is made to be sent to others. So only files with the name of a source
 * file are opened, which excludes /etc/passwd and ~/.ssh/id_rsa.
 */
#include "config.h"

#include "sources/bundle.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "profile/source.h"
#include "report/binaries.h"
#include "symbol/source/source_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	WHOLE_LINES = 10000,  /* files up to this length are added whole */
	LINES_BEFORE = 50,    /* in longer files: lines added before a function */
	LINES_AFTER = 200,    /* in longer files: lines added after a line of the profile */
	ALL_LINES = 10000000, /* max lines of all files together */
	OMITTED_SHOWN = 3,    /* omitted files that the message names */
};

/* A line in the profile, with its function. */
struct bundle_named {
	str_id file;
	int64_t start, line;
};

static int compare_named(const void *left, const void *right)
{
	const struct bundle_named *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* All lines of locations that have a file, sorted by file, function and line. */
static struct bundle_named *bundle_find_lines(const struct profile *p, size_t *n)
{
	struct bundle_named *named = mem_alloc(p->n_lines, sizeof(*named));

	*n = 0;
	for (uint32_t i = 0; i < p->n_lines; i++) {
		uint32_t func = p->line_func[i];
		int64_t line = p->line_no[i], start = p->func_start[func];

		if (p->func_file[func])
			named[(*n)++] = (struct bundle_named){ p->func_file[func],
							       start > 0 && start < line ? start : line, line };
	}
	qsort(named, *n, sizeof(*named), compare_named);
	return named;
}

/* Is this a header without a suffix, such as those of the C++ library? */
static bool is_plain_header(const char *path)
{
	const char *folder = strstr(path, "/include/"), *base = strrchr(path, '/');

	return folder && !strchr(base, '.');
}

/* Does the file have the name of a source file? */
static bool has_source_name(const char *name)
{
	struct buf clean = { 0 };
	bool yes;

	path_add_clean(&clean, name);
	yes = profile_source_suffix(buf_text(&clean)) || is_plain_header(buf_text(&clean));
	buf_release(&clean);
	return yes;
}

static void bundle_add_lines(struct profile_source *t, const char *name, const struct source_file *f, int64_t lo,
			     int64_t hi)
{
	size_t n = strlen(name);

	for (int64_t line = lo > 1 ? lo : 1; line <= hi && line <= f->n && t->n < ALL_LINES; line++)
		profile_source_add(t, name, n, line, f->line[line - 1], strlen(f->line[line - 1]));
}

/* Add the lines near the n lines of a file that the profile refers to. */
static void bundle_add_file(struct profile_source *t, const char *name, const struct source_file *f,
			    const struct bundle_named *named, size_t n)
{
	int64_t done = 0;

	if (f->n <= WHOLE_LINES) {
		bundle_add_lines(t, name, f, 1, f->n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int64_t lo, hi;

		if (named[i].line <= 0 || named[i].line > f->n)
			continue;
		lo = named[i].start - LINES_BEFORE;
		hi = named[i].line + LINES_AFTER;
		bundle_add_lines(t, name, f, lo > done ? lo : done + 1, hi);
		done = hi > done ? hi : done;
	}
}

/* Source lines found so far, and counts for the message. */
struct bundler {
	struct source_files *files;
	struct profile_source texts;
	size_t n_files, n_found, n_omitted;
	struct buf omitted; /* names of the first omitted files, separated by commas */
};

static void omit(struct bundler *b, const char *name)
{
	if (b->n_omitted++ >= OMITTED_SHOWN)
		return;
	if (b->omitted.len)
		buf_addz(&b->omitted, ", ");
	utf8_add_safe(&b->omitted, name, strlen(name));
}

/* Add a source file to which n lines of the profile refer. */
static void add_source_file(struct bundler *b, const char *name, const struct bundle_named *named, size_t n)
{
	const struct source_file *f;

	if (!has_source_name(name)) {
		omit(b, name);
		return;
	}
	f = source_files_get(b->files, name);
	if (f->n && !has_source_name(f->path)) { /* the search path may have led to another file */
		omit(b, name);
		return;
	}
	b->n_files++;
	b->n_found += f->n > 0;
	bundle_add_file(&b->texts, name, f, named, n);
}

static void bundle_add_summary(const struct bundler *b, uint32_t n_lines, struct buf *notes)
{
	buf_addz(notes, "bundled ");
	unit_add_count(notes, n_lines);
	buf_addf(notes, " lines of %zu of %zu source file%s; anyone who receives the bundle can read them\n",
		 b->n_found, b->n_files, b->n_files == 1 ? "" : "s");
	if (b->n_omitted)
		buf_addf(notes, "omitted %zu file%s whose name is not that of a source file: %s%s\n", b->n_omitted,
			 b->n_omitted == 1 ? "" : "s", buf_text(&b->omitted),
			 b->n_omitted > OMITTED_SHOWN ? ", ..." : "");
}

void bundle_sources(struct profile *p, const struct query *q, struct buf *notes)
{
	struct arena *mem = arena_new();
	struct bundler b = { 0 };
	struct symbol_options where;
	size_t n, end;
	struct bundle_named *named = bundle_find_lines(p, &n);

	report_where(q, mem, &where);
	b.files = source_files_new(p, &where);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && named[end].file == named[i].file; end++)
			;
		add_source_file(&b, profile_text(p, named[i].file), &named[i], end - i);
	}
	profile_source_store(&b.texts, p);
	bundle_add_summary(&b, p->n_source_lines, notes);
	buf_release(&b.omitted);
	profile_source_release(&b.texts);
	source_files_free(b.files);
	free(named);
	arena_free(mem);
}
