/*
 * scale.c - convert values between units
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/scale.h"

#include "base/num.h"
#include "base/unit.h"

#include <assert.h>
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

double mean_of_samples(const struct profile *p, uint32_t samples, uint32_t type)
{
	const int64_t *n = p->value[samples], *value = p->value[type];
	double count = 0, sum = 0;

	assert(samples < p->n_types && type < p->n_types);
	for (uint32_t i = 0; i < p->n_rows; i++) {
		count += (double)num_abs(n[i]);
		sum += n[i] ? (double)num_abs(value[i]) : 0;
	}
	return count > 0 ? sum / count : 0;
}
