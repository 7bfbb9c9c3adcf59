/*
 * gate_detection.c - how often a gate names what became slower
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "tests/bench/gate_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_SIZES = 4, N_SHARES = 4, N_RATIOS = 5 };

static const double size[N_SIZES] = { 1e3, 3e3, 1e4, 1e5 }, share[N_SHARES] = { .01, .02, .05, .1 };
static const double ratio[N_RATIOS] = { 1.2, 1.25, 1.3, 1.5, 2 };

/* Percent of FAIL, and of FAIL or SUSPECT: by samples, share, ratio. From the design: 1,000 trials each. */
static const signed char expected[N_SIZES][N_SHARES][N_RATIOS][2] = {
	{
		{ { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 2 } },
		{ { 0, 3 }, { 1, 4 }, { 1, 6 }, { 2, 15 }, { 24, 55 } },
		{ { 1, 6 }, { 1, 8 }, { 3, 13 }, { 13, 37 }, { 68, 89 } },
		{ { 2, 8 }, { 3, 13 }, { 5, 20 }, { 28, 56 }, { 90, 97 } },
	},
	{
		{ { 0, 3 }, { 0, 3 }, { 1, 5 }, { 5, 17 }, { 42, 69 } },
		{ { 1, 4 }, { 1, 7 }, { 3, 10 }, { 14, 37 }, { 82, 95 } },
		{ { 3, 12 }, { 6, 21 }, { 11, 33 }, { 55, 79 }, { 99, 100 } },
		{ { 6, 19 }, { 14, 38 }, { 28, 56 }, { 85, 96 }, { 100, 100 } },
	},
	{
		{ { 1, 9 }, { 3, 14 }, { 6, 21 }, { 36, 64 }, { 99, 100 } },
		{ { 5, 21 }, { 13, 35 }, { 25, 48 }, { 81, 94 }, { 100, 100 } },
		{ { 21, 48 }, { 44, 71 }, { 68, 86 }, { 99, 100 }, { 100, 100 } },
		{ { 39, 40 }, { 74, 76 }, { 92, 93 }, { 100, 100 }, { 100, 100 } },
	},
	{
		{ { 48, 48 }, { 82, 82 }, { 98, 98 }, { 100, 100 }, { 100, 100 } },
		{ { 49, 49 }, { 91, 91 }, { 100, 100 }, { 100, 100 }, { 100, 100 } },
		{ { 50, 50 }, { 98, 98 }, { 100, 100 }, { 100, 100 }, { 100, 100 } },
		{ { 43, 43 }, { 99, 99 }, { 100, 100 }, { 100, 100 }, { 100, 100 } },
	},
};

/* The same from the program that the method was first tried in, 50 to 150 trials each: shares of 5 and 10 %, the
   first four ratios. */
static const signed char first[N_SIZES][2][4][2] = {
	{ { { 3, 10 }, { 1, 9 }, { 6, 18 }, { 17, 44 } }, { { 3, 15 }, { 4, 18 }, { 11, 33 }, { 45, 73 } } },
	{ { { 2, 14 }, { 7, 22 }, { 17, 38 }, { 68, 87 } }, { { 12, 31 }, { 18, 41 }, { 37, 68 }, { 90, 98 } } },
	{ { { 28, 58 }, { 51, 79 }, { 66, 91 }, { 100, 100 } }, { { 52, 52 }, { 81, 81 }, { 96, 96 }, { 100, 100 } } },
	{ { { 58, 58 }, { 100, 100 }, { 100, 100 }, { 100, 100 } },
	  { { 68, 68 }, { 100, 100 }, { 100, 100 }, { 100, 100 } } },
};

/* How far all cells are from one of the tables above, in points. */
struct apart {
	double least, most, sum;
	unsigned n, beyond; /* cells that chance does not explain: above 3 standard errors of both */
};

