/*
 * normalize.h - factors that scale a profile to the size of another, for comparison
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

struct normalize_options {
	enum normalize_by by;
	/* for NORMALIZE_LABEL; borrowed from the value of -normalize */
	const char *key;   /* label key, n_key bytes */
	const char *value; /* required value of the label, NULL for any */
	size_t n_key;
};

/* Names of enum normalize_by, as in -normalize. */
extern const char *const normalize_modes[];

/*
 * Parse the value of -normalize: none, total, duration or label:KEY[=VALUE]. "" and Go's spellings of false mean none,
 * Go's spellings of true mean total.
 *
 * Fails   ERR_USAGE
 */
int normalize_parse(const char *mode, struct normalize_options *out, struct err *err);

/*
 * The factors that scale the values of a profile to those of a base.
 *
 * total      base sum / own sum of each type; 0 where the own sum is 0
 * duration   base duration / own duration
 * label:KEY  base size / own size, from normalize_label_size
 *
 * ratio   [p->n_types] for profile_scale; 1 for NORMALIZE_NONE
 * Fails   ERR_FORMAT when the types differ, or the duration or the label is missing; ERR_RANGE when a
 *         sum overflows int64_t
 * Like    pprof profile/merge.go, Normalize, for total
 */
int normalize_ratios(const struct normalize_options *options, const struct profile *p, const struct profile *base,
		     double *ratio, struct err *err);

struct label_size {
	double size;
	bool is_numeric;                  /* size is a sum of numeric labels, not of sample values */
	const struct unit_family *family; /* family of the numbers' unit, NULL for none; size is in its base unit */
};

/*
 * The size of a profile by a label. If the label has numbers (requests, say) and the options have no
 * value, it is the sum of these numbers over all samples, whatever the sample values are. Else it is the
 * sum of the absolute values of the samples with the label.
 *
 * column  [n_rows] values of the samples
 * Fails   ERR_FORMAT when the numbers have incompatible units
 */
int normalize_label_size(const struct normalize_options *options, const struct profile *p, const int64_t *column,
			 struct label_size *out, struct err *err);

#endif
