/*
 * gate_sim.c - how often a gate is wrong, on profiles whose changes are known
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: gate_sim [-t TRIALS] [TABLE...]     tables: alarms composition detection replicates
 *
 * Prints Markdown for docs/bench.md. Numbers do not depend on the machine: seeds are fixed. Exits 1 when a goal is
 * missed, 2 on wrong usage.
 */
#include "config.h"

#include "tests/bench/gate_tables.h"

#include "base/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PARTS = 64 };

struct work {
	const struct scene *scene;
	unsigned trials, parts;
	struct tally tally[MOST_PARTS];
};

static void work_part(void *arg, unsigned part)
{
	struct work *w = arg;

	scene_try(w->scene, part, w->trials, w->parts, &w->tally[part]);
}

struct tally scene_run(const struct scene *s, unsigned trials)
{
	struct work w = { .scene = s, .trials = trials, .parts = pool_size() };
	struct tally sum = { 0 };

	w.parts = w.parts < MOST_PARTS ? w.parts : MOST_PARTS;
	pool_run(work_part, &w, w.parts);
	for (unsigned i = 0; i < w.parts; i++) {
		sum.trials += w.tally[i].trials;
		sum.tests += w.tally[i].tests;
		sum.naive += w.tally[i].naive;
		sum.fail += w.tally[i].fail;
		sum.suspect += w.tally[i].suspect;
		sum.hit_naive += w.tally[i].hit_naive;
		sum.hit_fail += w.tally[i].hit_fail;
		sum.hit_suspect += w.tally[i].hit_suspect;
	}
	return sum;
}

double percent(unsigned n, unsigned of)
{
	return 100.0 * n / of;
}

int say_goal(const char *goal, double is, double at_most)
{
	printf("- %s: %.2f %%, %s\n", goal, is, is <= at_most ? "met" : "**missed**");
	return is > at_most;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*print)(unsigned trials);
	} table[] = {
		{ "alarms", table_alarms },
		{ "composition", table_composition },
		{ "detection", table_detection },
		{ "replicates", table_replicates },
	};
	enum { N_TABLES = sizeof(table) / sizeof(*table) };
	int option, trials = 4000, missed = 0;

	while ((option = getopt(argc, argv, "t:")) != -1)
		if (option != 't' || (trials = atoi(optarg)) <= 0)
			return 2;
	for (int i = optind; i < argc; i++) {
		size_t known = 0;

		while (known < N_TABLES && strcmp(argv[i], table[known].name) != 0)
			known++;
		if (known == N_TABLES) {
			fprintf(stderr, "gate_sim: no table %s\n", argv[i]);
			return 2;
		}
		missed |= table[known].print((unsigned)trials);
	}
	for (size_t i = 0; optind >= argc && i < N_TABLES; i++)
		missed |= table[i].print((unsigned)trials);
	return missed;
}
