/*
 * stats.c - distributions, tests and power for two counts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The incomplete beta function I_x(a, b) is x^a (1-x)^b / (a B(a, b)) times a continued fraction. If the first factor is
 * computed with three calls of lgamma, it is a difference of numbers near 2e10 when a and b are near 1e9, and wrong from
 * the fifth digit on. So lgamma is split as in Loader's algorithm for the binomial density (Fast and Accurate
 * Computation of Binomial Probabilities, 2000): Stirling's leading terms cancel algebraically, and the remainder is
 * small.
 *
 * Given the sum of two Poisson counts, the count of new is binomial with odds r0 * rho (Przyborowski and Wilenski
 * 1940). The binomial tail is an incomplete beta function, which also accepts counts that are not integers.
 *
 * A row is detected if its ratio is above the threshold and far enough from 1 for all tests together.
 */
#include "config.h"

#include "engine/stats/stats.h"

#include "base/mem.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double half_ln_2pi = 0.91893853320467274178;

/* lgamma(z) - ((z - 1/2) ln z - z + ln(2 pi) / 2) */
static double stirling_remainder(double z)
{
	static const double term[] = { 1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
				       1.0 / 1188, -691.0 / 360360, 1.0 / 156 };
	double sum = 0;
	int sign;

	if (z < 16)
		return lgamma_r(z, &sign) - ((z - 0.5) * log(z) - z + half_ln_2pi);
	for (size_t i = sizeof(term) / sizeof(*term); i-- > 0;)
		sum = sum / (z * z) + term[i];
	return sum / z;
}

/* u ln(u / v) + v - u, >= 0; computed by its series if u and v are close. */
static double deviance(double u, double v)
{
	double d = (u - v) / (u + v), sum = (u - v) * d, power = 2 * u * d;

	if (fabs(d) > 0.1)
		return u * log(u / v) + v - u;
	for (int i = 3; i < 100; i += 2) {
		double before = sum;

		power *= d * d;
		sum += power / i;
		if (sum == before)
			break;
	}
	return sum;
}

/* ln of x^a y^b / B(a, b) */
static double ln_front(double x, double y, double a, double b)
{
	double n = a + b;

	return 0.5 * (log(a) - log1p(a / b)) - half_ln_2pi - deviance(a, x * n) - deviance(b, y * n) -
	       stirling_remainder(a) - stirling_remainder(b) + stirling_remainder(n);
}

static double not_zero(double v)
{
	return fabs(v) < DBL_MIN / DBL_EPSILON ? DBL_MIN / DBL_EPSILON : v;
}

/* Lentz's method. It takes about sqrt(max(a, b)) steps; the limit is for callers beyond 1e9. */
static double fraction(double x, double a, double b)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < 1000000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		h *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) <= 2 * DBL_EPSILON)
			break;
	}
	return h;
}

/* I_x(a, b) with y = 1 - x passed separately, since it may have more digits than x. */
static double beta_xy(double x, double y, double a, double b)
{
	if (a <= 0)
		return 1;
	if (b <= 0)
		return 0;
	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	if (x < (a + 1) / (a + b + 2))
		return fmin(1, exp(ln_front(x, y, a, b)) * fraction(x, a, b) / a);
	return fmax(0, 1 - exp(ln_front(x, y, a, b)) * fraction(y, b, a) / b);
}

double stats_beta(double x, double a, double b)
{
	return beta_xy(x, 1 - x, a, b);
}

/* The same for odds x / (1 - x), 0 to INFINITY. */
static double beta_odds(double odds, double a, double b)
{
	return beta_xy(1 / (1 + 1 / odds), 1 / (1 + odds), a, b);
}

typedef double (*rising_fn)(const void *arg, double x);

/*
 * The x > 0 at which a non-decreasing function f reaches want, found by bisection of ln x.
 *
 * Returns 0 when f reaches want below e^-700, INFINITY when f does not reach it below e^700
 */
static double solve(rising_fn f, const void *arg, double want)
{
	double lo = -700, hi = 700;

	if (f(arg, exp(lo)) >= want)
		return 0;
	if (f(arg, exp(hi)) < want)
		return INFINITY;
	while (hi - lo > 1e-14 * fmax(1, fabs(lo))) {
		double mid = 0.5 * (lo + hi);

		if (mid <= lo || mid >= hi)
			break;
		*(f(arg, exp(mid)) < want ? &lo : &hi) = mid;
	}
	return exp(0.5 * (lo + hi));
}

/* From here on the continued fraction of the beta function is less exact than Abramowitz and Stegun 26.7.8. */
static const double many_degrees = 1e7;

double stats_normal_tail(double z)
{
	return 0.5 * erfc(z * M_SQRT1_2);
}

