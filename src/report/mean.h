/*
 * mean.h - mean value of a sample
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_MEAN_H
#define REPORT_MEAN_H

#include "profile/profile.h"

#include <stdint.h>

/*
 * Divide the sum of a sample type by the number of samples, over the rows that have any. Absolute values are used.
 *
 * samples  the sample type that counts samples
 * Returns  0 if there are no samples
 */
double mean_of_samples(const struct profile *p, uint32_t samples, uint32_t type);

#endif
