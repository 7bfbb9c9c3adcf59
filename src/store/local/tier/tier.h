/*
 * tier.h - the tiers of a store: profiles of a slot of 10 minutes, an hour or a day, as one
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A slot of a series is a stored profile with struct stored_slot, whose start is that of the slot. Columns that are counted during
 * a profile have their sum, counters their increase, and gauges the sum of the snapshots, whose number is stored: a mean is computed
 * when a window is read, so it is exact for every window of whole slots.
 *
 *	10m   locations by binary, function, file and line. Frames without a name keep their address
 *	1h    labels that name an instance are dropped; so is the build of named frames. Stacks with few samples in a slot are folded
 *	      into their deepest caller that has enough
 *	1d    the same with a larger limit
 *
 * The mean of a gauge is that of each instance, so the rows of gauges and the number of profiles stay with the series that has the
 * label: only what is counted is added up over instances. The series that has these sums has the label STORE_MERGED_LABEL.
 *
 * The increase after the last snapshot is not known yet, so the last snapshot of each series is kept as it was (SLOT_BASE). That of
 * the first snapshot depends on the window, if its process may have started in it (SLOT_FIRST).
 */
#ifndef STORE_LOCAL_TIER_TIER_H
#define STORE_LOCAL_TIER_TIER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "store/local/format/segment.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of a slot in ns; 1 for TIER_RAW. */
int64_t tier_slot_ns(enum store_tier tier);

/* The start of the slot of a time. */
int64_t tier_slot_start(enum store_tier tier, int64_t ns);

/* Has a series of this tier lost a label of this name? */
bool tier_drops_label(enum store_tier tier, const char *name);

/* Processes of snapshots: the build id of the program and its comment "start: TIME". */
struct tier_process {
	str_id build;    /* 0: unknown */
	int64_t started; /* 0: unknown */
};
struct tier_process tier_find_process(const struct dict *d, const struct dict_meta *m);

/* Is the second snapshot of another process than the first? */
static inline bool tier_is_other_process(const struct tier_process *a, const struct tier_process *b)
{
	return (a->build && b->build && a->build != b->build) || (a->started && b->started && a->started != b->started);
}

/* Did a counter fall by more than rounding explains? */
static inline bool tier_fell(int64_t before, int64_t after)
{
	return after < before && (uint64_t)before - (uint64_t)after > 1;
}

/* Sort the rows of a profile, whose numbers have changed. */
void tier_sort_rows(struct stored *s);

/* --- the last snapshots of series, from which increases are counted --- */

struct tier_history;
struct tier_history *tier_history_new(void);
void tier_history_free(struct tier_history *h); /* takes NULL */

/* Note the last snapshots of a chapter that start before a time, unless later ones are known. Fails with ERR_FORMAT, ERR_LIMIT. */
int tier_history_add(struct tier_history *h, const struct chapter *c, int64_t before_ns, struct err *err);

/* Is there a snapshot of a series, by its hash? */
bool tier_history_has(const struct tier_history *h, const uint8_t hash[16]);

/* --- making slots --- */

/* Is a series of a chapter to be added? Returns 1 or 0, or ERR_*. */
typedef int tier_select_fn(void *arg, const struct chapter *c, uint32_t series, struct err *err);

/*
 * Add the slots of the selected series of a chapter, which belong to a finer tier, to a builder: by series, each by start.
 *
 * from    entries are added to its dictionary
 * h       the last snapshots before; those of the chapter replace them
 * select  NULL: all
 * Fails   ERR_FORMAT when the chapter is damaged; ERR_RANGE when a sum overflows; ERR_LIMIT; ERR_STOPPED
 */
int tier_make(struct chapter *from, enum store_tier to, struct tier_history *h, tier_select_fn *select, void *arg,
	      struct chapter_builder *out, struct stop *stop, struct err *err);

#endif
