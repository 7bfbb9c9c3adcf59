/*
 * growth.h - functions whose values grow over captures
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCTOR_GROWTH_H
#define DOCTOR_GROWTH_H

#include "base/arena.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROWTH_CAPTURES_MAX = 8 };

/* A function of the program, with the values of stacks in which it is the innermost one. */
struct growth_row {
	const char *name, *caller; /* borrowed from a profile; caller "" for none */
	int64_t value[GROWTH_CAPTURES_MAX];
};

struct growth_table {
	struct growth_row *row; /* [n] largest growth from the first to the last capture first */
	size_t n, cap;
	int64_t total[GROWTH_CAPTURES_MAX];
	size_t n_captures;
	int64_t period; /* of the last profile: mean distance of two samples in the unit of the type; at least 1 */
};

/*
 * Compare the values of a sample type in profiles.
 *
 * p       [n] oldest first, 1 to GROWTH_CAPTURES_MAX; each has the type, or else its last one is used
 * out     to be released with growth_release
 */
void growth_make(const struct profile *const *p, size_t n, const char *type, struct growth_table *out);
void growth_release(struct growth_table *g);

/* The difference of the last and the first value. */
int64_t growth_of(const struct growth_table *g, const int64_t *value);

/* Is each value larger than the one before it by at least a quarter of the mean step? */
bool growth_is_steady(const struct growth_table *g, const int64_t *value);

#endif
