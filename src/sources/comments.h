/*
 * comments.h - the comments of several recordings, for the file that they are merged into
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_COMMENTS_H
#define SOURCES_COMMENTS_H

#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Sums of comments such as "stacks, complete: 7 of 9 (77.78%)" and "signal blocked: 3 periods", and other comments once
 * each. Those that describe one process are left out. Zero-initialised.
 */
struct comments {
	struct comment_sum {
		char *before, *after; /* the text around the number; owned */
		uint64_t n;
		bool has_number, is_share; /* is_share: a share of all stacks follows, instead of after */
	} * sum;                           /* [n] in the order in which they were found */
	size_t n, cap;
	uint64_t n_stacks;
};

/* Add the comments of one recording. */
void comments_add(struct comments *c, const struct profile *p);

/* Append them to those of a profile. */
void comments_write(const struct comments *c, struct profile *to);

void comments_release(struct comments *c);

#endif
