/*
 * bench.h - commands that are run alternately, and what is measured of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdbool.h>

enum { MAX_ROUNDS = 1000, MAX_COMMANDS = 16, MAX_GOALS = 16 };

enum metric {
	METRIC_WALL,         /* ms */
	METRIC_CPU,          /* ms, user and system, of the process and of the children it waited for */
	METRIC_PEAK,         /* 10^6 bytes, maximum resident set of one of these */
	METRIC_FAULTS,       /* page faults */
	METRIC_INSTRUCTIONS, /* 10^6, of user mode */
	N_METRICS
};

struct command {
	const char *name;
	char **argv; /* ends with NULL */
	int n_rounds;
	bool counts_instructions; /* also if they must be counted by callgrind, in a run of its own */
	bool is_floor;
	double value[N_METRICS][MAX_ROUNDS]; /* negative if not measured */
};

struct goal {
	char option; /* letter of the option */
	char *name;  /* a command; NULL for -m and -t */
	double value;
	bool times_inflated;
};

struct bench {
	int n_rounds, n_commands, n_goals;
	int status;       /* exit status that counts as success, like 0 */
	enum metric time; /* METRIC_WALL or METRIC_CPU: the time of ratios and goals */
	bool compares;    /* print the comparison of the first two commands */
	const char *profile;
	const char *history, *revision, *title; /* NULL: no history */
	double packed_mb, inflated_mb;
	struct command command[MAX_COMMANDS];
	struct goal goal[MAX_GOALS];
};

/* Print a message, and exit with status 2. */
void bench_die(const char *what, const char *why);

/* Run all rounds, and fill in the values of the commands. Exits if a command fails. */
void bench_run(struct bench *b);

/* The median over the rounds in which it was measured; negative if there are none. */
double bench_median(const struct bench *b, const struct command *c, enum metric metric);

/* The median over the rounds of the ratio of a value to that of base; negative if no round has both. */
double bench_ratio(const struct bench *b, const struct command *c, const struct command *base, enum metric metric);

/* The maximum of all rounds. */
double bench_max(const struct bench *b, const struct command *c, enum metric metric);

void bench_print_table(const struct bench *b);

/*
 * Print how the first command differs from the second, a row per metric.
 *
 * Returns true if it takes more CPU time
 */
bool bench_print_comparison(const struct bench *b);

/* Append a line per command to the history. */
void bench_write_history(const struct bench *b);

#endif
