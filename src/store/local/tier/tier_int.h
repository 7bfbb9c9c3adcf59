/*
 * tier_int.h - parts of tier*.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_TIER_TIER_INT_H
#define STORE_LOCAL_TIER_TIER_INT_H

#include "base/arena.h"
#include "store/local/tier/tier.h"

/* --- tier_view.c: a dictionary as a tier has it --- */

/*
 * The entries of a dictionary, followed by what the tier makes of them: mapping i + n_maps and meta i + n_metas are those of slots,
 * and named locations have no address. Rows have the numbers of d.
 */
struct tier_view {
	struct dict d; /* its own arrays are those below; the rest is borrowed */
	struct arena *memory;
	uint32_t n_metas; /* of the dictionary */
};

void tier_view_init(struct tier_view *v, const struct dict *d, enum store_tier to);
void tier_view_release(struct tier_view *v);

/* --- tier_history.c --- */

/* A snapshot with only its counters, in terms of a dictionary. */
struct tier_snapshot {
	uint8_t hash[16]; /* of its series */
	str_id instance;  /* its service, kind and instance; in the names of the history */
	struct stored s;
};

/* The name of the instance of a series with its kind, among those of the history. */
str_id tier_history_instance(struct tier_history *h, const struct chapter *c, const struct dict_series *s);

/* Replace or add the snapshot of a series; s and its meta are entries of c. */
int tier_history_put(struct tier_history *h, const struct chapter *c, uint32_t series, const struct stored *s,
		     struct err *err);

/* All snapshots in terms of a dictionary, to which their entries are added. The caller frees *out with tier_snapshots_free. */
int tier_history_translate(const struct tier_history *h, struct dict *to, struct tier_snapshot **out, size_t *n,
			   struct err *err);
void tier_snapshots_free(struct tier_snapshot *s, size_t n);

/* Does a meta have counters, which need the snapshot before? */
bool tier_has_counters(const struct dict_meta *m);

/* Set the values of all columns but the counters to 0, and leave out rows that are then 0. */
void tier_keep_counters(const struct dict_meta *m, struct stored *s);

/* --- tier_combine.c: parts of slots, which are added up --- */

struct tier_parts;
struct tier_parts *tier_parts_new(enum store_tier to, struct chapter_builder *out);
void tier_parts_free(struct tier_parts *p); /* takes NULL */
struct dict *tier_parts_dict(struct tier_parts *p);

/*
 * Add a part: series, meta and rows belong to the dictionary of p; rows may be equal and in any order.
 *
 * is_late  the series gets parts until tier_parts_finish, else until tier_parts_end_series
 * Fails    ERR_RANGE when a sum overflows
 */
int tier_parts_add(struct tier_parts *p, const struct stored *s, bool is_late, struct err *err);

/* Add the slots of a series, unless it is late, to the builder, or note that this may be done. */
int tier_parts_end_series(struct tier_parts *p, struct err *err);

/* Add all other slots to the builder. */
int tier_parts_finish(struct tier_parts *p, struct err *err);

/* --- tier_fold.c --- */

/*
 * Fold the rows of a slot with few samples into their deepest caller that has enough.
 *
 * s      rows in any order; rows that are folded get another number, so some may be equal afterwards
 * d      of the rows, to which callers are added
 * limit  samples
 */
int tier_fold(struct dict *d, struct stored *s, uint64_t limit, struct err *err);

#endif
