/*
 * estimate.h - the size of a store, estimated from a sample of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A quarter, half and all of the sample are stored as the store would store them. The sizes of more profiles follow from the growth
 * between these: if twice as many profiles had 2^e times the size, and before that 2^f times, the next doubling has 2^(e * r), then
 * 2^(e * r * r) ..., with r = e / f, at most 1. So what grows more slowly with each profile, as the stacks of a program do, ends growing.
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

/* Measurements of a kind of profiles. */
struct estimate {
	size_t n;                   /* profiles of the sample */
	double rows;                /* of a profile */
	struct estimate_growth raw; /* bytes of a profile, without the dictionary: row numbers grow with it */
	struct estimate_growth raw_dict;
	/* of tiers: rows of a slot with parts of the sample, without gauges from 1h on; bytes of such a row; bytes of gauges
	   and numbers of profiles of a slot of one instance; dictionary */
	struct estimate_growth slot_rows[N_TIERS], slot_dict[N_TIERS];
	double row_bytes[N_TIERS], own_bytes[N_TIERS];
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
