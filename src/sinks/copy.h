/*
 * copy.h - a profile as a system wants it: ids, times, sample types and labels may differ from the stored one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_COPY_H
#define SINKS_COPY_H

#include "base/strtab.h"
#include "profile/profile.h"
#include "sinks/sink.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A copy that shares its columns with the profile of an item, which must outlive it. Its functions, locations and mappings are numbered
 * from 1 in order, and its time is that of the item.
 */
struct sink_copy {
	struct profile p;    /* for writers; never passed to profile_free */
	struct strtab *more; /* texts that the profile does not have */
};

/* out is released with sink_copy_release. */
void sink_copy_make(const struct sink_item *item, struct sink_copy *out);
void sink_copy_release(struct sink_copy *c);

/* The id of a text in the copy, which may be new. Call sink_copy_seal after the last. */
str_id sink_copy_text(struct sink_copy *c, const char *text);
void sink_copy_seal(struct sink_copy *c);

/* Keep only the sample types that are gauges, or only the others. Returns the number that is left. */
uint32_t sink_copy_select(struct sink_copy *c, bool gauges);

/* A text with each byte that is not a letter, digit, or one of `allowed` replaced by _, and _ before a first digit. */
void sink_add_name(struct buf *out, const char *text, const char *allowed);

/* The value of a label of an item; NULL if it has none. */
const char *sink_label(const struct sink_item *item, const char *name);

#endif
