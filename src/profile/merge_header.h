/*
 * merge_header.h - what a merged profile says of itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For profile/merge.c alone.
 */
#ifndef PROFILE_MERGE_HEADER_H
#define PROFILE_MERGE_HEADER_H

#include "base/err.h"
#include "profile/merge_int.h"

#include <stddef.h>

/* Types, period type and frames to drop of an empty result: what the sources agreed on. */
void merge_header_begin(struct merger *m);

/*
 * Add periods, times, comments and so on of the sources from the one numbered first on, which is 1
 * when the result goes on, else 0.
 *
 * Fails   ERR_RANGE when a sum leaves 64 bits; ERR_LIMIT
 */
int merge_header_add(struct merger *m, size_t first, struct err *err);

/* Add the time of what came since the last pause to the times before. */
void merge_header_pause(struct merger *m);

#endif
