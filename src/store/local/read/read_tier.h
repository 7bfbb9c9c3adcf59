/*
 * read_tier.h - windows and the slots of tiers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_READ_READ_TIER_H
#define STORE_LOCAL_READ_READ_TIER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "store/local/read/reduce.h"
#include "store/local/read/select.h"
#include "store/local/tier/tier.h"

/* Append lines about slots that begin before a window and end in it, which are left out, and about slots that end after it, which are
   counted as a whole. */
void slots_note_edges(const struct store_query *q, const struct selection *sel, struct buf *notes);

/* Move the ends of a window to the next ends of slots of q->tier, with a note. */
void slots_align(struct store_query *q, struct buf *notes);

/* Note the last snapshots before a window. */
int slots_read_history(struct store *s, const struct store_query *q, struct tier_history *h, struct err *err);

/*
 * Read a chapter, and make slots of q->tier of its profiles; slots of coarser tiers stay. Chapters of a service must be in the order of
 * time.
 *
 * in     chapter and is_given are set; rc and err if it is damaged
 * Fails  as tier_make
 */
int slots_read_chapter(const struct store_query *q, struct tier_history *h, struct reduce_input *in, struct stop *stop,
		       struct err *err);

#endif
