/*
 * read.h - read sources and merge them into one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_READ_H
#define SOURCES_READ_H

#include "base/buf.h"
#include "base/err.h"
#include "base/string_list.h"
#include "profile/profile.h"
#include "sources/sources.h"

#include <stdbool.h>
#include <stddef.h>

struct query;
struct remote;

/* Sources that become one profile, how they are read, and messages about them. */
struct source_set {
	const char *const *source; /* [n] names */
	struct source *from;       /* [n] how they are read; NULL: all are files */
	size_t n;
	const char *kind;      /* "source" or "base", for messages */
	const char *binary;    /* replaces the file name of the first mapping; NULL: no replacement */
	const struct query *q; /* limits, buildid, label, intersect_types */
	const struct strtab
		*sums;     /* replace stacks by sums (engine/sums.h), except those of these functions; NULL: keep all */
	bool keeps_stacks; /* no sums, although the query wants them */
	bool is_side;      /* it is merged with another set, which finds equal stacks */
	bool keep_sides;   /* of the new side: subtract the base as with diff_base */
	struct remote *remote; /* fetched sources; NULL: none */
	/* Called with the number of sources read and merged, by any thread, but not concurrently. May be NULL. */
	void (*progress)(size_t done, size_t n);
	struct buf notes;   /* a line for each source that failed; the caller releases it */
	struct buf info;    /* messages about symbol names, not errors; the caller releases it */
	size_t n_failed;    /* sources that could not be read, or only in part; notes contains the reasons */
	uint32_t n_unnamed; /* addresses without a name */
	uint32_t n_named;   /* addresses whose name was found */
	bool is_partial;    /* was a part of the debug information missing? Inlined functions may be missing then */
};

/* The set of n sources of a list, from the first one. remote: what was fetched; NULL: nothing. */
struct source_set sources_set_of(const struct sources *s, size_t first, size_t n, const char *kind,
				 const struct query *q, struct remote *remote);

/*
 * Read the sources in parallel and merge them in their order. Memory is bounded: each thread reads one profile at a
 * time, and the size of the profiles waiting to be merged is limited.
 *
 * out     owned by the caller, not shared; freed with profile_free
 * Fails   when no source could be read (err contains the reason if there is only one), or their types are
 *         incompatible; ERR_STOPPED, which is checked between sources
 * Like    pprof internal/driver/fetch.go: groups of 128 sources are merged, then their results
 */
int sources_set_read(struct source_set *l, struct profile **out, struct err *err);

/*
 * Append the sample types, label keys and names of functions of the first file that is a profile. Words that are not
 * regular files are skipped, so nothing is fetched. If no file is a profile, nothing is appended.
 *
 * types, keys, functions   each may be NULL
 */
void sources_add_names(const char *const *file, size_t n, struct string_list *types, struct string_list *keys,
		       struct string_list *functions);

#endif
