/*
 * bench_rank.c - the interval of a median from paired measurements
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "bench_rank.h"

#include <stdlib.h>

static int rank_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The smallest s with P(W <= s) >= tail, for the sum W of a random subset of 1 .. n. The probabilities of all sums are
 * made number by number: each is in the subset or not.
 */
static int rank_quantile(int n, double tail)
{
	int n_sums = n * (n + 1) / 2 + 1, s = 0;
	double *p = calloc((size_t)n_sums, sizeof(*p)), sum;

	if (!p)
		abort();
	p[0] = 1;
	for (int k = 1; k <= n; k++)
		for (int i = k * (k + 1) / 2; i >= 0; i--)
			p[i] = (p[i] + (i >= k ? p[i - k] : 0)) / 2;
	for (sum = p[0]; sum < tail; sum += p[s])
		s++;
	free(p);
	return s;
}

bool rank_interval(const double *x, int n, double level, struct rank_interval *out)
{
	int n_means = n * (n + 1) / 2, at = 0, cut = rank_quantile(n, level / 2);
	double *mean = malloc((size_t)n_means * sizeof(*mean));

	if (!mean)
		abort();
	for (int i = 0; i < n; i++)
		for (int k = 0; k <= i; k++)
			mean[at++] = (x[i] + x[k]) / 2;
	qsort(mean, (size_t)n_means, sizeof(*mean), rank_compare);
	out->mid = (mean[n_means / 2] + mean[(n_means - 1) / 2]) / 2;
	out->lo = mean[cut ? cut - 1 : 0];
	out->hi = mean[cut ? n_means - cut : n_means - 1];
	free(mean);
	return cut > 0;
}
