/*
 * load.h - from sources to one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_LOAD_H
#define ANSWER_LOAD_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "profile/profile.h"

#include <stddef.h>

struct remote;

struct load {
	const char *const *source; /* [n] */
	size_t n;
	const char *kind;      /* "source" or "base", for messages */
	const char *binary;    /* file name for the first mapping; NULL keeps the profiles' own */
	const struct query *q; /* limits, buildid, label, intersect_types */
	struct remote *remote; /* what was fetched of the sources; NULL for nothing */
	/* NULL or told how many sources have been read and added; by any thread, but not by two at once */
	void (*progress)(size_t done, size_t n);
	struct buf notes;    /* lines for the user, one per source that failed; caller releases */
	struct buf told;     /* lines about names, which are nothing wrong; caller releases */
	size_t n_failed;     /* sources left out; notes say why */
	uint32_t n_nameless; /* addresses that needed names and got none */
	uint32_t n_named;    /* and that got some */
};

/*
 * Read the sources side by side and merge them in their order. Few are held at a time: one per
 * thread, and what is waiting to be merged, which is kept small.
 *
 * out     the caller's alone; freed with profile_free
 * Fails   when no source could be read (a single one says why in err), or they do not fit; ERR_STOPPED, which is
 *         looked for between two sources
 * Like    pprof internal/driver/fetch.go: groups of 128 sources are merged, then their results
 */
int load_profile(struct load *l, struct profile **out, struct err *err);

#endif
