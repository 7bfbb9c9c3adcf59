/*
 * sample_walk.h - use samples while they are read, so that most stacks need not be kept
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_SAMPLE_WALK_H
#define PROFILE_SAMPLE_WALK_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct builder;

/* Decoded samples. */
struct walk_samples {
	uint32_t n;
	const uint32_t *loc;   /* locations of all stacks, concatenated, each leaf first */
	const size_t *loc_end; /* [n] */
	int64_t *const *value; /* [types] columns */
	uint32_t first;        /* of the samples in these columns */
};

struct sample_walk {
	void *arg;
	/*
	 * Start.
	 *
	 * tables   a profile that has all tables but no samples
	 * size     approximate size of the samples in the file, in bytes
	 * Returns  false if all samples have to be kept
	 */
	bool (*start)(void *arg, const struct profile *tables, size_t size, unsigned parts);
	/* Add samples. Calls with different parts may run at the same time. Returns false as finish. */
	bool (*add)(void *arg, unsigned part, const struct walk_samples *s);
	/* Append rows in place of the samples. Returns false if the file has to be read again, and all samples kept. */
	bool (*finish)(void *arg, struct builder *b);
	/* Store the result in the profile that the builder made. */
	void (*attach)(void *arg, struct profile *p);
};

/* Reads the same samples again. */
struct sample_source {
	void *arg;
	/* Let a walk use the samples of the source. out: a profile without them; owned by the caller */
	int (*read)(void *arg, const struct sample_walk *walk, struct profile **out, struct err *err);
};

#endif
