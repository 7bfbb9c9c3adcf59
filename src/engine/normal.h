/*
 * normal.h - how two sides of a comparison are made comparable
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_NORMAL_H
#define ENGINE_NORMAL_H

#include "base/err.h"
#include "engine/view.h"

enum normal_mode { NORMAL_NONE, NORMAL_TOTAL, NORMAL_DURATION, NORMAL_LABEL };

struct normal {
	enum normal_mode mode;
	const char *key;   /* of the label; n_key bytes, borrowed from the option */
	const char *value; /* its text, or NULL for any */
	size_t n_key;
};

/* Words for the modes, as in --normalize. */
extern const char *const normal_words[];

/*
 * Understand --normalize=none|total|duration|label:KEY[=VALUE]; alone it is total.
 *
 * Fails   ERR_USAGE
 */
int normal_parse(const char *text, struct normal *out, struct err *err);

/* What a profile is scaled by. */
struct normal_size {
	double size;      /* its total, duration or sum of samples with the label; 0 when unknown; 1 for none */
	double period_ns; /* duration: of the samples that are counted; 0 for other values */
};

/*
 * The size of a profile for a normalisation.
 *
 * ratio   values of the view times this are in the unit of the comparison
 */
struct normal_size normal_size(const struct normal *n, const struct view *v, double ratio);

/*
 * What values of one profile are multiplied by to make it the size of another. A duration also
 * weighs samples by their period where their number is what is counted and the periods differ: so
 * many samples then stand for so much more time.
 *
 * Fails   ERR_USAGE when a size is 0 or unknown
 * Like    pprof profile/profile.go Normalize, for the total
 */
int normal_factor(const struct normal *n, const struct normal_size *to, const struct normal_size *own, double *out,
		  bool *by_period, struct err *err);

#endif
