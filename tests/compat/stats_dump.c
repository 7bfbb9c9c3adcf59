/*
 * stats_dump.c - evaluate distributions with the functions of engine/stats
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads lines "NAME NUMBER..." and prints the result of each on a line, with all digits.
 */
#include "config.h"

#include "engine/stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = 64 };

static double interval_lo(double kb, double kn, double rho, double tail)
{
	double lo, hi;

	stats_ratio_interval(kb, kn, rho, tail, &lo, &hi);
	return lo;
}

static double interval_hi(double kb, double kn, double rho, double tail)
{
	double lo, hi;

	stats_ratio_interval(kb, kn, rho, tail, &lo, &hi);
	return hi;
}

static double answer(const char *name, const double *v, size_t n)
{
	static const struct {
		const char *name;
		size_t n;
		double (*one)(double);
		double (*two)(double, double);
		double (*three)(double, double, double);
		double (*four)(double, double, double, double);
	} asked[] = {
		{ "normal_tail", 1, .one = stats_normal_tail }, { "normal_quantile", 1, .one = stats_normal_quantile },
		{ "t_tail", 2, .two = stats_t_tail },           { "t_quantile", 2, .two = stats_t_quantile },
		{ "p_to_t", 2, .two = stats_p_to_t },           { "beta", 3, .three = stats_beta },
		{ "ratio_p", 4, .four = stats_ratio_p },        { "ratio_p_exact", 4, .four = stats_ratio_p_exact },
		{ "interval_lo", 4, .four = interval_lo },      { "interval_hi", 4, .four = interval_hi },
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		if (strcmp(name, asked[i].name) || n != asked[i].n)
			continue;
		if (asked[i].one)
			return asked[i].one(v[0]);
		if (asked[i].two)
			return asked[i].two(v[0], v[1]);
		return asked[i].three ? asked[i].three(v[0], v[1], v[2]) : asked[i].four(v[0], v[1], v[2], v[3]);
	}
	return NAN;
}

int main(void)
{
	char line[4096], name[32];

	while (fgets(line, sizeof(line), stdin)) {
		double v[MOST_NUMBERS];
		int at = 0, used;
		size_t n = 0;

		if (sscanf(line, "%31s%n", name, &at) != 1)
			continue;
		for (; n < MOST_NUMBERS && sscanf(line + at, "%lf%n", &v[n], &used) == 1; n++)
			at += used;
		printf("%.17g\n", answer(name, v, n));
	}
	return 0;
}
