/*
 * filter_int.h - shared by the steps of filter_make
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps run in the order of pprof. Each replaces columns of the new profile, and never writes to those of the original
 * profile.
 */
#ifndef ENGINE_FILTER_INT_H
#define ENGINE_FILTER_INT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/label_unit.h"
#include "engine/matcher.h"
#include "profile/profile.h"

struct query_filter;

/* Expressions over names: bit i of a byte is that of expression i. */
enum { NAME_FOCUS, NAME_IGNORE, NAME_HIDE, NAME_SHOW, NAME_SHOW_FROM, NAME_PRUNE_FROM, N_NAMES };

/* Bits of a location that stacks need. */
enum {
	LOC_FOCUSED = 1,
	LOC_IGNORED = 2,
	LOC_HIDDEN = 4, /* the location has no lines */
	LOC_FROM = 8,   /* stacks can start here (show_from) */
	LOC_PRUNE = 16, /* stacks end here (prune_from) */
};

/* Numbers from lo to hi, inclusive, in unit. */
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
	struct tag_range *range; /* [n_ranges] one must match; in the arena */
	size_t n_ranges;
	struct matcher *rx; /* [n_rx] expressions, in the arena */
	size_t n_rx;
};

struct filter {
	struct profile d; /* the result of the steps so far */
	const struct query_filter *q;
	struct arena *mem;
	struct buf *notes;
	struct matcher name[N_NAMES], tagshow, taghide;
	struct tag_filter tagfocus, tagignore;
	uint8_t *stack_removed; /* [stacks] are its rows removed? NULL for none; in the arena */
	uint8_t *set_removed;   /* [label_sets] are the rows of the set removed? In the arena */
};

/*
 * Add frames for tagroot, the first key at the root, and for tagleaf, the last key at the leaf. The name of a frame
 * consists of the row's values of the key, in unit; its file is the key.
 *
 * Fails   ERR_LIMIT when the stacks get too large, since rows with different labels no longer share them; ERR_STOPPED
 * Like    pprof internal/driver/tagroot.go
 */
int filter_frames(struct filter *f, struct err *err);

/* Apply the filters by name, focus to prune_from, to locations and stacks. Fails: ERR_LIMIT, ERR_STOPPED */
int filter_names(struct filter *f, struct err *err);

/* Compile tagfocus or tagignore. Fails: ERR_USAGE */
int tag_filter_init(struct filter *f, struct tag_filter *t, const char *option, const char *value, struct err *err);
void tag_filter_release(struct tag_filter *t);

/* Apply tagfocus, tagignore, tagshow and taghide. units are those of the profile as loaded. */
int filter_tags(struct filter *f, const struct label_units *units, struct err *err);

/* The label sets of the rows that remain: [label_sets], freed by the caller. */
uint8_t *filter_used_sets(const struct filter *f);

/* Append notes such as "Focus expression matched no samples", with suggestions. */
void filter_hint_names(struct filter *f, const char *option, const char *pattern);
void filter_hint_tags(struct filter *f, const struct tag_filter *t, const char *option);
void filter_hint_keys(struct filter *f, const char *option);

#endif
