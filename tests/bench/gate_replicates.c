/*
 * gate_replicates.c - effect of several files per side
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "tests/bench/gate_tables.h"

#include <math.h>
#include <stdio.h>

enum { SHARE = 5 };

/* A scene, and the percentages from the simulation of the design, -1 if unknown: false alarms of the naive rule and of
   FAIL, and functions that are 30 % and 50 % slower found by FAIL. */
static const struct {
	const char *noise;
	double each, fifth, samples;
	unsigned runs;
	double naive, alarms, found[2];
} rows[] = {
	{ "none", 0, 0, 3000, 3, 95, 0, { 8, 45 } },
	{ "none", 0, 0, 5000, 5, 77, 1, { 31, 90 } },
	{ "none", 0, 0, 10000, 10, 45, 1, { 78, 100 } },
	{ "5 % each", .05, 0, 5000, 5, 80, 1, { 24, 86 } },
	{ "2 %, one in five 20 %", .02, .2, 5000, 5, 84, 0, { 20, 78 } },
	{ "2 %, one in five 20 %", .02, .2, 10000, 10, 54, 1, { 61, 100 } },
	{ "none", 0, 0, 3000, 1, 91, .9, { 17, 68 } },
	{ "none", 0, 0, 3000, 5, 93, 1.5, { 10, 55 } },
	{ "none", 0, 0, 10000, 1, 41, 1.2, { 66, 100 } },
	{ "none", 0, 0, 10000, 5, 42, 1, { 68, 100 } },
	{ "3 % each", .03, 0, 3000, 1, 92, 1, { 12, 58 } },
	{ "3 % each", .03, 0, 10000, 1, 52, 2.5, { 68, 99 } },
	{ "3 % each", .03, 0, 10000, 5, 47, 1, { 70, 100 } },
	{ "6 % each", .06, 0, 3000, 1, 97, 3.5, { 14, 62 } },
	{ "6 % each", .06, 0, 10000, 1, 77, 13, { -1, -1 } },
	{ "6 % each", .06, 0, 10000, 5, 59, 1.7, { 66, 98 } },
	{ "one in five 15 %", 0, .15, 3000, 1, 94, 9, { 12, 78 } },
	{ "one in five 15 %", 0, .15, 10000, 1, 77, 33, { 68, -1 } },
	{ "one in five 15 %", 0, .15, 3000, 5, 93, 0, { 6, 62 } },
	{ "one in five 15 %", 0, .15, 10000, 5, 58, 1.7, { 66, 100 } },
};

static void print_cell(double got, double want)
{
	printf(" %.1f (", got);
	if (want < 0)
		printf("–) |");
	else
		printf("%g) |", want);
	fflush(stdout);
}

int table_replicates(unsigned all_trials)
{
	static const double ratio[] = { 1.3, 1.5 };
	struct scene s = { .target = WORLD_TARGET };
	struct world w;
	unsigned trials = (all_trials + 1) / 2; /* several runs take longer */
	double max = 0;

	printf("\n### gate: one pair or several runs, when functions vary from run to run\n\n"
	       "%u gate runs per cell; percent, in parentheses the expectation of the design. Found: FAIL of a "
	       "function "
	       "of %d %%, which varies like the others, without the extra variation of one in five.\n\n"
	       "| varies by | samples per side | runs per side | naive alarms | false FAIL | found at +30 %% | at +50 "
	       "%% "
	       "|\n"
	       "|---|--:|--:|--:|--:|--:|--:|\n",
	       trials, SHARE);
	world_flat(&w, SHARE / 100.);
	s.world = &w;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tally t;

		scene_set_sides(&s, rows[i].runs, rows[i].samples);
		s.noise = rows[i].each;
		s.fifth = rows[i].fifth;
		s.factor[WORLD_TARGET] = 1;
		s.seed = 4000 + 10 * i;
		t = scene_run(&s, trials);
		printf("| %s | %.0f | %u |", rows[i].noise, rows[i].samples, rows[i].runs);
		print_cell(percent(t.naive, trials), rows[i].naive);
		print_cell(percent(t.fail, trials), rows[i].alarms);
		if (rows[i].runs > 1)
			max = fmax(max, percent(t.fail, trials));
		for (unsigned k = 0; k < 2; k++) {
			s.factor[WORLD_TARGET] = ratio[k];
			s.seed++;
			t = scene_run(&s, trials);
			print_cell(percent(t.hit_fail, trials), rows[i].found[k]);
		}
		printf("\n");
	}
	world_release(&w);
	printf("\n- several runs: at most %.2f %% of the gate runs have a false FAIL\n", max);
	return 0;
}
