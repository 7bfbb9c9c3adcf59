/*
 * places.h - places, the rows of a report: functions, files, lines or addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A place is a line of a location, reduced to the granularity of the report. Equal places have one number.
 */
#ifndef ENGINE_PLACES_H
#define ENGINE_PLACES_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/view.h"
#include "profile/profile.h"

#include <stdint.h>

struct query_filter;

struct place {
	str_id name;     /* name of the function, a string of the profile */
	uint32_t file;   /* id of its cleaned name in places.files; 0 is "" */
	uint32_t detail; /* index into places.detail */
};

/* The fields that most granularities do not keep; these are 0. */
struct place_detail {
	uint64_t addr; /* 0 unless by address */
	int64_t line, col, start;
	str_id objfile; /* binary, only set if the place has no other name */
	uint32_t label; /* with keep_labels, function + 1 of the frame of a label; else 0 */
};

struct places {
	const struct profile *p;
	struct strtab *files; /* cleaned file names */
	uint32_t n;
	struct place *place;         /* [n] places in order of first use by a location */
	struct place_detail *detail; /* the first one is all 0; named functions have it in a report by function */
	/* If the top bit of list[i] is clear, it is the only place of location i. Otherwise the rest is an index into
	   many: a count, then the places, innermost inlined call first. If there are fewer than PLACES_PADDED places,
	   the last one is repeated. */
	uint32_t *list; /* [n_locs] */
	uint32_t *many; /* [n_many] */
	uint32_t n_many;
	const char *
		*name; /* [n] printed names of functions of a comparison, or NULL for that of the place; may be NULL */
};

#define PLACES_MANY UINT32_C(0x80000000)
enum { PLACES_PADDED = 3 };

/*
 * Find the places of the locations of a profile.
 *
 * mem     owns most of the result; places_release frees the rest
 * q       granularity, noinlines, showcolumns, by_object, keep_labels
 * Fails   ERR_LIMIT past 2^31 places; ERR_STOPPED
 * Like    pprof internal/graph CreateNodes after internal/driver aggregate, except that a source file is one place at
 *         GRAIN_FILES
 */
int places_make(const struct profile *p, const struct query_filter *q, struct arena *mem, struct places *out,
		struct err *err);
void places_release(struct places *pl);

/* The n places of a location, innermost first. */
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

static inline const struct place_detail *places_detail(const struct places *pl, uint32_t place)
{
	return &pl->detail[pl->place[place].detail];
}

/* A number for each location that has several places, below places_n_several. */
static inline uint32_t places_several(uint32_t code)
{
	return (code - PLACES_MANY) / (1 + PLACES_PADDED);
}

static inline uint32_t places_n_several(const struct places *pl)
{
	return pl->n_many / (1 + PLACES_PADDED) + 1;
}

/* Replace the place of every location by its number; place and n stay. */
void places_renumber(struct places *pl, const uint32_t *number);

/* Append the name of a place as printed in reports. Like pprof internal/graph PrintableName. */
void places_add_name(const struct places *pl, uint32_t place, struct buf *out);

/* The source file of a function according to the query, not yet cleaned; borrowed. Like pprof internal/report
   newGraph. */
const char *places_source(const struct profile *p, str_id file, const struct query_filter *q);

const char *places_file(const struct places *pl, uint32_t place);

/*
 * Find the places of a view. If it has samples with BASE_LABEL, functions of the two sides are the same by the rules of
 * engine/match.h, as in a diff of the two profiles; places then have the names of the match, with the file where
 * functions share a name. Frames of labels, and addresses, are not joined.
 *
 * A function without a file that a build has once, and the other build beside several functions of its name, is that
 * of the new side on both sides, because both sides use one location.
 *
 * Fails   as places_make and match_places
 */
int places_join(const struct view *v, const struct query_filter *q, struct arena *mem, struct places *out,
		struct err *err);

#endif
