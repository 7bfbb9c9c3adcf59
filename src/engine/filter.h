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
 *         asked; not to be freed. Stacks that became equal may have several ids; stacks, label sets,
 *         locations and so on that no row uses any more may still be there.
 * notes   a line is appended for every expression that matched nothing
 * Fails   ERR_USAGE for an expression that does not parse, ERR_LIMIT for one that takes too many
 *         steps
 * Like    pprof profile/filter.go, internal/driver/driver_focus.go and tagroot.go
 */
int filter_make(const struct profile *p, const struct query *q, struct arena *mem, const struct profile **out,
		struct buf *notes, struct err *err);

#endif
