/*
 * load_each.h - several profiles that stay apart, loaded side by side
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_LOAD_EACH_H
#define ANSWER_LOAD_EACH_H

#include "answer/load.h"
#include "answer/loaded.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stddef.h>

/* One profile, of one source or of several that are added up. */
struct load_item {
	struct load load;
	struct profile *profile; /* NULL when it could not be read */
	struct err err;          /* why */
};

/* Load each of n, at most as many at once as there are threads, and save those that were fetched. */
void load_each(struct load_item *item, size_t n, const struct load_events *events);

/*
 * Pass on what there is to say of an item; each line names its source.
 *
 * Fails   when there is no profile. When only some of its sources are missing, load.n_failed counts them.
 */
int load_item_report(const struct load_item *item, const struct load_events *events, struct err *err);

/* Free the profile and the notes. */
void load_item_release(struct load_item *item);

#endif
