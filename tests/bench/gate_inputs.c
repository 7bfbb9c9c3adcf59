/*
 * gate_inputs.c - false alarms and detection for harder inputs than two equal runs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "tests/bench/gate_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double alarms_max = 1.0; /* percent of gate runs */

static void print_head(const char *what)
{
	printf("| %s | tests | naive | FAIL | SUSPECT | exit 3 | found | or SUSPECT |\n"
	       "|---|--:|--:|--:|--:|--:|--:|--:|\n",
	       what);
}

/*
 * Print a row: results without a change, and with a change of the target.
 *
 * change  factor of the target; 0 prints only the first half
 * Returns the percentage of false FAIL
 */
static double print_row(const char *what, struct scene *s, double change, unsigned trials)
{
	struct tally t = scene_run(s, trials);

	printf("| %s | %.1f | %.1f %% | %.2f %% | %.1f %% | %.1f %% |", what, (double)t.tests / t.trials,
	       percent(t.naive, t.trials), percent(t.fail, t.trials), percent(t.suspect - t.fail, t.trials),
	       percent(t.unsure, t.trials));
	fflush(stdout);
	if (change > 0) {
		struct scene changed = *s;
		struct tally found;

		changed.factor[WORLD_TARGET] = change;
		changed.seed += 500000;
		found = scene_run(&changed, trials);
		printf(" %.1f %% | %.1f %% |\n", percent(found.hit_fail, trials), percent(found.hit_suspect, trials));
	} else {
		printf(" | |\n");
	}
	fflush(stdout);
	return percent(t.fail, t.trials);
}

/* Lengths of the runs of a side, in stacks. */
struct lengths {
	unsigned n;
	double each[SCENE_RUNS_MAX];
};

static void set_lengths(struct scene *s, int side, const struct lengths *l)
{
	s->runs[side] = l->n;
	memcpy(s->samples[side], l->each, sizeof(l->each));
}

#define TWELVE(x)                                                                                                      \
	{                                                                                                              \
		12,                                                                                                    \
		{                                                                                                      \
			x, x, x, x, x, x, x, x, x, x, x, x                                                             \
		}                                                                                                      \
	}

int table_lengths(unsigned all_trials)
{
	static const struct {
		const char *name;
		struct lengths side[2];
	} lengths[] = {
		{ "12 of 500, 1 of 20,000", { TWELVE(500), { 1, { 20000 } } } },
		{ "1 of 20,000, 12 of 500", { { 1, { 20000 } }, TWELVE(500) } },
		{ "3 of 500, 3 of 20,000", { { 3, { 500, 500, 500 } }, { 3, { 20000, 20000, 20000 } } } },
		{ "5 of 1,000, 1 of 10,000", { { 5, { 1000, 1000, 1000, 1000, 1000 } }, { 1, { 10000 } } } },
		{ "500 to 20,000 on both sides",
		  { { 6, { 500, 1000, 2000, 5000, 10000, 20000 } }, { 6, { 20000, 10000, 5000, 2000, 1000, 500 } } } },
		{ "12 of 500, 2 of 20,000", { TWELVE(500), { 2, { 20000, 20000 } } } },
	};
	static const struct {
		const char *name;
		double each, fifth;
	} noise[] = { { "nothing", 0, 0 }, { "3 %", .03, 0 }, { "6 %", .06, 0 }, { "one in five by 15 %", 0, .15 } };
	struct scene s = { .target = WORLD_TARGET };
	unsigned trials = (all_trials + 1) / 2;
	struct world w;
	double max = 0;
	char name[128];

	printf("\n### gate: runs of unequal lengths\n\n%u gate runs per row. Found: FAIL of a 10 %% function that "
	       "became "
	       "50 %% slower.\n\n",
	       trials);
	print_head("runs and samples of base, of new; varies by");
	world_flat(&w, 0.1);
	s.world = &w;
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (unsigned k = 0; k < sizeof(noise) / sizeof(*noise); k++) {
			set_lengths(&s, 0, &lengths[i].side[0]);
			set_lengths(&s, 1, &lengths[i].side[1]);
			s.noise = noise[k].each;
			s.fifth = noise[k].fifth;
			s.seed = 5000 + 10 * i + k;
			snprintf(name, sizeof(name), "%s; %s", lengths[i].name, noise[k].name);
			max = fmax(max, print_row(name, &s, 1.5, trials));
		}
	world_release(&w);
	printf("\n");
	return print_goal("FAIL in at most 1.0 % of the runs", max, alarms_max);
}

