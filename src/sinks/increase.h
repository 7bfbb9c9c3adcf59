/*
 * increase.h - columns counted since the start of a process, as the increase since the profile before
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The last profile of each series is kept in memory, with the dictionaries that they need. Restarts of processes are found as in the
 * store: docs/store.md, "How a window becomes one profile".
 */
#ifndef SINKS_INCREASE_H
#define SINKS_INCREASE_H

#include "sinks/sink.h"

struct sink_increases;

struct sink_increases *sink_increases_new(void);
void sink_increases_free(struct sink_increases *x); /* takes NULL */

/* Does a profile have a column that is counted since the start of the process? Others need no changes. */
bool sink_is_cumulative(const struct profile *p);

/*
 * If nothing is known of a series, remember its last profile before the item, of the last 25 hours of a store. So counters are known
 * after a restart, and for the first profile of a window. A store that cannot be read is as one without such a profile.
 */
void sink_increases_seed(struct sink_increases *x, const struct sink_item *item, struct store *s, struct stop *stop);

/*
 * Make a profile with the increases of such columns, and the others as they are. Rows in which nothing is left are left out.
 *
 * item    in order of time for each series; one that is older than the last has increases of 0, and is not remembered
 * out     owned by the caller; its duration is the time since the profile before, 0 if there is none; NULL: only remember the profile
 * Returns 1 if it is the first of its series, whose increases are 0; else 0
 * Fails   ERR_LIMIT, ERR_RANGE
 */
int sink_increases_apply(struct sink_increases *x, const struct sink_item *item, struct profile **out, struct err *err);

#endif
