/*
 * mean.c - mean value of a sample
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/mean.h"

#include "base/num.h"

#include <assert.h>

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
