/*
 * compaction.h - merge segments: journals to hours, days and ISO weeks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Large segments cost less: the dictionary of 8 profiles takes 2,559 bytes per profile, that of 192 profiles 685.
 */
#ifndef STORE_LOCAL_UPKEEP_COMPACTION_H
#define STORE_LOCAL_UPKEEP_COMPACTION_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "store/local/catalogue/catalogue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_writer;

enum {
	COMPACTION_WEEKS = 3,
	COMPACTION_LEVELS = 5,
	COMPACTION_INPUTS_MAX = 64,
	/* The largest chapters of the input have at most these bytes together. The result of a chapter is in memory, compressed, until it is
	   written. */
	COMPACTION_CHAPTER_BYTES_MAX = 192 << 20,
};

/* Segments to be merged into one of a level; with split, one segment that is divided by weeks. */
struct compaction_job {
	const struct catalogue_segment *input[COMPACTION_INPUTS_MAX];
	size_t n;
	unsigned level;
	bool split;
};

/* The start of the hour, day (UTC), ISO week of a time, of four or 52 weeks: level 1 to 5. */
int64_t compaction_bucket(unsigned level, int64_t t);
int64_t compaction_period(unsigned level);

/*
 * Find the next segments to merge.
 *
 * all      segments of a tier, sorted by t1
 * early    a span is merged an hour after its end; with early, at its end
 * Returns  1 if there is a job, 0 or ERR_*
 */
int compaction_find(struct store_writer *w, const struct catalogue_segments *all, bool early,
		    struct compaction_job *out, struct err *err);

/*
 * Merge as far as it is due, with the maintenance lock held.
 *
 * report  a line for each merge is appended; may be NULL
 */
int compaction_run(struct store_writer *w, bool early, bool dry_run, struct stop *stop, struct buf *report,
		   struct err *err);

/*
 * Move a damaged segment to bad/ with a note, and write its sound chapters as a new segment. The maintenance lock is held.
 *
 * why  the message that named the damage
 */
int compaction_set_aside(struct store_writer *w, const struct catalogue_segment *row, const char *why,
			 struct buf *report, struct err *err);

/*
 * The same for a pin, whose row is updated, or removed if nothing can be read.
 *
 * pin       its strings live until the end of the call
 * profiles  that it has, as far as known
 */
int compaction_set_pin_aside(struct store_writer *w, const struct catalogue_pin *pin, uint64_t profiles,
			     const char *why, struct buf *report, struct err *err);

#endif
