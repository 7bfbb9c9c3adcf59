/*
 * temporality.c - the meaning of values over time, and the kinds of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/temporality.h"

#include "base/buf.h"

#include <stddef.h>
#include <string.h>

enum { KINDS_MAX = 3, TYPES_SHOWN = 8 };

/*
 * Known sample types, the most significant first: the kind of a profile is the first kind of its first type in this
 * order. kind: all kinds of profiles that can have the type.
 */
static const struct known_type {
	const char *type;
	enum temporality temporality;
	const char *kind[KINDS_MAX];
} known_types[] = {
	{ "inuse_space", TEMPORALITY_GAUGE, { "heap", "allocs" } },
	{ "inuse_objects", TEMPORALITY_GAUGE, { "heap", "allocs" } },
	{ "alloc_space", TEMPORALITY_CUMULATIVE, { "heap", "allocs" } },
	{ "alloc_objects", TEMPORALITY_CUMULATIVE, { "heap", "allocs" } },
	{ "space", TEMPORALITY_GAUGE, { "heap", "allocs" } },
	{ "objects", TEMPORALITY_GAUGE, { "heap", "allocs" } },
	{ "contentions", TEMPORALITY_CUMULATIVE, { "mutex", "block" } },
	{ "delay", TEMPORALITY_CUMULATIVE, { "mutex", "block" } },
	{ "goroutine", TEMPORALITY_GAUGE, { "goroutine", "threads" } },
	{ "goroutines", TEMPORALITY_GAUGE, { "goroutine", "threads" } },
	{ "goroutineleak", TEMPORALITY_GAUGE, { "goroutineleak" } },
	{ "threads", TEMPORALITY_GAUGE, { "threads", "goroutine" } },
	{ "thread", TEMPORALITY_GAUGE, { "threads", "goroutine" } },
	{ "threadcreate", TEMPORALITY_GAUGE, { "threadcreate" } },
	{ "wall", TEMPORALITY_DELTA, { "wall", "cpu" } },
	{ "cpu", TEMPORALITY_DELTA, { "cpu", "wall" } },
	{ "time", TEMPORALITY_DELTA, { "fgprof" } },
	{ "samples", TEMPORALITY_DELTA, { "cpu", "wall", "fgprof" } },
	{ "sample", TEMPORALITY_DELTA, { "cpu", "wall", "fgprof" } },
};

enum { N_KNOWN = sizeof(known_types) / sizeof(known_types[0]) };

static const char *type_name(const struct profile *p, uint32_t t)
{
	return profile_text(p, p->type[t].name);
}

/* Index of a type in the table; N_KNOWN if it is not there. */
static size_t temporality_find_type(const char *name)
{
	size_t i = 0;

	while (i < N_KNOWN && strcmp(known_types[i].type, name) != 0)
		i++;
	return i;
}

static bool has_kind(const struct known_type *type, const char *kind)
{
	for (size_t i = 0; i < KINDS_MAX && type->kind[i]; i++)
		if (strcmp(type->kind[i], kind) == 0)
			return true;
	return false;
}

enum temporality profile_temporality(const struct profile *p, uint32_t t)
{
	size_t at = temporality_find_type(type_name(p, t));

	if (at == N_KNOWN)
		return TEMPORALITY_DELTA;
	/* only the difference of two cumulative profiles has a duration */
	if (known_types[at].temporality == TEMPORALITY_CUMULATIVE && p->meta.duration_ns > 0)
		return TEMPORALITY_DELTA;
	return known_types[at].temporality;
}

/* Index of the most significant type in the table; N_KNOWN if none is there. A recording of Java with CPU time and all else
   has cpu as default type. */
static size_t find_first_type(const struct profile *p)
{
	static const char cpu[] = "cpu";
	size_t first = N_KNOWN;

	if (strcmp(profile_text(p, p->meta.default_type), cpu) == 0)
		return temporality_find_type(cpu);
	for (uint32_t t = 0; t < p->n_types; t++) {
		size_t at = temporality_find_type(type_name(p, t));

		first = at < first ? at : first;
	}
	return first;
}

bool profile_kind_is_unsure(const struct profile *p)
{
	size_t first = find_first_type(p);

	return first < N_KNOWN && has_kind(&known_types[first], "block");
}

const char *profile_kind(const struct profile *p)
{
	size_t first = find_first_type(p);

	if (first == N_KNOWN)
		return p->n_types ? type_name(p, p->n_types - 1) : "";
	if (has_kind(&known_types[first], "allocs") &&
	    strcmp(profile_text(p, p->meta.default_type), "alloc_space") == 0)
		return "allocs";
	return known_types[first].kind[0];
}

int profile_check_kind(const struct profile *p, const char *kind, struct err *err)
{
	struct buf types = { 0 };
	bool is_known = false;
	int rc;

	for (size_t i = 0; i < N_KNOWN; i++)
		is_known |= has_kind(&known_types[i], kind);
	if (!is_known)
		return 0;
	for (uint32_t t = 0; t < p->n_types; t++) {
		size_t at = temporality_find_type(type_name(p, t));

		if (at < N_KNOWN && has_kind(&known_types[at], kind))
			return 0;
		if (t < TYPES_SHOWN)
			buf_addf(&types, "%s%.64s", t ? ", " : "", type_name(p, t));
	}
	rc = err_set(err, ERR_FORMAT, "another kind of profile, with sample types: %s",
		     types.len ? buf_text(&types) : "none");
	buf_release(&types);
	return rc;
}
