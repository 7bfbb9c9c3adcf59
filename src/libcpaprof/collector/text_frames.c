/*
 * text_frames.c - the frames of a stack below each other
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Columns are aligned as Go's text/tabwriter does with tabs: a column is as wide as its widest cell and
 * a blank, up to the next multiple of 8, within lines that follow each other and all have it.
 */
#include "config.h"

#include "libcpaprof/collector/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INLINED_MOST = 64, LINES_MAX = 1 << 16, CHARS_MAX = 1 << 24, TAB = 8, NAME_MAX_LEN = 4096 };

/* A frame: its cells in text.chars, address, function with offset, place. n of function 0: no name. */
struct line {
	uint32_t at, n[3];
	uint32_t n_function; /* without the offset */
	uint64_t offset;     /* into the function; without one, into the file */
};

static uint32_t keep(struct text *t, const char *s, size_t n)
{
	char *to;

	n = n < NAME_MAX_LEN ? n : NAME_MAX_LEN;
	to = vec_room(&t->chars, n, 1, CHARS_MAX);
	if (!to) {
		t->error = t->error ? t->error : -ENOMEM;
		return 0;
	}
	for (size_t i = 0, size; i < n; i += size ? size : 1) {
		size = snap_text_shown(s + i, n - i);
		if (size)
			memcpy(to + i, s + i, size);
		else
			to[i] = '?';
	}
	t->chars.n += n;
	return (uint32_t)n;
}

/* Where a frame is: its file, else the object that it is in. */
static uint32_t keep_place(struct text *t, uint32_t map, const char *file, uint64_t line)
{
	const struct maps *maps = &t->s->p->maps;
	uint32_t n = 0;
	char number[32];

	if (file && *file) {
		n = keep(t, file, strlen(file));
	} else if (map && map <= maps->map.n) {
		const struct map *m = (const struct map *)maps->map.data + map - 1;

		n = keep(t, (const char *)maps->texts.data + m->path, m->n_path);
	} else {
		n = keep(t, "??", 2);
	}
	snprintf(number, sizeof(number), ":%" PRIu64, line);
	return n + keep(t, number, strlen(number));
}

/* name    NULL: not known */
static void add_line(struct text *t, uint64_t addr, uint32_t map, const struct snap_name *name)
{
	const struct map *m = map ? (const struct map *)t->s->p->maps.map.data + map - 1 : NULL;
	struct line *l = vec_room(&t->line, 1, sizeof(*l), LINES_MAX);
	char number[32];

	if (!l) {
		t->error = t->error ? t->error : -ENOMEM;
		return;
	}
	*l = (struct line){ .at = (uint32_t)t->chars.n };
	l->offset = name ? name->offset : m ? addr - m->start + m->offset : 0;
	snprintf(number, sizeof(number), "0x%" PRIx64, addr);
	l->n[0] = keep(t, number, strlen(number));
	if (name) {
		l->n_function = l->n[1] = keep(t, name->function, strlen(name->function));
		snprintf(number, sizeof(number), "+0x%" PRIx64, name->offset);
		l->n[1] += keep(t, number, strlen(number));
	}
	l->n[2] = keep_place(t, map, name ? name->file : NULL, name ? name->line : 0);
	t->line.n++;
}

/* The lines of one location: one per function at it. */
static void add_lines(struct text *t, uint32_t id)
{
	const struct table_loc *loc = (const struct table_loc *)t->s->p->table.loc.data + id;
	struct snap_name name = { 0 };
	uint32_t i = 0;

	if (id < N_PLACES) {
		name.function = table_place_name[id];
		add_line(t, 0, 0, &name);
		return;
	}
	while (t->names && i < INLINED_MOST && t->names(t->names_arg, t->s->p, loc->addr, loc->map, i, &name) &&
	       name.function) {
		add_line(t, loc->addr, loc->map, &name);
		i++;
	}
	if (i == 0)
		add_line(t, loc->addr, loc->map, NULL);
}

/* Characters, not bytes. */
static uint32_t width_of(const char *s, uint32_t n)
{
	uint32_t width = 0;

	for (uint32_t i = 0; i < n; i++)
		width += ((unsigned char)s[i] & 0xc0) != 0x80;
	return width;
}

/* A cell, and tabs up to the next column. */
static void put_cell(struct text *t, const char *s, uint32_t n, uint32_t column)
{
	uint32_t width = width_of(s, n), to = (column + 1 + TAB - 1) / TAB * TAB;

	snap_text_put(t, s, n);
	for (; width < to; width = width / TAB * TAB + TAB)
		snap_text_put(t, "\t", 1);
}

/* Lines [lo, hi), which all have names. */
static void put_run(struct text *t, const struct line *lo, const struct line *hi)
{
	const char *chars = t->chars.data;
	uint32_t wide[2] = { 0 };

	for (const struct line *l = lo; l < hi; l++) {
		uint32_t addr = width_of(chars + l->at, l->n[0]), name = width_of(chars + l->at + l->n[0], l->n[1]);

		wide[0] = addr > wide[0] ? addr : wide[0];
		wide[1] = name > wide[1] ? name : wide[1];
	}
	for (const struct line *l = lo; l < hi; l++) {
		snap_text_put(t, "#\t", 2);
		put_cell(t, chars + l->at, l->n[0], wide[0]);
		put_cell(t, chars + l->at + l->n[0], l->n[1], wide[1]);
		snap_text_put(t, chars + l->at + l->n[0] + l->n[1], l->n[2]);
		snap_text_put(t, "\n", 1);
	}
}

void snap_text_frames(struct text *t, const struct snap_row *r)
{
	const uint32_t *frames = t->s->p->table.frames.data;
	const struct line *line;
	size_t to = 0;

	t->line.n = t->chars.n = 0;
	for (uint32_t i = 0; i < r->n; i++)
		add_lines(t, frames[r->at + i]);
	line = t->line.data;
	while (to < t->line.n) {
		size_t from = to;

		while (to < t->line.n && line[to].n[1])
			to++;
		put_run(t, line + from, line + to);
		for (; to < t->line.n && !line[to].n[1]; to++) {
			snap_text_put(t, "#\t", 2);
			snap_text_put(t, (const char *)t->chars.data + line[to].at, line[to].n[0]);
			snap_text_put(t, "\n", 1);
		}
	}
	snap_text_put(t, "\n", 1);
}

/* A frame as of a goroutine. Offsets there are of return addresses, one more. */
static void put_call(struct text *t, const char *before, const struct line *l)
{
	const char *s = (const char *)t->chars.data + l->at;

	snap_text_put(t, before, strlen(before));
	snap_text_put(t, l->n[1] ? s + l->n[0] : s, l->n[1] ? l->n_function : l->n[0]);
	snap_text_add(t, "%s\n\t", *before ? "" : "(...)");
	snap_text_put(t, s + l->n[0] + l->n[1], l->n[2]);
	snap_text_add(t, " +0x%" PRIx64 "\n", l->offset + 1);
}

void snap_text_calls(struct text *t, const char *before, uint32_t at, uint32_t n, uint32_t most)
{
	const uint32_t *frames = t->s->p->table.frames.data;

	for (uint32_t i = 0; i < n && most; i++) {
		t->line.n = t->chars.n = 0;
		add_lines(t, frames[at + i]);
		for (uint32_t k = 0; k < t->line.n && most; k++, most--)
			put_call(t, before, (const struct line *)t->line.data + k);
	}
}

void snap_text_release_frames(struct text *t)
{
	vec_release(&t->line, sizeof(struct line));
	vec_release(&t->chars, 1);
}
