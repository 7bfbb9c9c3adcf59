/*
 * places.h - what the rows of a report can be: functions, files, lines or addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A place is what one line of a location counts for at a granularity. Equal places are one.
 */
#ifndef ENGINE_PLACES_H
#define ENGINE_PLACES_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/query.h"
#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct place {
	str_id name;   /* function, of the profile's strings */
	uint32_t file; /* place_file of it; 0 is "" */
	uint64_t addr; /* 0 unless addresses are kept */
	int64_t line, col, start;
	str_id objfile; /* binary; only where nothing else names the place */
	uint32_t label; /* function + 1 of a label's frame, when these are kept apart; else 0 */
};

struct places {
	const struct profile *p;
	struct strtab *files; /* cleaned file names */
	uint32_t n;
	struct place *place; /* [n] in order of first use by a location */
	/* Location i is place list[i] when the top bit is clear; else, without that bit, the list
	   at many[list[i]]: a count, then that many places, innermost inlined call first. Behind
	   the last of fewer than PLACES_PADDED it is repeated. */
	uint32_t *list; /* [n_locs] */
	uint32_t *many;
};

#define PLACES_MANY UINT32_C(0x80000000)
enum { PLACES_PADDED = 3 };

/*
 * Cut the locations of a profile into places.
 *
 * mem     the result lives there; places_release frees what does not
 * q       granularity, noinlines, showcolumns, by_object, keep_labels
 * Fails   ERR_LIMIT past 2^31 places; ERR_STOPPED
 * Like    pprof internal/graph CreateNodes after internal/driver aggregate, but that a source
 *         file is one place at GRAIN_FILES
 */
int places_make(const struct profile *p, const struct query *q, struct arena *mem, struct places *out, struct err *err);
void places_release(struct places *pl);

/* The places of a location, innermost first, and how many. */
static inline const uint32_t *places_of(const struct places *pl, uint32_t loc, uint32_t *n)
{
	const uint32_t *places = &pl->list[loc];

	*n = 1;
	if (*places < PLACES_MANY)
		return places;
	places = &pl->many[*places - PLACES_MANY];
	*n = *places;
	return places + 1;
}

/* Append the name of a place as reports print it. Like pprof internal/graph PrintableName. */
void places_add_name(const struct places *pl, uint32_t place, struct buf *out);

/* The source file of a function as the question wants it, not yet cleaned; borrowed.
   Like pprof internal/report newGraph. */
const char *places_source(const struct profile *p, str_id file, const struct query *q);

const char *places_file(const struct places *pl, uint32_t place);

#endif
