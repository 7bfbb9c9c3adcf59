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

	/* recordings of Java (formats/jfr) */
	{ "itimer", TEMPORALITY_DELTA, { "cpu" } },
	{ "ctimer", TEMPORALITY_DELTA, { "cpu" } },
	{ "wall_ns", TEMPORALITY_DELTA, { "wall" } },
	{ "cpu_ns", TEMPORALITY_DELTA, { "cpu" } },
	{ "cpu_time", TEMPORALITY_DELTA, { "cpu" } },
	{ "live", TEMPORALITY_GAUGE, { "heap" } },
	{ "live_objects", TEMPORALITY_GAUGE, { "heap" } },
	{ "alloc", TEMPORALITY_DELTA, { "heap" } },
	{ "alloc_samples", TEMPORALITY_DELTA, { "heap" } },
	{ "alloc_in_new_tlab_bytes", TEMPORALITY_DELTA, { "heap" } },
	{ "alloc_in_new_tlab_objects", TEMPORALITY_DELTA, { "heap" } },
	{ "alloc_outside_tlab_bytes", TEMPORALITY_DELTA, { "heap" } },
	{ "alloc_outside_tlab_objects", TEMPORALITY_DELTA, { "heap" } },
	{ "malloc", TEMPORALITY_DELTA, { "malloc" } },
	{ "malloc_calls", TEMPORALITY_DELTA, { "malloc" } },
	{ "leak", TEMPORALITY_DELTA, { "malloc" } },
	{ "leak_calls", TEMPORALITY_DELTA, { "malloc" } },
	{ "sleep", TEMPORALITY_DELTA, { "sleep" } },
	{ "sleeps", TEMPORALITY_DELTA, { "sleep" } },
	{ "io", TEMPORALITY_DELTA, { "io" } },
	{ "io_calls", TEMPORALITY_DELTA, { "io" } },

	/* Datadog's libraries for Python, Ruby, PHP, .NET, C++ */
	{ "cpu-time", TEMPORALITY_DELTA, { "cpu" } },
	{ "cpu-samples", TEMPORALITY_DELTA, { "cpu" } },
	{ "cpu-sample", TEMPORALITY_DELTA, { "cpu" } },
	{ "wall-time", TEMPORALITY_DELTA, { "wall" } },
	{ "wall-samples", TEMPORALITY_DELTA, { "wall" } },
	{ "heap-space", TEMPORALITY_GAUGE, { "heap" } },
	{ "heap-live-size", TEMPORALITY_GAUGE, { "heap" } },
	{ "heap-live-samples", TEMPORALITY_GAUGE, { "heap" } },
	{ "inuse-space", TEMPORALITY_GAUGE, { "heap" } },
	{ "inuse-objects", TEMPORALITY_GAUGE, { "heap" } },
	{ "alloc-space", TEMPORALITY_DELTA, { "heap" } },
	{ "alloc-size", TEMPORALITY_DELTA, { "heap" } },
	{ "alloc-samples", TEMPORALITY_DELTA, { "heap" } },
	{ "alloc-samples-unscaled", TEMPORALITY_DELTA, { "heap" } },

	/* Coroot's agent */
	{ "ebpf:cpu:nanoseconds", TEMPORALITY_DELTA, { "cpu" } },
	{ "java:cpu:nanoseconds", TEMPORALITY_DELTA, { "cpu" } },
	{ "java:heap_alloc_objects:count", TEMPORALITY_DELTA, { "heap" } },
	{ "java:heap_alloc_space:bytes", TEMPORALITY_DELTA, { "heap" } },
	{ "java:lock_contentions:count", TEMPORALITY_DELTA, { "mutex" } },
	{ "java:lock_delay:nanoseconds", TEMPORALITY_DELTA, { "mutex" } },
	{ "go_runtime:heap_alloc_objects:count", TEMPORALITY_DELTA, { "heap" } },
	{ "go_runtime:heap_alloc_space:bytes", TEMPORALITY_DELTA, { "heap" } },
	{ "go_runtime:heap_inuse_objects:count", TEMPORALITY_GAUGE, { "heap" } },
	{ "go_runtime:heap_inuse_space:bytes", TEMPORALITY_GAUGE, { "heap" } },
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

const char *profile_kind_of_type(const char *type)
{
	size_t at = temporality_find_type(type);

	return at < N_KNOWN ? known_types[at].kind[0] : NULL;
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
