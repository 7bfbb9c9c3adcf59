/*
 * normal.h - how two sides of a comparison are made comparable
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_NORMAL_H
#define ENGINE_NORMAL_H

#include "base/err.h"
#include "engine/view.h"
#include "profile/normalize.h"

#include <stdbool.h>

/* What a profile is scaled by. */
struct normal_size {
	double size;             /* its total, its duration or what its label says; 0 when unknown; 1 for none */
	double period_ns;        /* duration: of the samples that are counted; 0 for other values */
	struct label_size label; /* in label mode, with size as it is there */
};

/*
 * The size of a profile for a normalisation.
 *
 * ratio   values of the view times this are in the unit of the comparison
 * Fails   ERR_FORMAT as normalize_label_size
 */
int normal_size(const struct normalize *how, const struct view *v, double ratio, struct normal_size *out,
		struct err *err);

/*
 * What values of one profile are multiplied by to make it the size of another. A duration also
 * weighs samples by their period where their number is what is counted and the periods differ: so
 * many samples then stand for so much more time.
 *
 * Fails   ERR_USAGE when a size is 0 or unknown
 * Like    pprof profile/profile.go Normalize, for the total
 */
int normal_factor(const struct normalize *how, const struct normal_size *to, const struct normal_size *own, double *out,
		  bool *by_period, struct err *err);

#endif
