/*
 * load_runs.h - load several profiles in parallel without merging them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_LOAD_RUNS_H
#define ANSWER_LOAD_RUNS_H

#include "answer/load.h"
#include "answer/loaded.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stddef.h>

/* One profile, read from one source or merged from several. */
struct load_item {
	struct load load;
	struct profile *profile; /* NULL if it could not be read */
	struct err err;          /* the reason */
};

/* Load n items in parallel, and save the profiles that were fetched. */
void load_runs(struct load_item *item, size_t n, const struct load_events *events);

/*
 * Pass the notes of an item to events; each line names its source.
 *
 * Fails   when there is no profile. If only some of its sources are missing, load.n_failed counts them.
 */
int load_item_report(const struct load_item *item, const struct load_events *events, struct err *err);

/* Free the profile and the notes. */
void load_item_release(struct load_item *item);

#endif
