/*
 * scale.h - convert values between units
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * If the units have the same size, values are unchanged to the last bit. Otherwise they are converted
 * through double, as in pprof.
 */
#ifndef PROFILE_SCALE_H
#define PROFILE_SCALE_H

#include "profile/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The size of unit `from` in units `to` ("ms" to "ns": 1e6).
 *
 * from, to  compatible units (unit_is_compatible)
 * Returns   1 when they have the same size
 */
double scale_ratio(const char *from, const char *to);

/* Is b finer than a? They must be compatible units. */
bool scale_is_finer(const char *a, const char *b);

/*
 * v * ratio, rounding halves away from zero.
 *
 * out      unchanged when the result overflows int64_t
 * Returns  true on overflow, as num_add
 * Like     pprof profile/profile.go, ScaleN, which does not check
 */
static inline bool scale_value(int64_t v, double ratio, int64_t *out)
{
	double scaled;

	if (ratio == 1) {
		*out = v;
		return false;
	}
	scaled = round((double)v * ratio);
	if (!(scaled >= -0x1p63 && scaled < 0x1p63))
		return true;
	*out = (int64_t)scaled;
	return false;
}

/*
 * Convert a period to another unit, rounding toward zero; otherwise like scale_value.
 *
 * Like   pprof internal/measurement, ScaleProfiles
 */
bool scale_period(int64_t period, const char *from, const char *to, int64_t *out);

/*
 * Divide the sum of a sample type by the number of samples, over the rows that have any. Absolute values are used.
 *
 * samples  the sample type that counts samples
 * Returns  0 if there are no samples
 */
double mean_of_samples(const struct profile *p, uint32_t samples, uint32_t type);

#endif
