/*
 * scale.c - convert values between units
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/scale.h"

#include "base/unit.h"

#include <string.h>

double scale_ratio(const char *from, const char *to)
{
	const char *unit;

	return strcmp(from, to) == 0 ? 1 : unit_scale(1, from, to, &unit);
}

bool scale_is_finer(const char *a, const char *b)
{
	return scale_ratio(b, a) < 1;
}

bool scale_period(int64_t period, const char *from, const char *to, int64_t *out)
{
	const char *unit;
	double scaled;

	if (scale_ratio(from, to) == 1) {
		*out = period;
		return false;
	}
	scaled = unit_scale(period, from, to, &unit);
	if (!(scaled >= -0x1p63 && scaled < 0x1p63))
		return true;
	*out = (int64_t)scaled;
	return false;
}
