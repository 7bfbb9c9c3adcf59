/*
 * bundle.c - the source lines that reports of a profile need, put into it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile may name any file, and a bundle is made to be given away, so a file has to be called as
 * source code is before it is even opened: /etc/passwd and ~/.ssh/id_rsa are not.
 */
#include "config.h"

#include "answer/bundle.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
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
	LEFT_OUT_SHOWN = 3,   /* files */
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

/* What the names of source code end in, in the languages that compilers and interpreters of profiles are for. */
static const char *const suffixes[] = {
	"C",   "F",     "F90", "H",     "S",    "adb", "ads", "asm", "c",    "c++",  "cc",  "cl",  "clj",
	"cpp", "cppm",  "cr",  "cs",    "cu",   "cuh", "cxx", "d",   "dart", "def",  "di",  "erl", "ex",
	"f",   "f90",   "for", "fs",    "go",   "h",   "h++", "hh",  "hpp",  "hrl",  "hs",  "hxx", "i",
	"inc", "inl",   "ipp", "ixx",   "java", "jl",  "js",  "jsx", "kt",   "l",    "lua", "m",   "mjs",
	"ml",  "mli",   "mm",  "nim",   "pas",  "php", "pl",  "pm",  "py",   "pyx",  "r",   "rb",  "rs",
	"s",   "scala", "sx",  "swift", "tcc",  "tpp", "ts",  "tsx", "v",    "vala", "y",   "zig",
};

/* Is this a header without a suffix, as those of the C++ library are? */
static bool is_plain_header(const char *path)
{
	const char *folder = strstr(path, "/include/"), *base = strrchr(path, '/');

	return folder && !strchr(base, '.');
}

/* Is a file called as source code is? */
static bool is_called_source(const char *name)
{
	struct buf clean = { 0 };
	const char *dot;
	bool yes = false;

	path_add_clean(&clean, name);
	dot = strrchr(path_base(buf_text(&clean)), '.');
	for (size_t i = 0; !yes && dot && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		yes = strcmp(dot + 1, suffixes[i]) == 0;
	yes |= is_plain_header(buf_text(&clean));
	buf_release(&clean);
	return yes;
}

static void add_lines(struct profile_texts *t, const char *name, const struct source_file *f, int64_t lo, int64_t hi)
{
	size_t n = strlen(name);

	for (int64_t line = lo > 1 ? lo : 1; line <= hi && line <= f->n && t->n < ALL_LINES; line++)
		profile_texts_add(t, name, n, line, f->line[line - 1], strlen(f->line[line - 1]));
}

/* The lines of one file that the profile names: [n]. */
static void add_file(struct profile_texts *t, const char *name, const struct source_file *f, const struct named *named,
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

/* What is bundled of the files of a profile, and what of it is told. */
struct bundling {
	struct source_files *files;
	struct profile_texts texts;
	size_t n_files, n_found, n_left_out;
	struct buf left_out; /* the first of them, parted by commas */
};

static void leave_out(struct bundling *b, const char *name)
{
	if (b->n_left_out++ >= LEFT_OUT_SHOWN)
		return;
	if (b->left_out.len)
		buf_addz(&b->left_out, ", ");
	utf8_add_safe(&b->left_out, name, strlen(name));
}

/* One file, of which the profile names [n] lines. */
static void take_file(struct bundling *b, const char *name, const struct named *named, size_t n)
{
	const struct source_file *f;

	if (!is_called_source(name)) {
		leave_out(b, name);
		return;
	}
	f = source_files_get(b->files, name);
	if (f->n && !is_called_source(f->path)) { /* a folder to search may have made another one of it */
		leave_out(b, name);
		return;
	}
	b->n_files++;
	b->n_found += f->n > 0;
	add_file(&b->texts, name, f, named, n);
}

static void tell(const struct bundling *b, uint32_t n_lines, struct buf *told)
{
	buf_addf(told, "bundled %" PRIu32 " lines of %zu of %zu source file%s: whoever gets the bundle can read them\n",
		 n_lines, b->n_found, b->n_files, b->n_files == 1 ? "" : "s");
	if (b->n_left_out)
		buf_addf(told, "left out %zu file%s not called as source code is: %s%s\n", b->n_left_out,
			 b->n_left_out == 1 ? "" : "s", buf_text(&b->left_out),
			 b->n_left_out > LEFT_OUT_SHOWN ? ", ..." : "");
}

void bundle_sources(struct profile *p, const struct query *q, struct buf *told)
{
	struct arena *mem = arena_new();
	struct bundling b = { 0 };
	struct symbol_where where;
	size_t n, end;
	struct named *named = all_named(p, &n);

	report_where(q, mem, &where);
	b.files = source_files_new(p, &where);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && named[end].file == named[i].file; end++)
			;
		take_file(&b, profile_text(p, named[i].file), &named[i], end - i);
	}
	profile_texts_put(&b.texts, p);
	tell(&b, p->n_texts, told);
	buf_release(&b.left_out);
	profile_texts_release(&b.texts);
	source_files_free(b.files);
	free(named);
	arena_free(mem);
}
