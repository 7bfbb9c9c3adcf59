/*
 * sums.h - read many profiles as sums, if the report needs no more
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The report is the same as that of the merged profiles, whose samples are read only if the sums do not suffice.
 */
#ifndef SOURCES_SUMS_H
#define SOURCES_SUMS_H

#include "profile/profile.h"
#include "sources/read.h"

#include <stdbool.h>

/*
 * Find out whether sums of these sources may suffice: for a report with wants_sums (engine/query.def) of many files. Some of
 * them are read.
 *
 * Returns the functions whose samples keep their stacks, freed with strtab_free; NULL if all stacks are to be read
 */
struct strtab *sources_sums_try(const struct source_set *l);

/*
 * Start again without sums, unless the set was read without, or the user stopped it: reset what reading set.
 *
 * Returns false if it must not start again
 */
bool sources_sums_restart(struct source_set *l);

#endif