int table_weights(unsigned trials)
{
	static const struct {
		const char *name;
		enum scene_counts counts;
		double missed, samples;
	} rows[] = {
		{ "count of stacks, time with 3.6 ticks per stack, 1,000 stacks", SCENE_WEIGHTED, 2.6, 1000 },
		{ "the same, 3,000 stacks", SCENE_WEIGHTED, 2.6, 3000 },
		{ "the same, 1.2 ticks per stack, 3,000 stacks", SCENE_WEIGHTED, 0.2, 3000 },
	};
	struct scene s = { .target = WORLD_TARGET };
	struct world w;
	double max = 0;

	printf("\n### gate: samples that represent several ticks\n\n%u gate runs per row.\n\n", trials);
	print_head("values");
	world_flat(&w, 0.1);
	s.world = &w;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		s.counts = rows[i].counts;
		s.missed = rows[i].missed;
		scene_set_sides(&s, 1, rows[i].samples);
		s.seed = 6000 + i;
		max = fmax(max, print_row(rows[i].name, &s, 1.5, trials));
	}
	world_release(&w);
	printf("\n");
	return print_goal("FAIL in at most 1.0 % of the runs", max, alarms_max);
}

/* The function with the cum share closest to share, except the first, which calls all others. */
static int func_with(const struct world *w, double share, bool is_leaf)
{
	int best = 1;

	for (int i = 1; i < WORLD_FUNCS; i++)
		if ((!is_leaf || w->n_below[i + 1] - w->n_below[i] == 1) &&
		    fabs(world_cum_share(w, i) - share) < fabs(world_cum_share(w, best) - share))
			best = i;
	return best;
}

static void add_subtree(struct scene *s, int func)
{
	for (uint32_t at = s->world->n_below[func]; at < s->world->n_below[func + 1]; at++)
		s->is_added[s->world->below[at]] = true;
}

/* New code: the target is the new function. There are no false alarms, since its callers do cost more. */
int table_added(unsigned all_trials)
{
	static const double share[] = { .02, .05, .08, .13, .18, .3 }, size[] = { 1000, 3000, 10000 };
	unsigned trials = (all_trials + 3) / 4;
	struct world w;
	char name[128];

	printf("\n### gate: new functions\n\n%u gate runs per row. Found: the new function is FAIL.\n\n"
	       "| new function | share | samples per side | exit 1 for others | exit 3 | found | or SUSPECT |\n"
	       "|---|--:|--:|--:|--:|--:|--:|\n",
	       trials);
	for (unsigned is_tree = 0; is_tree < 2; is_tree++)
		for (unsigned i = 0; i < sizeof(share) / sizeof(*share); i++)
			for (unsigned k = 0; k < sizeof(size) / sizeof(*size); k++) {
				struct scene s = { .world = &w, .seed = 7000 + 100 * is_tree + 10 * i + k };
				struct tally t;

				if (is_tree)
					world_tree(&w, 1);
				else
					world_flat(&w, share[i]);
				s.target = is_tree ? func_with(&w, share[i], false) : WORLD_TARGET;
				add_subtree(&s, s.target);
				scene_set_sides(&s, 1, size[k]);
				t = scene_run(&s, trials);
				snprintf(name, sizeof(name), "%s", is_tree ? "in a call tree" : "without callers");
				printf("| %s | %.1f %% | %.0f | %.2f %% | %.1f %% | %.1f %% | %.1f %% |\n", name,
				       100 * world_cum_share(&w, s.target), size[k], percent(t.fail, trials),
				       percent(t.unsure, trials), percent(t.hit_fail, trials),
				       percent(t.hit_suspect, trials));
				fflush(stdout);
				world_release(&w);
			}
	return 0;
}

