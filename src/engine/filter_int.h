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
#include "engine/tag_range.h"
#include "profile/profile.h"

/* Expressions over names: bit i of a byte stands for expression i. */
enum { NAME_FOCUS, NAME_IGNORE, NAME_HIDE, NAME_SHOW, NAME_SHOW_FROM, NAME_PRUNE_FROM, N_NAMES };

/* What a stack has to know of a location. */
enum {
	LOC_FOCUSED = 1,
	LOC_IGNORED = 2,
	LOC_HIDDEN = 4, /* no lines are left of it */
	LOC_FROM = 8,   /* stacks may start here */
	LOC_PRUNE = 16, /* stacks end here */
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
	struct profile d; /* as the steps so far left it */
	const struct query *q;
	struct arena *mem;
	struct buf *notes;
	struct matcher name[N_NAMES], tagshow, taghide;
	struct tag_filter tagfocus, tagignore;
	uint8_t *stack_goes; /* [stacks] rows with it go; NULL when none do; in the arena */
	uint8_t *set_goes;   /* [label_sets] likewise */
};

/* Apply focus to prune_from: filter_names.c for locations, filter_stacks.c for stacks. Fails: ERR_LIMIT, ERR_STOPPED */
int filter_names(struct filter *f, struct err *err);
int filter_stacks(struct filter *f, const uint8_t *loc, struct err *err);

/* Compile tagfocus or tagignore. Fails: ERR_USAGE */
int tag_filter_init(struct filter *f, struct tag_filter *t, const char *option, const char *value, struct err *err);
void tag_filter_release(struct tag_filter *t);

/* Which label sets match? Of those in use: yes[set] = 1. units may be NULL without ranges. */
int tag_filter_match(struct filter *f, const struct tag_filter *t, const struct label_units *units, const uint8_t *used,
		     uint8_t *yes, struct err *err);

/* Apply tagfocus and tagignore, tagshow and taghide. units as loaded. */
int filter_tags(struct filter *f, const struct label_units *units, struct err *err);

/* Which label sets do rows have that are left? [label_sets], freed by the caller. */
uint8_t *filter_used_sets(const struct filter *f);

/* Take the rows out that go. */
void filter_rows(struct filter *f);

/* Notes: "Focus expression matched no samples", with what would have matched. */
void filter_hint_names(struct filter *f, const char *option, const char *pattern);
void filter_hint_tags(struct filter *f, const struct tag_filter *t, const char *option);
void filter_hint_keys(struct filter *f, const char *option);

#endif
