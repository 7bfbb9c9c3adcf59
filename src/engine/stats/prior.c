/*
 * prior.c - what the dispersions of many rows say of a single one
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Empirical Bayes of Smyth 2004 (limma): logarithms of dispersions spread as log F; what they spread beyond their
 * own degrees of freedom is how much rows really differ.
 */
#include "config.h"

#include "engine/stats/stats.h"

#include <math.h>

enum { FEW_ROWS = 6 };

static const double least_phi = 0.1, least_d0 = 2, most_d0 = 200;

struct stats_prior stats_prior(const double *phi, size_t n, double df)
{
	struct stats_prior prior = { .d0 = least_d0, .s0 = 1, .df = df };
	double shift = log(0.5 * df) - stats_digamma(0.5 * df), sum = 0, mean, squares = 0, excess;

	if (n == 0)
		return prior;
	for (size_t i = 0; i < n; i++)
		sum += log(fmax(least_phi, phi[i]));
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += pow(log(fmax(least_phi, phi[i])) - mean, 2);
	if (n >= FEW_ROWS) {
		excess = squares / (double)(n - 1) - stats_trigamma(0.5 * df);
		prior.d0 = most_d0;
		if (excess > 0.01)
			prior.d0 = fmin(fmax(2 * stats_trigamma_inverse(excess), least_d0), most_d0);
	}
	prior.s0 = exp(mean + shift + stats_digamma(0.5 * prior.d0) - log(0.5 * prior.d0));
	return prior;
}

double stats_moderate(const struct stats_prior *prior, double phi, double *nu)
{
	*nu = prior->d0 + prior->df;
	return fmax(1, (prior->d0 * prior->s0 + prior->df * phi) / *nu);
}
