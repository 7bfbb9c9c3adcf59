/*
 * repeats.h - find files whose profiles are all in other files: what a crash between two steps leaves
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_REPEATS_H
#define STORE_LOCAL_UPKEEP_REPEATS_H

#include "base/err.h"
#include "store/local/format/segment.h"

#include <stdbool.h>
#include <stddef.h>

struct repeats_file {
	const char *name;
	struct segment *segment;
	bool is_repeated; /* set by repeats_find */
};

/*
 * Mark the segments that are not needed, since the others contain all their profiles. Only segments that have blocks of one
 * series in one span are decoded. Damaged chapters are not compared.
 */
void repeats_find(struct repeats_file *file, size_t n);

/*
 * Are all profiles of a journal in the segments? An empty journal is not.
 *
 * dir  descriptor of the store
 */
int repeats_has_journal(int dir, int64_t seq, const struct repeats_file *file, size_t n, struct err *err);

/* Are all profiles of a segment in other segments, or in the journals from a number on? Returns 1, 0 or ERR_*. */
int repeats_has_segment(int dir, const struct segment *s, const struct repeats_file *file, size_t n,
			int64_t first_journal, struct err *err);

#endif
