/*
 * adjust.c - p-values of many tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/stats.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->p != y->p ? (x->p < y->p ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* Those that are tests, smallest first; freed by the caller. */
static struct ranked *rank(const double *p, size_t n, size_t *m)
{
	struct ranked *r = mem_alloc(n ? n : 1, sizeof(*r));

	*m = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			r[(*m)++] = (struct ranked){ p[i], i };
	qsort(r, *m, sizeof(*r), by_p);
	return r;
}

void stats_holm(double *p, size_t n)
{
	double most = 0;
	size_t m;
	struct ranked *r = rank(p, n, &m);

	for (size_t j = 0; j < m; j++) {
		most = fmax(most, fmin(1, (double)(m - j) * r[j].p));
		p[r[j].at] = most;
	}
	free(r);
}

void stats_bh(double *p, size_t n)
{
	double least = 1;
	size_t m;
	struct ranked *r = rank(p, n, &m);

	for (size_t j = m; j-- > 0;) {
		least = fmin(least, (double)m * r[j].p / (double)(j + 1));
		p[r[j].at] = least;
	}
	free(r);
}
