/*
 * scale.h - values of one unit in another
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is the same size stays as it is, to the last bit; everything else goes through double, as
 * in pprof.
 */
#ifndef PROFILE_SCALE_H
#define PROFILE_SCALE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * How many `to` make one `from` ("ms" and "ns": 1e6).
 *
 * from, to  units that agree by unit_agree
 * Gives     1 when they are the same size
 */
double scale_ratio(const char *from, const char *to);

/* Is b the finer of two units that agree by unit_agree? */
bool scale_is_finer(const char *a, const char *b);

/*
 * v * ratio, halves away from zero.
 *
 * out    untouched when the result leaves int64_t
 * Gives  true when it does, as num_add
 * Like   pprof profile/profile.go, ScaleN, which does not check
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
 * A period in another unit, toward zero; otherwise as scale_value.
 *
 * Like   pprof internal/measurement, ScaleProfiles
 */
bool scale_period(int64_t period, const char *from, const char *to, int64_t *out);

#endif
