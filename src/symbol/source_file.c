/*
 * source_file.c - source files: found, read, cut into lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/source_file.h"

#include "base/buf.h"
#include "base/idtab.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/text.h"
#include "symbol/source_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What all files of a report may hold together, and one line of one; more is cut off. */
enum { ALL_MAX = 1 << 30, LINE_MAX_BYTES = 64 << 10 };

struct source_files {
	struct source_search search;
	struct strtab *names; /* file i has id i + 1 */
	struct source_file **file;
	size_t n, cap;
	size_t read; /* bytes so far */
	struct arena *mem;
};

struct source_files *source_files_new(const struct profile *p, const struct symbol_where *w)
{
	struct source_files *s = mem_zalloc(1, sizeof(*s));

	(void)p;
	s->mem = arena_new();
	s->names = strtab_new();
	source_search_init(&s->search, w);
	return s;
}

void source_files_free(struct source_files *s)
{
	if (!s)
		return;
	source_search_release(&s->search);
	strtab_free(s->names);
	arena_free(s->mem);
	free(s->file);
	free(s);
}

/* One line, without its end. What is no text for a C string, or too long, is copied. */
static const char *make_line(char *line, size_t n, struct arena *mem)
{
	struct buf safe = { 0 };
	const char *out;

	if (n > 0 && line[n - 1] == '\r')
		n--;
	line[n] = 0;
	if (n <= LINE_MAX_BYTES && strlen(line) == n)
		return line;
	for (size_t i = 0, end = n < LINE_MAX_BYTES ? n : LINE_MAX_BYTES; i < end; i++)
		if (line[i])
			buf_add(&safe, line + i, 1);
		else
			buf_addz(&safe, "\\x00");
	if (n > LINE_MAX_BYTES)
		buf_addz(&safe, " ...");
	out = arena_strndup(mem, buf_text(&safe), safe.len);
	buf_release(&safe);
	return out;
}

/* Cut n bytes, with room for one more behind them, into lines. */
static void cut_lines(struct source_file *f, char *text, size_t n, struct arena *mem)
{
	const char **line = NULL;
	size_t cap = 0;

	for (size_t at = 0; at < n;) {
		char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;

		line = mem_grow(line, &cap, (size_t)f->n + 1, sizeof(*line));
		line[f->n++] = make_line(text + at, len, mem);
		at += len + 1;
	}
	f->line = arena_own(mem, line);
}

static const char *keep(struct source_files *s, struct buf *b)
{
	const char *text = arena_strndup(s->mem, buf_text(b), b->len);

	buf_release(b);
	return text;
}

static void read_file(struct source_files *s, const struct source_seek *k, struct source_file *f)
{
	struct buf why = { 0 };
	struct bytes text;
	struct err err;

	if (io_read_fd(k->fd, SOURCE_MAX, "nothing", &text, &err) < 0) {
		buf_addf(&why, "read %s: %s", k->found.data, err.code == ERR_LIMIT ? "is over 64 MiB" : err.msg);
	} else if (s->read + text.n > ALL_MAX) {
		free(text.data);
		buf_addf(&why, "read %s: source files of more than 1 GiB", k->found.data);
	} else {
		s->read += text.n;
		text.data = mem_trim(text.data, text.n + 1, 1);
		arena_own(s->mem, text.data);
		f->path = arena_strndup(s->mem, k->found.data, k->found.len);
		cut_lines(f, (char *)text.data, text.n, s->mem);
	}
	f->why = keep(s, &why);
}

static void tell_tried(struct source_files *s, const struct source_seek *k, struct source_file *f)
{
	struct buf why = { 0 }, tried = { 0 };

	source_seek_why(k, &why);
	for (unsigned i = 0; i < k->n_tried; i++)
		buf_addf(&tried, "%s%s%s%s\n", k->tried[i].path, k->tried[i].why ? " (" : "",
			 k->tried[i].why ? k->tried[i].why : "", k->tried[i].why ? ")" : "");
	f->why = keep(s, &why);
	f->tried = keep(s, &tried);
}

static struct source_file *look_for(struct source_files *s, const char *file)
{
	struct source_file *f = arena_zalloc(s->mem, 1, sizeof(*f));
	struct source_seek k;

	f->path = f->why = f->tried = "";
	if (source_seek(&s->search, file, &k)) {
		read_file(s, &k, f);
		close(k.fd);
	} else {
		tell_tried(s, &k, f);
	}
	source_seek_release(&k);
	return f;
}

const struct source_file *source_files_get(struct source_files *s, const char *file)
{
	uint32_t known = strtab_count(s->names), id = strtab_addz(s->names, *file ? file : "/");

	if (id < known)
		return s->file[id - 1];
	s->file = mem_grow(s->file, &s->cap, s->n + 1, sizeof(*s->file));
	s->file[s->n] = look_for(s, file);
	return s->file[s->n++];
}