static void hold(struct apart *a, double got, unsigned trials, double want, unsigned their_trials)
{
	double p = (got * trials + want * their_trials) / 100 / (trials + their_trials), apart = got - want;
	double se = 100 * sqrt(fmax(p * (1 - p), 0.002) * (1. / trials + 1. / their_trials));

	a->least = fmin(a->least, apart);
	a->most = fmax(a->most, apart);
	a->sum += apart;
	a->n++;
	a->beyond += fabs(apart) > 3 * se + 0.5; /* they were rounded */
}

static void say_apart(const char *what, const struct apart *a)
{
	printf("- %s: %.1f points below to %.1f above, %.1f above on average; chance does not explain %u of %u\n", what,
	       -a->least, a->most, a->sum / a->n, a->beyond, a->n);
}

static void cell(const struct tally *t, const signed char want[2])
{
	printf(" %.1f/%.1f (%d/%d) |", percent(t->hit_fail, t->trials), percent(t->hit_suspect, t->trials), want[0],
	       want[1]);
	fflush(stdout);
}

/* A 10 % function became 30 % slower, and one of 20 % became 60 % faster in the same change. */
static void say_beside(unsigned trials)
{
	struct scene s = { .runs = 1, .target = WORLD_TARGET };
	struct world w;
	double rest;

	world_flat(&w, 0.1);
	rest = 1 - 0.1 - w.share[0];
	for (int i = 1; i < WORLD_FUNCS; i++)
		w.share[i] *= i == WORLD_TARGET ? 1 : (1 - 0.1 - 0.2) / rest;
	w.share[0] = 0.2;
	s.world = &w;
	s.factor[WORLD_TARGET] = 1.3;
	s.factor[0] = 0.4;
	printf("- a 10 %% function at +30 %%, beside one of 20 %% that became 60 %% faster:");
	for (unsigned i = 0; i < 3; i++) {
		struct tally t;

		s.samples[0] = s.samples[1] = size[i];
		s.seed = 3900 + i;
		t = scene_run(&s, trials);
		printf(" %.1f/%.1f at %.0f samples%s", percent(t.hit_fail, trials), percent(t.hit_suspect, trials),
		       size[i], i < 2 ? "," : "\n");
	}
	world_release(&w);
}

int table_detection(unsigned trials)
{
	struct scene s = { .runs = 1, .target = WORLD_TARGET };
	struct apart design = { 0 }, tried = { 0 };
	struct world w;

	puts("\n### gate: how often a slower function is found\n");
	printf("%u runs a cell, one pair. Percent FAIL/FAIL or SUSPECT, and in parentheses what the design expected.\n",
	       trials);
	puts("That simulation had no floor of 40 samples, so at 1,000 it made more tests and found less.\n");
	puts("| samples a side | share | +20 % | +25 % | +30 % | +50 % | +100 % |\n|--:|--:|---|---|---|---|---|");
	for (unsigned i = 0; i < N_SIZES; i++)
		for (unsigned j = 0; j < N_SHARES; j++) {
			world_flat(&w, share[j]);
			s.world = &w;
			s.samples[0] = s.samples[1] = size[i];
			printf("| %.0f | %.0f %% |", size[i], 100 * share[j]);
			for (unsigned k = 0; k < N_RATIOS; k++) {
				struct tally t;

				s.factor[WORLD_TARGET] = ratio[k];
				s.seed = 3000 + 100 * i + 10 * j + k;
				t = scene_run(&s, trials);
				cell(&t, expected[i][j][k]);
				for (int what = 0; what < 2; what++) {
					double got = percent(what ? t.hit_suspect : t.hit_fail, trials);

					hold(&design, got, trials, expected[i][j][k][what], 1000);
					if (j >= 2 && k < 4)
						hold(&tried, got, trials, first[i][j - 2][k][what], 100);
				}
			}
			printf("\n");
			world_release(&w);
		}
	printf("\n");
	say_beside(trials);
	say_apart("against the design (1,000 runs a cell)", &design);
	say_apart("against its first trial (about 100 runs a cell, shares of 5 and 10 %)", &tried);
	return say_goal("at most 3 points below the design", -design.least, 3);
}
