/*
 * gate_detection.c - rate of detection of slower functions
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

/*
 * Percent of FAIL, and of FAIL or SUSPECT, by samples, share and ratio, in the simulation of the design with 1,000
 * trials each.
 */
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

/* The same percentages from the first implementation of the method, with 50 to 150 trials each: shares of 5 and
   10 %, and the first four ratios. */
static const signed char first_expected[N_SIZES][2][4][2] = {
	{ { { 3, 10 }, { 1, 9 }, { 6, 18 }, { 17, 44 } }, { { 3, 15 }, { 4, 18 }, { 11, 33 }, { 45, 73 } } },
	{ { { 2, 14 }, { 7, 22 }, { 17, 38 }, { 68, 87 } }, { { 12, 31 }, { 18, 41 }, { 37, 68 }, { 90, 98 } } },
	{ { { 28, 58 }, { 51, 79 }, { 66, 91 }, { 100, 100 } }, { { 52, 52 }, { 81, 81 }, { 96, 96 }, { 100, 100 } } },
	{ { { 58, 58 }, { 100, 100 }, { 100, 100 }, { 100, 100 } },
	  { { 68, 68 }, { 100, 100 }, { 100, 100 }, { 100, 100 } } },
};

/* Differences of all cells from one of the tables above, in percentage points. */
struct differences {
	double min, max, sum;
	unsigned n, n_unexplained; /* cells with a difference above 3 standard errors of both */
};

static void add_difference(struct differences *a, double got, unsigned trials, double want, unsigned their_trials)
{
	double p = (got * trials + want * their_trials) / 100 / (trials + their_trials), difference = got - want;
	double se = 100 * sqrt(fmax(p * (1 - p), 0.002) * (1. / trials + 1. / their_trials));

	a->min = fmin(a->min, difference);
	a->max = fmax(a->max, difference);
	a->sum += difference;
	a->n++;
	a->n_unexplained += fabs(difference) > 3 * se + 0.5; /* 0.5: the tables are rounded */
}

static void print_differences(const char *what, const struct differences *a)
{
	printf("- %s: %.1f points below to %.1f above, %.1f above on average; chance does not explain %u of %u\n", what,
	       -a->min, a->max, a->sum / a->n, a->n_unexplained, a->n);
}

static void print_cell(const struct tally *t, const signed char want[2])
{
	printf(" %.1f/%.1f (%d/%d) |", percent(t->hit_fail, t->trials), percent(t->hit_suspect, t->trials), want[0],
	       want[1]);
	fflush(stdout);
}

/* In the same change, a function with a 10 % share becomes 30 % slower, and another with 20 % becomes 60 % faster. */
static void print_mixed_change(unsigned trials)
{
	struct scene s = { .target = WORLD_TARGET };
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
	printf("- a 10 %% function at +30 %%, next to one of 20 %% that became 60 %% faster:");
	for (unsigned i = 0; i < 3; i++) {
		struct tally t;

		scene_set_sides(&s, 1, size[i]);
		s.seed = 3900 + i;
		t = scene_run(&s, trials);
		printf(" %.1f/%.1f at %.0f samples%s", percent(t.hit_fail, trials), percent(t.hit_suspect, trials),
		       size[i], i < 2 ? "," : "\n");
	}
	world_release(&w);
}

int table_detection(unsigned all_trials)
{
	unsigned trials = (all_trials + 3) / 4;
	struct scene s = { .target = WORLD_TARGET };
	struct differences design = { 0 }, first_trial = { 0 };
	struct world w;

	puts("\n### gate: detection of slower functions\n");
	printf("%u gate runs per cell, one pair. Percent FAIL/FAIL or SUSPECT; in parentheses the expectation of the "
	       "design.\n",
	       trials);
	puts("The simulation of the design had no minimum of 40 samples, so with 1,000 it made more tests and found "
	     "less.\n");
	puts("| samples per side | share | +20 % | +25 % | +30 % | +50 % | +100 % |\n|--:|--:|---|---|---|---|---|");
	for (unsigned i = 0; i < N_SIZES; i++)
		for (unsigned j = 0; j < N_SHARES; j++) {
			world_flat(&w, share[j]);
			s.world = &w;
			scene_set_sides(&s, 1, size[i]);
			printf("| %.0f | %.0f %% |", size[i], 100 * share[j]);
			for (unsigned k = 0; k < N_RATIOS; k++) {
				struct tally t;

				s.factor[WORLD_TARGET] = ratio[k];
				s.seed = 3000 + 100 * i + 10 * j + k;
				t = scene_run(&s, trials);
				print_cell(&t, expected[i][j][k]);
				for (int what = 0; what < 2; what++) {
					double got = percent(what ? t.hit_suspect : t.hit_fail, trials);

					add_difference(&design, got, trials, expected[i][j][k][what], 1000);
					if (j >= 2 && k < 4)
						add_difference(&first_trial, got, trials,
							       first_expected[i][j - 2][k][what], 100);
				}
			}
			printf("\n");
			world_release(&w);
		}
	printf("\n");
	print_mixed_change(trials);
	print_differences("compared with the design (1,000 runs per cell)", &design);
	print_differences("compared with its first trial (about 100 runs per cell, shares of 5 and 10 %)",
			  &first_trial);
	return print_goal("at most 3 points below the design", -design.min, 3);
}
