/*
 * filter.h - the part of a profile that a question is about
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_FILTER_H
#define ENGINE_FILTER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "profile/profile.h"

/*
 * Apply tagroot and tagleaf, then focus, ignore, hide, show, show_from, tagfocus, tagignore, tagshow,
 * taghide and prune_from.
 *
 * mem     what differs from p lives there
 * out     a profile that shares with p the columns that are the same, p itself when nothing is
 *         asked; not to be freed, and p lives longer. Stacks and label sets that became equal may
 *         have several ids; stacks, label sets, locations and so on that no row uses any more may
 *         still be there. Locations and functions keep their ids, those made for labels follow them.
 * notes   a line is appended for every expression that matched nothing
 * Fails   ERR_USAGE for an expression that does not parse, ERR_LIMIT for one that takes too many
 *         steps, and when frames made for labels make too many stacks; ERR_STOPPED
 * Like    pprof profile/filter.go, internal/driver/driver_focus.go and tagroot.go
 */
int filter_make(const struct profile *p, const struct query *q, struct arena *mem, const struct profile **out,
		struct buf *notes, struct err *err);

/*
 * The profile as reports by address show it with noinlines: of each location only the function
 * itself.
 *
 * show_columns  keep the columns of lines, else they become 0
 * mem           what differs from p lives there; the rest is shared
 * Like          pprof profile/profile.go, Aggregate
 */
const struct profile *filter_no_inlines(const struct profile *p, bool show_columns, struct arena *mem);

#endif
