/*
 * normal.h - normalize the two sides of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_NORMAL_H
#define ENGINE_NORMAL_H

#include "base/err.h"
#include "engine/view.h"
#include "profile/normalize.h"

#include <stdbool.h>

/* The size of a profile by which it is scaled. */
struct normal_size {
	double size;      /* the total, the duration or the value of the label; 0 if unknown; 1 without normalization */
	double period_ns; /* with durations: period of the samples, if values are sample counts; else 0 */
	struct label_size label; /* sum of the label, for label:KEY */
};

/*
 * Find the size of a profile for a normalization.
 *
 * ratio   converts values of the view to the unit of the comparison
 * Fails   ERR_FORMAT as normalize_label_size
 */
int normal_size(const struct normalize_options *options, const struct view *v, double ratio, struct normal_size *out,
		struct err *err);

/*
 * Find the factor that scales a profile to the size of another. For a duration, if the values are sample counts and the
 * periods differ, the factor also includes the ratio of the periods.
 *
 * Fails   ERR_USAGE when a size is 0 or unknown
 * Like    pprof profile/profile.go Normalize, for the total
 */
int normal_factor(const struct normalize_options *options, const struct normal_size *to, const struct normal_size *own,
		  double *out, bool *by_period, struct err *err);

#endif
