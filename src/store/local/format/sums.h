/*
 * sums.h - the sum of all profiles of a kind in a chapter
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A query of all of a chapter reads this sum in place of the blocks: the time of a long window is that of the distinct stacks, not of
 * the profiles. There is one for each kind whose profiles have equal types, none of which is a gauge or counted since the start of the
 * process (these are reduced by series), if it has much fewer values than the profiles.
 */
#ifndef STORE_LOCAL_FORMAT_SUMS_H
#define STORE_LOCAL_FORMAT_SUMS_H

#include "base/err.h"
#include "base/stop.h"
#include "store/local/format/pack.h"
#include "store/local/format/segment.h"

#include <stdint.h>

/* Makes the sums of a chapter. d may grow, and outlives it. */
struct chapter_sums;
struct chapter_sums *chapter_sums_new(const struct dict *d);
void chapter_sums_free(struct chapter_sums *s); /* takes NULL */

/* Add a profile; those of a series follow each other, by start. class: a number that profiles with equal types share. */
void chapter_sums_add(struct chapter_sums *s, const struct stored *p, uint32_t class);

/* Set the sums of the chapter. */
void chapter_sums_finish(struct chapter_sums *s, struct packer *packer, struct chapter *c);

/* Compare a sum with the profiles. Fails with ERR_FORMAT, ERR_STOPPED. */
int chapter_sums_verify(const struct chapter *c, uint32_t i, struct stop *stop, struct err *err);

#endif
