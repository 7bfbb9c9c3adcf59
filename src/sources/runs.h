/*
 * runs.h - load several profiles in parallel without merging them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_RUNS_H
#define SOURCES_RUNS_H

#include "sources/read.h"
#include "sources/load.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stddef.h>

/* One profile, read from one source or merged from several. */
struct source_run {
	struct source_set set;
	struct profile *profile; /* NULL if it could not be read */
	struct err err;          /* the reason */
};

/* Load n items in parallel, and save the profiles that were fetched. */
void source_runs_read(struct source_run *item, size_t n, const struct load_events *events);

/*
 * Pass the notes of an item to events; each line names its source.
 *
 * Fails   when there is no profile. If only some of its sources are missing, set.n_failed counts them.
 */
int source_run_report(const struct source_run *item, const struct load_events *events, struct err *err);

/* Called with a profile and its only source. Fails to end the reading. */
typedef int source_run_fn(void *arg, const struct source_run *run, struct err *err);

/*
 * Read each source as a profile of its own and pass it on, in order. Several are read in parallel, and few are in memory at
 * once. One that cannot be read is reported to events and skipped.
 *
 * remote    fetched sources (sources_fetch); NULL: none
 * n_failed  set to the number of profiles that could not be read, or only in part
 * Fails     as fn
 */
int source_runs_each(const struct sources *s, struct remote *remote, const struct query *q,
		     const struct load_events *events, source_run_fn *fn, void *arg, size_t *n_failed, struct err *err);

/* Free the profile and the notes. */
void source_run_release(struct source_run *item);

#endif
