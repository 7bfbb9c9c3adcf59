/*
 * early_sums.h - flat and cum of samples that are added up while they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * If the tables of a file precede its samples, cum can be added up when a sample is read, and no stack is kept. The profile has
 * a row per place in place of its samples, with the selected type only, so that totals and flat are computed as for any profile.
 *
 * Calls are those between kept places, which are known at the end. If a report needs calls, and sums do not settle the question
 * (engine/edges_above.c), the file is read a second time to count them. If that is not possible, or the profile was changed after
 * reading, the report is incomplete, and has to be made again from a profile with all stacks.
 */
#ifndef ENGINE_EARLY_SUMS_H
#define ENGINE_EARLY_SUMS_H

#include "engine/graph.h"
#include "profile/sample_walk.h"

#include <stdbool.h>

struct early_sums;
struct edge_walk;
struct query_filter;

/* q: of a report top of one profile without filters; borrowed */
struct early_sums *early_new(const struct query_filter *q);
void early_free(struct early_sums *e); /* takes NULL */

/* The walk of a reader, which is valid as long as e. */
struct sample_walk early_walk(struct early_sums *e);

/* Set the source of a profile that has sums, from which its samples can be read again; its arg is valid as long as p. */
void early_set_source(struct profile *p, const struct sample_source *source);

/* Does a report that was made of a profile need stacks that were not kept? */
bool early_lacks_stacks(const struct profile *p);

/* ---- for graph.c and edges_above.c ---- */

/* Replace the sums over places. */
void early_use(struct early_result *r, const struct view *v, const struct places *pl, struct graph *g);

/* Count the calls of a walk, in its parts. */
void early_count_calls(struct edge_walk *w);

#endif
