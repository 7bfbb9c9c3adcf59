/*
 * gate_alarms.c - rate of false alarms when nothing became slower
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "tests/bench/gate_tables.h"

#include <math.h>
#include <stdio.h>

static const double alarms_max = 1.0; /* percent of gate runs */

static void print_head(const char *title)
{
	printf("| %s | samples per side | tests | naive | FAIL | FAIL or SUSPECT | design: naive, FAIL, or SUSPECT |\n"
	       "|---|--:|--:|--:|--:|--:|---|\n",
	       title);
}

/* Print a row. Returns the percentage of FAIL. */
static double print_row(const char *title, const struct scene *s, unsigned trials, const char *design)
{
	struct tally t = scene_run(s, trials);

	printf("| %s | %.0f | %.1f | %.1f %% | %.2f %% | %.1f %% | %s |\n", title, s->samples[0][0],
	       (double)t.tests / t.trials, percent(t.naive, t.trials), percent(t.fail, t.trials),
	       percent(t.suspect, t.trials), design);
	fflush(stdout);
	return percent(t.fail, t.trials);
}

int table_alarms(unsigned trials)
{
	static const double size[] = { 1000, 3000, 10000 };
	static const char *const design[] = { "99 %, 0–0.5 %, 7 %", "92 %, 0.9 %, 11 %", "45 %, 1.2 %, 9 %" };
	struct scene s = { .target = WORLD_NONE };
	struct world w;
	double max = 0;

	printf("\n### gate: false alarms when nothing changed\n\n"
	       "%u gate runs per row, 300 functions. naive: a share above 1 %% that grew by more than 20 %%.\n\n",
	       trials);
	print_head("world");
	world_flat(&w, 0);
	s.world = &w;
	for (unsigned i = 0; i < 3; i++) {
		s.seed = 1000 + i;
		scene_set_sides(&s, 1, size[i]);
		max = fmax(max, print_row("flat", &s, trials, design[i]));
	}
	world_release(&w);
	world_tree(&w, 1);
	for (unsigned i = 0; i < 3; i++) {
		char title[64];

		s.seed = 1100 + i;
		scene_set_sides(&s, 1, size[i]);
		snprintf(title, sizeof(title), "a call tree, %u levels", w.depth);
		max = fmax(max, print_row(title, &s, trials, ""));
	}
	world_release(&w);
	printf("\n");
	return print_goal("FAIL in at most 1.0 % of the runs", max, alarms_max);
}

/* A function with a share of 20 % becomes 60 % faster. */
static double change_one(unsigned trials)
{
	static const char *const design[] = { "100 %, 0.8 %", "99 %, 1.1 %", "93 %, 0.9 %" };
	static const double size[] = { 3000, 10000, 30000 };
	struct scene s = { .target = WORLD_NONE };
	struct world w;
	double max = 0;

	world_flat(&w, 0.2);
	s.world = &w;
	s.factor[WORLD_TARGET] = 0.4;
	for (unsigned i = 0; i < 3; i++) {
		s.seed = 2000 + i;
		scene_set_sides(&s, 1, size[i]);
		max = fmax(max, print_row("a 20 % function is 60 % faster", &s, trials, design[i]));
	}
	world_release(&w);
	return max;
}

static double change_load(unsigned trials)
{
	static const char *const design[] = { "86 %, 1.4 %", "27 %, 1.1 %" };
	static const double size[] = { 3000, 10000 };
	struct scene s = { .target = WORLD_NONE };
	struct world w;
	double max = 0;

	world_flat(&w, 0);
	s.world = &w;
	for (unsigned i = 0; i < 2; i++) {
		s.seed = 2100 + i;
		scene_set_side(&s, 0, 1, size[i]);
		scene_set_side(&s, 1, 1, 2 * size[i]);
		max = fmax(max, print_row("new has twice the samples", &s, trials, design[i]));
	}
	world_release(&w);
	return max;
}

/* Twelve unrelated functions become faster. */
static double change_scattered(unsigned trials)
{
	static const double size[] = { 3000, 10000, 30000 };
	struct scene s = { .target = WORLD_NONE };
	struct world w;
	double max = 0, share = 0;
	char title[64];

	world_flat(&w, 0);
	s.world = &w;
	for (int i = 0; i < 12; i++) {
		s.factor[3 * i + 2] = 0.4;
		share += w.share[3 * i + 2];
	}
	snprintf(title, sizeof(title), "12 functions, together %.0f %%, are 60 %% faster", 100 * share);
	for (unsigned i = 0; i < 3; i++) {
		s.seed = 2200 + i;
		scene_set_sides(&s, 1, size[i]);
		max = fmax(max, print_row(title, &s, trials, ""));
	}
	world_release(&w);
	return max;
}

/* The subtree whose number of functions is closest to 12. */
static int subtree_of_12(const struct world *w)
{
	int best = 0;

	for (int i = 0; i < WORLD_FUNCS; i++)
		if (fabs(w->n_below[i + 1] - w->n_below[i] - 12.) < fabs(w->n_below[best + 1] - w->n_below[best] - 12.))
			best = i;
	return best;
}

/* The subtree with the largest cum share that is at most 40 %. */
static int subtree_large(const struct world *w)
{
	int best = -1;

	for (int i = 0; i < WORLD_FUNCS; i++)
		if (world_cum_share(w, i) <= 0.4 && (best < 0 || world_cum_share(w, i) > world_cum_share(w, best)))
			best = i;
	return best;
}

static double change_tree(unsigned trials, int (*choose)(const struct world *), uint64_t seed)
{
	static const double size[] = { 3000, 10000, 30000 };
	struct scene s = { .target = WORLD_NONE };
	struct world w;
	double max = 0;
	char title[128];
	int top;

	world_tree(&w, 1);
	s.world = &w;
	top = choose(&w);
	for (uint32_t at = w.n_below[top]; at < w.n_below[top + 1]; at++)
		s.factor[w.below[at]] = 0.4;
	snprintf(title, sizeof(title), "a subtree of %u functions, %.1f %%, is 60 %% faster",
		 w.n_below[top + 1] - w.n_below[top], 100 * world_cum_share(&w, top));
	for (unsigned i = 0; i < 3; i++) {
		s.seed = seed + i;
		scene_set_sides(&s, 1, size[i]);
		max = fmax(max, print_row(title, &s, trials, ""));
	}
	world_release(&w);
	return max;
}

int table_composition(unsigned trials)
{
	double max;

	printf("\n### gate: false alarms when something else changed\n\n"
	       "%u gate runs per row. Both sides were profiled for the same time, so all shares change; nothing became "
	       "slower.\n\n",
	       trials);
	print_head("change");
	max = change_one(trials);
	max = fmax(max, change_load(trials));
	max = fmax(max, change_scattered(trials));
	max = fmax(max, change_tree(trials, subtree_of_12, 2300));
	max = fmax(max, change_tree(trials, subtree_large, 2400));
	printf("\n");
	return print_goal("FAIL in at most 1.0 % of the runs", max, alarms_max);
}