/* Abramowitz and Stegun 26.2.23, error at most 4.5e-4; 0 < p <= 1/2. */
static double quantile_start(double p)
{
	double t = sqrt(-2 * log(p));

	return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

double stats_normal_quantile(double p)
{
	double z;

	if (!(p > 0 && p < 1))
		return p <= 0 ? INFINITY : p >= 1 ? -INFINITY : p;
	if (p > 0.5)
		return -stats_normal_quantile(1 - p);
	z = quantile_start(p);
	for (int i = 0; i < 4; i++) { /* Halley's method */
		double density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
		double e = (stats_normal_tail(z) - p) / density;

		z += e / (1 + 0.5 * z * e);
	}
	return z;
}

double stats_t_tail(double t, double nu)
{
	if (isinf(nu) || isinf(t) || isnan(t))
		return stats_normal_tail(t);
	if (nu > many_degrees)
		return stats_normal_tail(t * (1 - 0.25 / nu) / hypot(1, t / sqrt(2 * nu)));
	if (t < 0)
		return 1 - stats_t_tail(-t, nu);
	return 0.5 * beta_odds(nu / t / t, 0.5 * nu, 0.5);
}

static double t_below(const void *arg, double t)
{
	const double *nu = arg;

	return -stats_t_tail(t, *nu);
}

double stats_t_quantile(double p, double nu)
{
	assert(nu > 0);
	if (isinf(nu))
		return stats_normal_quantile(p);
	if (p > 0.5)
		return -stats_t_quantile(1 - p, nu);
	return p < 0.5 ? solve(t_below, &nu, -p) : 0;
}

double stats_p_to_t(double p, double nu)
{
	return isinf(nu) ? p : stats_t_tail(stats_normal_quantile(p), nu);
}

static const double count_max = 1e9; /* the beta function takes sqrt(count) steps */

/* Above these counts, the logarithm is close to normal, and the beta function is slow. */
static const double normal_sum = 1e6, normal_smaller = 1e5;

struct stats_stats_counts {
	double base, new;
	double equal; /* weight of the probability of equality */
};

static struct stats_stats_counts counts_of(double kb, double kn, double equal)
{
	return (struct stats_stats_counts){ fmin(fmax(kb, 0), count_max), fmin(fmax(kn, 0), count_max), equal };
}

/* P(count of new >= k->new) at odds new / base; increases with the odds. */
static double p_at_odds(const void *arg, double odds)
{
	const struct stats_stats_counts *k = arg;

	if (k->base + k->new > normal_sum && fmin(k->base, k->new) > normal_smaller)
		return stats_normal_tail((log(k->new) - log(k->base) - log(odds)) / sqrt(1 / k->base + 1 / k->new));
	if (k->equal == 1)
		return beta_odds(odds, k->new, k->base + 1);
	return 0.5 * (beta_odds(odds, k->new, k->base + 1) + beta_odds(odds, k->new + 1, k->base));
}

static double ratio_p(struct stats_stats_counts k, double rho, double r0)
{
	double p = p_at_odds(&k, r0 * rho);

	assert(p >= 0 && p <= 1);
	return p;
}

double stats_ratio_p(double kb, double kn, double rho, double r0)
{
	return ratio_p(counts_of(kb, kn, 0.5), rho, r0);
}

double stats_ratio_p_exact(double kb, double kn, double rho, double r0)
{
	return ratio_p(counts_of(kb, kn, 1), rho, r0);
}

void stats_ratio_interval(double kb, double kn, double rho, double tail, double *lo, double *hi)
{
	struct stats_stats_counts k = counts_of(kb, kn, 0.5);

	*lo = solve(p_at_odds, &k, tail) / rho;
	*hi = solve(p_at_odds, &k, 1 - tail) / rho;
	assert(*lo <= *hi);
}

struct stats_ranked {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	const struct stats_ranked *x = a, *y = b;

	return x->p != y->p ? (x->p < y->p ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* The p-values that are not NAN, smallest first; freed by the caller. */
static struct stats_ranked *rank(const double *p, size_t n, size_t *m)
{
	struct stats_ranked *r = mem_alloc(n ? n : 1, sizeof(*r));

	*m = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			r[(*m)++] = (struct stats_ranked){ p[i], i };
	qsort(r, *m, sizeof(*r), by_p);
	return r;
}

void stats_holm(double *p, size_t n)
{
	double max_p = 0;
	size_t m;
	struct stats_ranked *r = rank(p, n, &m);

	for (size_t j = 0; j < m; j++) {
		max_p = fmax(max_p, fmin(1, (double)(m - j) * r[j].p));
		assert(r[j].p >= 0 && max_p >= r[j].p);
		p[r[j].at] = max_p;
	}
	free(r);
}

void stats_bh(double *p, size_t n)
{
	double min_p = 1;
	size_t m;
	struct stats_ranked *r = rank(p, n, &m);

	for (size_t j = m; j-- > 0;) {
		min_p = fmin(min_p, (double)m * r[j].p / (double)(j + 1));
		assert(min_p >= 0 && min_p <= 1);
		p[r[j].at] = min_p;
	}
	free(r);
}

static double z_alpha(const struct stats_power *power)
{
	double p = power->alpha / fmax(1, power->tests);

	return power->nu > 0 && isfinite(power->nu) ? stats_t_quantile(p, power->nu) : stats_normal_quantile(p);
}

static double z_beta(void)
{
	return stats_normal_quantile(0.2);
}

double stats_power_ratio(const struct stats_power *power, double share, double n)
{
	double se;

	if (!(share > 0 && share < 1 && n > 0))
		return INFINITY;
	assert(power->noise >= 0 && power->threshold >= 0);
	se = sqrt(2 / (share * (1 - share) * n) + 2 * power->noise * power->noise);
	return exp(fmax(z_alpha(power) * se, log1p(power->threshold)) + z_beta() * se);
}

double stats_power_samples(const struct stats_power *power, double share, double ratio)
{
	double past = log(ratio) - log1p(power->threshold), se, room;

	if (!(share > 0 && share < 1 && past > 0))
		return INFINITY;
	se = fmin(log(ratio) / (z_alpha(power) + z_beta()), past / z_beta());
	room = se * se - 2 * power->noise * power->noise;
	return room > 0 ? 2 / (share * (1 - share) * room) : INFINITY;
}