int table_renamed(unsigned all_trials)
{
	static const double share[] = { .05, .13, .3 }, size[] = { 1000, 3000, 10000 };
	static const char *const what[] = { "renamed", "extracted from its caller", "inlined into its caller",
					    "renamed with its callees" };
	unsigned trials = (all_trials + 1) / 2;
	struct world w;
	double max = 0;
	char name[128];

	printf("\n### gate: renamed, extracted and inlined functions\n\n%u gate runs per row, a call tree.\n\n",
	       trials);
	print_head("function, samples per side");
	world_tree(&w, 1);
	for (unsigned kind = 0; kind < sizeof(what) / sizeof(*what); kind++)
		for (unsigned i = 0; i < sizeof(share) / sizeof(*share); i++)
			for (unsigned k = 0; k < sizeof(size) / sizeof(*size); k++) {
				struct scene s = { .world = &w, .target = WORLD_NONE };
				int func = func_with(&w, share[i], false);

				s.seed = 8000 + 100 * kind + 10 * i + k;
				s.is_renamed[func] = kind == 0;
				s.is_without_frame[0][func] = kind == 1;
				s.is_without_frame[1][func] = kind == 2;
				for (uint32_t at = w.n_below[func]; kind == 3 && at < w.n_below[func + 1]; at++)
					s.is_renamed[w.below[at]] = true;
				scene_set_sides(&s, 1, size[k]);
				snprintf(name, sizeof(name), "%.1f %%, %s, %.0f", 100 * world_cum_share(&w, func),
					 what[kind], size[k]);
				max = fmax(max, print_row(name, &s, 0, trials));
			}
	world_release(&w);
	printf("\n");
	return print_goal("FAIL in at most 1.0 % of the runs", max, alarms_max);
}

int table_load(unsigned trials)
{
	static const struct {
		const char *name;
		unsigned runs;
		double samples[2], preempted[2], contended;
	} rows[] = {
		{ "26 % preempted instead of 1 %, 30 % fewer samples", 1, { 3000, 2100 }, { .01, .26 }, 1 },
		{ "the same, a tenth of the functions 25 % slower", 1, { 3000, 2100 }, { .01, .26 }, 1.25 },
		{ "the same, 10,000 samples", 1, { 10000, 7000 }, { .01, .26 }, 1.25 },
		{ "8 % preempted instead of 1 %, a tenth of the functions 8 % slower",
		  1,
		  { 3000, 2800 },
		  { .01, .08 },
		  1.08 },
		{ "5 runs per side, 26 % instead of 1 %", 5, { 5000, 3500 }, { .01, .26 }, 1 },
	};
	struct scene s = { .target = WORLD_TARGET };
	struct world w;
	double max = 0;

	printf("\n### gate: load on one side\n\n%u gate runs per row.\n\n", trials);
	print_head("new ran on a busy machine");
	world_flat(&w, 0.1);
	s.world = &w;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scene_set_side(&s, 0, rows[i].runs, rows[i].samples[0]);
		scene_set_side(&s, 1, rows[i].runs, rows[i].samples[1]);
		memcpy(s.preempted, rows[i].preempted, sizeof(s.preempted));
		s.contended = rows[i].contended;
		s.seed = 9000 + i;
		max = fmax(max, print_row(rows[i].name, &s, 1.5, trials));
	}
	world_release(&w);
	printf("\n");
	return print_goal("FAIL in at most 1.0 % of the runs", max, alarms_max);
}
