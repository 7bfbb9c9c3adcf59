/*
 * normalize.h - make profiles comparable: by how much one is to be scaled to be as large as another
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_NORMALIZE_H
#define PROFILE_NORMALIZE_H

#include "base/err.h"
#include "base/unit.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

enum normalize_by { NORMALIZE_NONE, NORMALIZE_TOTAL, NORMALIZE_DURATION, NORMALIZE_LABEL };

struct normalize {
	enum normalize_by by;
	/* NORMALIZE_LABEL; borrowed from the mode */
	const char *key;   /* of the label, n_key bytes */
	const char *value; /* the text it shall have, NULL for any */
	size_t n_key;
};

/* Words for the ways, as in -normalize. */
extern const char *const normalize_words[];

/*
 * Understand the value of -normalize: "" and what Go takes for false is none, what Go takes for true
 * is total; else none, total, duration or label:KEY[=VALUE].
 *
 * Fails   ERR_USAGE
 */
int normalize_parse(const char *mode, struct normalize *out, struct err *err);

/*
 * By how much the values of a profile are to be multiplied to compare with a base.
 *
 * total      makes the sum of each type that of the base; 0 where the profile's sum is 0
 * duration   base duration / own duration: values per second
 * label:KEY  the same with what normalize_label_size gives
 *
 * ratio   [p->n_types] as profile_scale takes them; 1 for NORMALIZE_NONE
 * Fails   ERR_FORMAT when the types differ, or there is no duration or no such label; ERR_RANGE
 *         when a sum leaves 64 bits
 * Like    pprof profile/merge.go, Normalize, for total
 */
int normalize_ratios(const struct normalize *how, const struct profile *p, const struct profile *base, double *ratio,
		     struct err *err);

struct label_size {
	double size;
	bool numbers;                     /* it is a sum of numbers, not of values */
	const struct unit_family *family; /* of the numbers' unit, NULL for none; they are summed in its base unit */
};

/*
 * The size of a profile by a label: the sum of its numbers over all samples, each counted once
 * whatever its values are (requests, say), when there are such numbers and no value is asked for;
 * else the sum of the magnitudes of the samples that carry it.
 *
 * column  [n_rows] values of the samples
 * Fails   ERR_FORMAT when numbers have units that do not agree
 */
int normalize_label_size(const struct normalize *how, const struct profile *p, const int64_t *column,
			 struct label_size *out, struct err *err);

#endif
