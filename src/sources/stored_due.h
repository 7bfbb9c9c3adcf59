/*
 * stored_due.h - messages about profiles that a store does not have yet
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_STORED_DUE_H
#define SOURCES_STORED_DUE_H

#include "sources/stored.h"

#include <stdint.h>

/*
 * Append to the error "nothing of SERVICE" of store_read whether a collector runs on the store, and when its next profile of
 * the service and kind is due, if the window extends to the present.
 *
 * Returns the code of err
 */
int stored_explain_nothing(const struct stored_source *s, struct err *err);

/*
 * Append a note if counters are 0 because each series has had one snapshot: their increase needs two.
 *
 * types             names of the counters
 * profiles, series  their numbers in the window
 */
void stored_note_young(const struct stored_source *s, const char *types, uint64_t profiles, uint64_t series,
		       struct buf *notes);

/* The same for a profile that was read, if the type that is shown is such a counter. */
void stored_note_young_profile(const struct stored_source *s, const struct store_sum *sum, const struct profile *p,
			       const char *sample_index, struct buf *notes);

#endif
