/*
 * binaries.c - the binaries of a profile that a report reads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/binaries.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/query.h"
#include "symbol/locate.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_OPENED = BINARY_NONE - 1 };

void binaries_init(struct binaries *b, const struct profile *p, const struct query *q, struct arena *mem)
{
	*b = (struct binaries){ .p = p, .verbose = q->verbose };
	b->of_map = arena_alloc(mem, p->n_maps, sizeof(*b->of_map));
	for (uint32_t i = 0; i < p->n_maps; i++)
		b->of_map[i] = NOT_OPENED;
	report_where(q, mem, &b->where);
}

void binaries_release(struct binaries *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		object_close(b->binary[i].o);
	free(b->binary);
}

/* Replace the start of locate_object's message, which reports missing names, since here the machine code is missing. */
static void reword(struct err *err)
{
	static const char names[] = "Local symbolization failed for ";
	const struct err original = *err;

	if (starts_with(original.msg, names))
		err_set(err, original.code, "no machine code of %s", original.msg + sizeof(names) - 1);
}

/* Append the paths that were tried to the message, which already contains the first of them. */
static void binaries_add_places(struct err *err, const struct buf *tried)
{
	const struct err original = *err;
	struct buf places = { 0 };

	for (const char *line = buf_text(tried), *end; *line; line = end + 1) {
		const char *colon = strstr(line, ": ");
		char *place;

		end = line + strcspn(line, "\n");
		place = mem_strndup(line, (size_t)((colon && colon < end ? colon : end) - line));
		if (!strstr(original.msg, place))
			buf_addf(&places, "%s%s", places.len ? ", " : "; also tried ", place);
		free(place);
		if (!*end)
			break;
	}
	err_set(err, original.code, "%s%s", original.msg, buf_text(&places));
	buf_release(&places);
}

static struct object *open_of(struct binaries *b, const struct mapping *map, struct buf *notes)
{
	struct object *o = NULL;
	struct err err = { 0 };
	struct buf tried = { 0 };

	if (!map->file && !map->build_id)
		return NULL;
	locate_object(b->p, map, &b->where, &tried, &o, &err);
	if (b->verbose)
		buf_addz(notes, buf_text(&tried));
	else if (!o)
		binaries_add_places(&err, &tried);
	buf_release(&tried);
	if (o)
		return o;
	reword(&err);
	utf8_add_safe(notes, err.msg, strlen(err.msg)); /* names of binaries may contain line breaks */
	buf_addz(notes, "\n");
	if (!*b->first_error.msg)
		b->first_error = err;
	return NULL;
}

int64_t binaries_open(struct binaries *b, uint32_t map, struct buf *notes)
{
	const struct mapping *wanted = &b->p->map[map], *known;
	uint32_t i = 0;

	assert(map < b->p->n_maps);
	if (b->of_map[map] != NOT_OPENED)
		return b->of_map[map];
	for (; i < b->n; i++) {
		known = &b->p->map[b->binary[i].map];
		if (known->file == wanted->file && known->build_id == wanted->build_id)
			break;
	}
	if (i == b->n) {
		b->binary = mem_grow(b->binary, &b->cap, (size_t)b->n + 1, sizeof(*b->binary));
		b->binary[b->n++] = (struct binary){ map, open_of(b, wanted, notes) };
	}
	b->of_map[map] = b->binary[i].o ? (int64_t)i : BINARY_NONE;
	assert(i < b->n && b->of_map[map] != NOT_OPENED);
	return b->of_map[map];
}

bool binaries_address(const struct binaries *b, uint32_t map, uint64_t addr, uint64_t *out)
{
	static const char kernel[] = "[kernel.kallsyms]";
	const struct mapping *m = &b->p->map[map];
	const char *file = profile_text(b->p, m->file);
	bool is_kernel = starts_with(file, kernel);
	const struct object_map where = { m->start, m->limit, m->offset, is_kernel ? file + sizeof(kernel) - 1 : "" };
	uint64_t base;

	assert(b->of_map[map] >= 0 && b->of_map[map] < b->n);
	if (object_base(b->binary[b->of_map[map]].o, &where, addr, &base, NULL) < 0)
		return false;
	*out = addr - base;
	return true;
}

void report_where(const struct query *q, struct arena *mem, struct symbol_options *out)
{
	symbol_options_init(out, mem);
	out->symfs = q->symfs;
	out->kallsyms = q->kallsyms;
	out->source_path = q->source_path;
	out->trim_path = q->trim_path;
	out->source_access = q->is_uploaded ? SOURCE_NAMED : q->for_page ? SOURCE_LOCAL : SOURCE_ANY;
	if (*q->tools)
		out->tools = q->tools;
	if (q->no_cache)
		out->cache = "";
	out->debuginfod &= !q->no_debuginfod;
	out->debuginfod_seconds = q->debuginfod_timeout;
	out->progress = q->waiting;
	out->stop = q->stop;
}

static unsigned report_address_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (unsigned)((c | 0x20) - 'a' + 10);
	return 16;
}

/* The base of a number, from its prefix; skip is set to the length of the prefix. */
static unsigned report_address_base_of(const char *text, size_t *skip)
{
	static const struct {
		char letter;
		unsigned base;
	} bases[] = { { 'x', 16 }, { 'b', 2 }, { 'o', 8 } };

	*skip = 0;
	if (*text != '0' || !text[1])
		return 10;
	*skip = 2;
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if ((text[1] | 0x20) == bases[i].letter)
			return bases[i].base;
	*skip = 1;
	return 8;
}

bool address_parse(const char *text, uint64_t *out)
{
	size_t i;
	unsigned base = report_address_base_of(text, &i);
	bool parted = i > 0, any = i == 1; /* is '_' allowed next? Was a digit read since the last '_'? */
	uint64_t v = 0;

	for (; text[i]; i++) {
		unsigned d = report_address_digit(text[i]);

		if (text[i] == '_' && parted) {
			parted = false;
			any = false;
			continue;
		}
		if (d >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
		parted = any = true;
	}
	if (any)
		*out = v;
	return any;
}
