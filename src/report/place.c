/*
 * place.c - function, file, line or address of report rows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/place.h"

#include "report/head.h"

#include <assert.h>
#include <string.h>

void row_places_init(struct row_places *r, const struct places *pl, struct arena *mem)
{
	*r = (struct row_places){ .places = pl, .mem = mem };
}

static const char *place_file_of(struct row_places *r, const struct place *k)
{
	const char *file;

	if (!k->file)
		return "";
	if (!r->file)
		r->file = arena_zalloc(r->mem, strtab_count(r->places->files), sizeof(*r->file));
	if (!r->file[k->file]) {
		file = strtab_text(r->places->files, k->file);
		r->file[k->file] = arena_strndup(r->mem, file, strlen(file));
	}
	return r->file[k->file];
}

struct row_place row_places_of(struct row_places *r, uint32_t place)
{
	const struct place *k = &r->places->place[place];
	const struct profile *p = r->places->p;

	assert(place < r->places->n);
	return (struct row_place){ .function = k->name ? report_head_text(p, k->name, r->mem) : "",
				   .file = place_file_of(r, k),
				   .binary = k->objfile ? report_head_text(p, k->objfile, r->mem) : "",
				   .line = k->line,
				   .address = k->addr };
}
