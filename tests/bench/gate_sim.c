/*
 * gate_sim.c - error rates of a gate, on simulated profiles with known changes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: gate_sim [-t TRIALS] [TABLE...]     tables: those of script/bench-gate, except speed
 *
 * Prints Markdown for docs/bench.md. Seeds are fixed, so numbers do not depend on the machine. Exit status: 1 if a goal
 * is missed, 2 on wrong usage.
 */
#include "config.h"

#include "tests/bench/gate_tables.h"

#include "base/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run a part of the trials in a child process, since the gate uses threads itself. */
static int start_part(const struct scene *s, unsigned part, unsigned parts, unsigned trials, pid_t *pid)
{
	struct tally tally = { 0 };
	int ends[2];

	fflush(stdout);
	if (pipe(ends) < 0 || (*pid = fork()) < 0) {
		perror("gate_sim");
		exit(2);
	}
	if (*pid == 0) {
		pool_set_size(1);
		scene_run_trials(s, part, trials, parts, &tally);
		_exit(write(ends[1], &tally, sizeof(tally)) == sizeof(tally) ? 0 : 2);
	}
	close(ends[1]);
	return ends[0];
}

static void add_part(int fd, pid_t pid, struct tally *sum)
{
	struct tally t;
	int status;

	if (read(fd, &t, sizeof(t)) != sizeof(t) || waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "gate_sim: a part of the trials failed\n");
		exit(2);
	}
	close(fd);
	sum->trials += t.trials;
	sum->tests += t.tests;
	sum->naive += t.naive;
	sum->fail += t.fail;
	sum->suspect += t.suspect;
	sum->unsure += t.unsure;
	sum->hit_naive += t.hit_naive;
	sum->hit_fail += t.hit_fail;
	sum->hit_suspect += t.hit_suspect;
}

struct tally scene_run(const struct scene *s, unsigned trials)
{
	enum { PARTS_MAX = 8 }; /* the maximum of pool_size */
	unsigned parts = pool_size();
	struct tally sum = { 0 };
	pid_t pid[PARTS_MAX];
	int fd[PARTS_MAX];

	for (unsigned i = 0; i < parts; i++)
		fd[i] = start_part(s, i, parts, trials, &pid[i]);
	for (unsigned i = 0; i < parts; i++)
		add_part(fd[i], pid[i], &sum);
	return sum;
}

double percent(unsigned n, unsigned of)
{
	return 100.0 * n / of;
}

int print_goal(const char *goal, double is, double at_most)
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
		{ "alarms", table_alarms },       { "composition", table_composition },
		{ "detection", table_detection }, { "replicates", table_replicates },
		{ "lengths", table_lengths },     { "weights", table_weights },
		{ "added", table_added },         { "renamed", table_renamed },
		{ "load", table_load },
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
