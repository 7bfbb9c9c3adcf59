/*
 * load.h - load sources and merge them into one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_LOAD_H
#define ANSWER_LOAD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct query;
struct remote;

struct load {
	const char *const *source; /* [n] */
	size_t n;
	const char *kind;      /* "source" or "base", for messages */
	const char *binary;    /* replaces the file name of the first mapping; NULL: no replacement */
	const struct query *q; /* limits, buildid, label, intersect_types */
	bool keep_sides;       /* of the new side: subtract the base as with diff_base */
	struct remote *remote; /* fetched sources; NULL: none */
	struct bytes *data;    /* [n] contents of the sources, consumed; NULL: the sources are read */
	/* Called with the number of sources read and merged, by any thread, but not concurrently. May be NULL. */
	void (*progress)(size_t done, size_t n);
	struct buf notes;   /* a line for each source that failed; the caller releases it */
	struct buf info;    /* messages about symbol names, not errors; the caller releases it */
	size_t n_failed;    /* sources that could not be read, or only in part; notes contains the reasons */
	uint32_t n_unnamed; /* addresses without a name */
	uint32_t n_named;   /* addresses whose name was found */
	bool is_partial;    /* was a part of the debug information missing? Inlined functions may be missing then */
};

/* Return true if sources may have a format of this name, even one that cpa only recognizes. */
bool load_has_format(const char *name);

/*
 * Read the sources in parallel and merge them in their order. Memory is bounded: each thread reads one profile at a
 * time, and the size of the profiles waiting to be merged is limited.
 *
 * out     owned by the caller, not shared; freed with profile_free
 * Fails   when no source could be read (err contains the reason if there is only one), or their types are
 *         incompatible; ERR_STOPPED, which is checked between sources
 * Like    pprof internal/driver/fetch.go: groups of 128 sources are merged, then their results
 */
int load_profile(struct load *l, struct profile **out, struct err *err);

#endif
