/*
 * names.c - kinds of profiles and profile types of Pyroscope
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/pyroscope/names.h"

#include <stdint.h>
#include <string.h>

/* The labels __name__ of clients. The first row of a kind has the name that we use. From pyroscope-go, the scrapers of Grafana
   Alloy, godeltaprof and the clients for Node.js, Python, Ruby and .NET. */
static const struct {
	const char *name, *kind, *period_type, *period_unit;
} pyro_names[] = {
	{ "process_cpu", "cpu", "cpu", "nanoseconds" },
	{ "memory", "heap", "space", "bytes" },
	{ "goroutine", "goroutine", "goroutine", "count" },
	{ "goroutines", "goroutine", "goroutine", "count" },
	{ "mutex", "mutex", "contentions", "count" },
	{ "block", "block", "contentions", "count" },
	{ "wall", "wall", "wall", "nanoseconds" },
	{ "cpu", "cpu", "cpu", "nanoseconds" },
	{ "heap", "heap", "space", "bytes" },
	{ "godeltaprof_memory", "heap", "space", "bytes" },
	{ "godeltaprof_mutex", "mutex", "contentions", "count" },
	{ "godeltaprof_block", "block", "contentions", "count" },
	{ "fgprof", "fgprof", "wallclock", "nanoseconds" },
};
enum { N_PYRO_NAMES = sizeof(pyro_names) / sizeof(pyro_names[0]) };

const char *pyro_kind_of_name(const char *name)
{
	for (size_t i = 0; i < N_PYRO_NAMES; i++)
		if (strcmp(pyro_names[i].name, name) == 0)
			return pyro_names[i].kind;
	return NULL;
}

const char *pyro_name_at(const char *kind, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < N_PYRO_NAMES; k++)
		if (strcmp(pyro_names[k].kind, kind) == 0 && n++ == i)
			return pyro_names[k].name;
	return n == 0 && i == 0 ? kind : NULL;
}

const char *pyro_name_of_kind(const char *kind)
{
	return pyro_name_at(kind, 0);
}

struct pyro_type pyro_make_type(const char *kind, const char *type, const char *unit)
{
	struct pyro_type t = { pyro_name_of_kind(kind), type, unit, "", "" };

	for (size_t i = 0; i < N_PYRO_NAMES; i++)
		if (strcmp(pyro_names[i].name, t.name) == 0) {
			t.period_type = pyro_names[i].period_type;
			t.period_unit = pyro_names[i].period_unit;
		}
	return t;
}

void pyro_add_id(const struct pyro_type *t, struct buf *out)
{
	buf_addf(out, "%s:%s:%s:%s:%s", t->name, t->type, t->unit, t->period_type, t->period_unit);
}

int pyro_parse_id(const char *id, struct arena *mem, struct pyro_type *out, struct err *err)
{
	enum { PARTS = 5 };
	const char *part[PARTS + 1] = { 0 };
	size_t n = 0;

	for (const char *at = id;; at++) {
		size_t length = strcspn(at, ":");

		if (n <= PARTS)
			part[n] = arena_strndup(mem, at, length);
		n++;
		at += length;
		if (!*at)
			break;
	}
	if (n < PARTS || n > PARTS + 1 || (n == PARTS + 1 && strcmp(part[PARTS], "delta") != 0))
		return err_set(
			err, ERR_USAGE,
			"the profile type \"%.200s\" does not have the form NAME:TYPE:UNIT:PERIOD_TYPE:PERIOD_UNIT",
			id);
	*out = (struct pyro_type){ part[0], part[1], part[2], part[3], part[4] };
	return 0;
}
