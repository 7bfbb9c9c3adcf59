/*
 * normalize.h - make profiles comparable: by how much one is to be scaled to be as large as another
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_NORMALIZE_H
#define PROFILE_NORMALIZE_H

#include "base/err.h"
#include "profile/profile.h"

enum normalize_by { NORMALIZE_NONE, NORMALIZE_TOTAL, NORMALIZE_DURATION, NORMALIZE_LABEL };

struct normalize {
	enum normalize_by by;
	const char *key; /* NORMALIZE_LABEL: the label; borrowed from the mode */
};

/*
 * Understand the value of -normalize: "" and what Go takes for false is none, what Go takes for true
 * is total; else none, total, duration or label:KEY.
 *
 * Fails   ERR_USAGE
 */
int normalize_parse(const char *mode, struct normalize *out, struct err *err);

/*
 * By how much the values of a profile are to be multiplied to compare with a base.
 *
 * total      makes the sum of each type that of the base; 0 where the profile's sum is 0
 * duration   base duration / own duration: values per second
 * label:KEY  the same with the sum of the numeric label KEY over all samples, each counted once
 *            whatever its values are: values per request, say
 *
 * ratio   [p->n_types] as profile_scale takes them; 1 for NORMALIZE_NONE
 * Fails   ERR_FORMAT when the types differ, or there is no duration or no such label; ERR_RANGE
 *         when a sum leaves 64 bits
 * Like    pprof profile/merge.go, Normalize, for total
 */
int normalize_ratios(const struct normalize *how, const struct profile *p, const struct profile *base, double *ratio,
		     struct err *err);

#endif
