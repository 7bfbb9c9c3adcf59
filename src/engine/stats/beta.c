/*
 * beta.c - the regularized incomplete beta function
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * I_x(a, b) is x^a (1-x)^b / (a B(a, b)) times a continued fraction. Written with three lgamma, the first factor
 * is the difference of numbers near 2e10 when a and b are near 1e9, and wrong from the fifth digit on. So lgamma is
 * split as Loader does it for the binomial density (Fast and Accurate Computation of Binomial Probabilities, 2000):
 * Stirling's leading terms cancel on paper, and the rest is small.
 */
#include "config.h"

#include "engine/stats/stats.h"

#include "engine/stats/stats_int.h"

#include <float.h>
#include <math.h>

static const double half_ln_2pi = 0.91893853320467274178;

/* lgamma(z) - ((z - 1/2) ln z - z + ln(2 pi) / 2) */
static double stirling_rest(double z)
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

/* u ln(u / v) + v - u, at least 0; by its series where u and v are near each other. */
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
	       stirling_rest(a) - stirling_rest(b) + stirling_rest(n);
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

double stats_beta_xy(double x, double y, double a, double b)
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
	return stats_beta_xy(x, 1 - x, a, b);
}

double stats_beta_odds(double odds, double a, double b)
{
	return stats_beta_xy(1 / (1 + 1 / odds), 1 / (1 + odds), a, b);
}

double stats_solve(stats_rising_fn f, const void *arg, double want)
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
