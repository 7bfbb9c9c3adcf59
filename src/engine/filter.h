/*
 * filter.h - the part of a profile that a query selects
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_FILTER_H
#define ENGINE_FILTER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"

struct query_filter;

/*
 * Apply tagroot and tagleaf, then focus, ignore, hide, show, show_from, tagfocus, tagignore, tagshow,
 * taghide and prune_from.
 *
 * mem     owns the parts that differ from p
 * out     a profile that shares unchanged columns with p, or p itself when no filter is set; not to be freed; p must
 *         outlive it. Stacks and label sets that became equal may keep different ids, and unused stacks, label sets,
 *         locations and so on may remain. Locations and functions keep their ids; those made for labels follow them.
 * notes   a line is appended per expression that matched nothing
 * Fails   ERR_USAGE for an invalid expression, ERR_LIMIT for one that takes too many steps, or when the frames of
 *         labels make too many stacks; ERR_STOPPED
 * Like    pprof profile/filter.go, internal/driver/driver_focus.go and tagroot.go
 */
int filter_make(const struct profile *p, const struct query_filter *q, struct arena *mem, const struct profile **out,
		struct buf *notes, struct err *err);

/* Has a query no filters? Then filter_make returns the profile as it is. */
bool filter_is_empty(const struct query_filter *q);

/*
 * Check the expressions of a query without a profile.
 *
 * Fails   as filter_make for an invalid expression
 */
int filter_check(const struct query_filter *q, struct err *err);

/* Fail because no function of the profile matches the expression, suggesting similar names. Returns ERR_USAGE. */
int filter_no_matches(const struct profile *p, const char *pattern, struct err *err);

/*
 * The profile for reports by address with noinlines: each location has only its outermost function.
 *
 * show_columns  keep column numbers, else they become 0
 * mem           owns the parts that differ from p; the rest is shared
 * Like          pprof profile/profile.go, Aggregate
 */
const struct profile *filter_no_inlines(const struct profile *p, bool show_columns, struct arena *mem);

#endif
