/*
 * gate_alarms.c - how often a gate is red although nothing became slower
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "tests/bench/gate_tables.h"

#include <math.h>
#include <stdio.h>

static const double most_alarms = 1.5; /* percent of gate runs */

static void head(const char *what)
{
	printf("| %s | samples a side | tests | naive | FAIL | FAIL or SUSPECT | design: naive, FAIL, or SUSPECT |\n"
	       "|---|--:|--:|--:|--:|--:|---|\n",
	       what);
}

/* A row; gives the percentage of FAIL. */
static double row(const char *what, const struct scene *s, unsigned trials, const char *design)
{
	struct tally t = scene_run(s, trials);

	printf("| %s | %.0f | %.1f | %.1f %% | %.2f %% | %.1f %% | %s |\n", what, s->samples[0],
	       (double)t.tests / t.trials, percent(t.naive, t.trials), percent(t.fail, t.trials),
	       percent(t.suspect, t.trials), design);
	fflush(stdout);
	return percent(t.fail, t.trials);
}

int table_alarms(unsigned trials)
{
	static const double size[] = { 1000, 3000, 10000 };
	static const char *const design[] = { "99 %, 0–0.5 %, 7 %", "92 %, 0.9 %, 11 %", "45 %, 1.2 %, 9 %" };
	struct scene s = { .runs = 1, .target = WORLD_NONE };
	struct world w;
	double most = 0;

	printf("\n### gate: false alarms when nothing changed\n\n"
	       "%u runs of the gate a row, 300 functions. naive: a share above 1 %% that grew by more than 20 %%.\n\n",
	       trials);
	head("world");
	world_flat(&w, 0);
	s.world = &w;
	for (unsigned i = 0; i < 3; i++) {
		s.seed = 1000 + i;
		s.samples[0] = s.samples[1] = size[i];
		most = fmax(most, row("flat", &s, trials, design[i]));
	}
	world_release(&w);
	world_tree(&w, 1);
	for (unsigned i = 0; i < 3; i++) {
		char what[64];

		s.seed = 1100 + i;
		s.samples[0] = s.samples[1] = size[i];
		snprintf(what, sizeof(what), "a tree of calls, %u deep", w.depth);
		most = fmax(most, row(what, &s, trials, ""));
	}
	world_release(&w);
	printf("\n");
	return say_goal("FAIL in at most 1.5 % of the runs", most, most_alarms);
}

/* One function of 20 % became 60 % faster. */
static double composed_one(unsigned trials)
{
	static const char *const design[] = { "100 %, 0.8 %", "99 %, 1.1 %", "93 %, 0.9 %" };
	static const double size[] = { 3000, 10000, 30000 };
	struct scene s = { .runs = 1, .target = WORLD_NONE };
	struct world w;
	double most = 0;

	world_flat(&w, 0.2);
	s.world = &w;
	s.factor[WORLD_TARGET] = 0.4;
	for (unsigned i = 0; i < 3; i++) {
		s.seed = 2000 + i;
		s.samples[0] = s.samples[1] = size[i];
		most = fmax(most, row("a 20 % function is 60 % faster", &s, trials, design[i]));
	}
	world_release(&w);
	return most;
}

static double composed_load(unsigned trials)
{
	static const char *const design[] = { "86 %, 1.4 %", "27 %, 1.1 %" };
	static const double size[] = { 3000, 10000 };
	struct scene s = { .runs = 1, .target = WORLD_NONE };
	struct world w;
	double most = 0;

	world_flat(&w, 0);
	s.world = &w;
	for (unsigned i = 0; i < 2; i++) {
		s.seed = 2100 + i;
		s.samples[0] = size[i];
		s.samples[1] = 2 * size[i];
		most = fmax(most, row("new has twice the samples", &s, trials, design[i]));
	}
	world_release(&w);
	return most;
}

/* Twelve functions that have nothing in common but that they became faster: nothing tells that they belong together. */
static double composed_scattered(unsigned trials)
{
	static const double size[] = { 3000, 10000, 30000 };
	struct scene s = { .runs = 1, .target = WORLD_NONE };
	struct world w;
	double most = 0, share = 0;
	char what[64];

	world_flat(&w, 0);
	s.world = &w;
	for (int i = 0; i < 12; i++) {
		s.factor[3 * i + 2] = 0.4;
		share += w.share[3 * i + 2];
	}
	snprintf(what, sizeof(what), "12 functions, together %.0f %%, are 60 %% faster", 100 * share);
	for (unsigned i = 0; i < 3; i++) {
		s.seed = 2200 + i;
		s.samples[0] = s.samples[1] = size[i];
		most = fmax(most, row(what, &s, trials, ""));
	}
	world_release(&w);
	return most;
}

/* The subtree whose size is the nearest to 12 functions. */
static int subtree_of_12(const struct world *w)
{
	int best = 0;

	for (int i = 0; i < WORLD_FUNCS; i++)
		if (fabs(w->n_below[i + 1] - w->n_below[i] - 12.) < fabs(w->n_below[best + 1] - w->n_below[best] - 12.))
			best = i;
	return best;
}

/* The largest subtree that is at most 40 % of the program. */
static int subtree_large(const struct world *w)
{
	int best = -1;

	for (int i = 0; i < WORLD_FUNCS; i++)
		if (world_cum(w, i) <= 0.4 && (best < 0 || world_cum(w, i) > world_cum(w, best)))
			best = i;
	return best;
}

static double composed_tree(unsigned trials, int (*choose)(const struct world *), uint64_t seed)
{
	static const double size[] = { 3000, 10000, 30000 };
	struct scene s = { .runs = 1, .target = WORLD_NONE };
	struct world w;
	double most = 0;
	char what[128];
	int top;

	world_tree(&w, 1);
	s.world = &w;
	top = choose(&w);
	for (uint32_t at = w.n_below[top]; at < w.n_below[top + 1]; at++)
		s.factor[w.below[at]] = 0.4;
	snprintf(what, sizeof(what), "a subtree of %u functions, %.1f %%, is 60 %% faster",
		 w.n_below[top + 1] - w.n_below[top], 100 * world_cum(&w, top));
	for (unsigned i = 0; i < 3; i++) {
		s.seed = seed + i;
		s.samples[0] = s.samples[1] = size[i];
		most = fmax(most, row(what, &s, trials, ""));
	}
	world_release(&w);
	return most;
}

int table_composition(unsigned trials)
{
	double most;

	printf("\n### gate: false alarms when something else changed\n\n"
	       "%u runs a row. Both sides were captured equally long, so all shares move; nothing became slower.\n\n",
	       trials);
	head("what changed");
	most = composed_one(trials);
	most = fmax(most, composed_load(trials));
	most = fmax(most, composed_scattered(trials));
	most = fmax(most, composed_tree(trials, subtree_of_12, 2300));
	most = fmax(most, composed_tree(trials, subtree_large, 2400));
	printf("\n");
	return say_goal("FAIL in at most 1.5 % of the runs", most, most_alarms);
}
