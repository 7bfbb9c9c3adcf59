/*
 * estimate.h - the size of a store, estimated from a sample of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Distinct stacks of more profiles follow from the sample by Chao's estimate: if q1 rows are in one profile of the sample, and q2 in two,
 * about q1^2 / (2 q2) are in none of them yet. With x times the profiles, all but exp(-(x - 1) q1 / unseen) of these are found.
 * From  Colwell et al., Models and estimators linking individual-based and sample-based rarefaction (2012), equation 18
 *
 * Sizes of a quarter, half and all of the sample are those that the store would write. Dictionaries grow with the distinct stacks as between
 * half and all of the sample. Rows of slots of many profiles have the bytes of slots that are made of the sample: the same rows with larger
 * values. Other sizes, such as the bytes of a raw profile, continue the growth of the sample: if twice as many profiles had 2^e times the
 * size, and before that 2^f times, the next doubling has 2^(e * r), then 2^(e * r * r) ..., with r = e / f, at most 1.
 */
#ifndef STORE_LOCAL_UPKEEP_ESTIMATE_H
#define STORE_LOCAL_UPKEEP_ESTIMATE_H

#include "base/err.h"
#include "profile/profile.h"
#include "store/local/write/retain.h"
#include "store/store.h"

#include <stddef.h>
#include <stdint.h>

enum { ESTIMATE_PROFILES_MIN = 4 };

/* A value for a quarter of the sample, half of it, and all of it. */
struct estimate_growth {
	double quarter, half, all;
};

/* Distinct rows of parts of the sample, and the estimated number of those that it lacks. */
struct estimate_rows {
	struct estimate_growth seen;
	double single; /* rows that are in one profile */
	double unseen;
};

enum { ESTIMATE_SCALES = 4 };

/* Measurements of a kind of profiles. */
struct estimate {
	size_t n;                   /* profiles of the sample */
	double rows;                /* of a profile */
	struct estimate_growth raw; /* bytes of a profile, without the dictionary: row numbers grow with it */
	struct estimate_growth raw_dict, slot_dict;
	/* of raw profiles; of slots, and those that have values which are not gauges */
	struct estimate_rows raw_rows, slot_rows, counted_rows;
	/* bytes of a row of a slot: of 10m; of one with 1, 16, 256, 4096 times the values of the sample */
	double row_bytes, scaled_bytes[ESTIMATE_SCALES];
	double own_bytes[N_TIERS]; /* of 1h and 1d: of gauges and numbers of profiles of a slot of one instance */
	double base_bytes;         /* of the last snapshot of an instance, which each segment of slots has */
};

/*
 * Measure a sample of at least ESTIMATE_PROFILES_MIN profiles of one kind, oldest first, as if one instance had them.
 *
 * Fails  ERR_LIMIT, ERR_RANGE
 */
int estimate_measure(const char *kind, const struct profile *const *p, size_t n, struct estimate *out, struct err *err);

/* Bytes of a tier when it has this many days of profiles of some instances. */
double estimate_bytes(const struct estimate *e, enum store_tier tier, double instances, double every_s, double days);

/* The days of a tier that a store has after some days, by a rule. */
double estimate_days(const struct retain_rule *rule, enum store_tier tier, double days);

#endif
