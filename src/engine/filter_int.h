/*
 * filter_int.h - what the steps of filter_make share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps run in the order of pprof. Each replaces columns of the profile that is being made by
 * columns of its own, and never writes into those of the profile that was given.
 */
#ifndef ENGINE_FILTER_INT_H
#define ENGINE_FILTER_INT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/label_unit.h"
#include "engine/matcher.h"
#include "engine/query.h"
#include "profile/profile.h"

/* Expressions over names: bit i of a byte is that of expression i. */
enum { NAME_FOCUS, NAME_IGNORE, NAME_HIDE, NAME_SHOW, NAME_SHOW_FROM, NAME_PRUNE_FROM, N_NAMES };

/* The bits of a location that stacks need. */
enum {
	LOC_FOCUSED = 1,
	LOC_IGNORED = 2,
	LOC_HIDDEN = 4, /* it has no lines */
	LOC_FROM = 8,   /* stacks may start here */
	LOC_PRUNE = 16, /* stacks end here */
};

/* Numbers from lo to hi, both included, in unit. */
struct tag_range {
	double lo, hi;
	const char *unit;
};

/* tagfocus or tagignore. */
struct tag_filter {
	const char *option;
	const char *key; /* NULL: any */
	const char *expr;
	bool is_set;
	struct tag_range *range; /* [n_ranges] any of them, in the arena */
	size_t n_ranges;
	struct matcher *rx; /* [n_rx] in the arena */
	size_t n_rx;
};

struct filter {
	struct profile d; /* the result of the steps so far */
	const struct query *q;
	struct arena *mem;
	struct buf *notes;
	struct matcher name[N_NAMES], tagshow, taghide;
	struct tag_filter tagfocus, tagignore;
	uint8_t *stack_removed; /* [stacks] its rows are removed; NULL for none; in the arena */
	uint8_t *set_removed;   /* [label_sets] likewise */
};

/*
 * Add frames for tagroot, the first key at the root, and for tagleaf, the last key at the leaf. The
 * frame of a key is named after the values of a row, in unit; its file is the key.
 *
 * Fails   ERR_LIMIT when the stacks, which were shared by rows with other labels, get too large; ERR_STOPPED
 * Like    pprof internal/driver/tagroot.go
 */
int filter_frames(struct filter *f, struct err *err);

/* Apply focus to prune_from to locations and stacks. Fails: ERR_LIMIT, ERR_STOPPED */
int filter_names(struct filter *f, struct err *err);

/* Compile tagfocus or tagignore. Fails: ERR_USAGE */
int tag_filter_init(struct filter *f, struct tag_filter *t, const char *option, const char *value, struct err *err);
void tag_filter_release(struct tag_filter *t);

/* Apply tagfocus and tagignore, tagshow and taghide. units as loaded. */
int filter_tags(struct filter *f, const struct label_units *units, struct err *err);

/* The label sets of rows that remain: [label_sets], freed by the caller. */
uint8_t *filter_used_sets(const struct filter *f);

/* Notes: "Focus expression matched no samples", with what would have matched. */
void filter_hint_names(struct filter *f, const char *option, const char *pattern);
void filter_hint_tags(struct filter *f, const struct tag_filter *t, const char *option);
void filter_hint_keys(struct filter *f, const char *option);

#endif
