/*
 * bench_print.c - tables of measurements, their history, and the comparison of two commands
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "bench.h"
#include "bench_rank.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The probability that an interval of a comparison does not contain the true ratio. */
#define COMPARISON_LEVEL 0.01

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median, or -1 without values. Sorts v. */
static double median(double *v, int n)
{
	if (!n)
		return -1;
	qsort(v, (size_t)n, sizeof(*v), compare_double);
	return (v[n / 2] + v[(n - 1) / 2]) / 2;
}

/* The measured values of a command, sorted. Returns their number. */
static int sorted_values(const struct bench *b, const struct command *c, enum metric metric, double v[MAX_ROUNDS])
{
	int n = 0;

	for (int i = 0; i < b->n_rounds; i++)
		if (c->value[metric][i] >= 0)
			v[n++] = c->value[metric][i];
	qsort(v, (size_t)n, sizeof(*v), compare_double);
	return n;
}

double bench_median(const struct bench *b, const struct command *c, enum metric metric)
{
	double v[MAX_ROUNDS];

	return median(v, sorted_values(b, c, metric, v));
}

double bench_max(const struct bench *b, const struct command *c, enum metric metric)
{
	double v[MAX_ROUNDS];
	int n = sorted_values(b, c, metric, v);

	return n ? v[n - 1] : -1;
}

/* The ratios of the rounds with both values. Returns their number. */
static int ratios(const struct bench *b, const struct command *c, const struct command *base, enum metric metric,
		  double v[MAX_ROUNDS])
{
	int n = 0;

	for (int i = 0; i < b->n_rounds; i++)
		if (c->value[metric][i] > 0 && base->value[metric][i] > 0)
			v[n++] = c->value[metric][i] / base->value[metric][i];
	return n;
}

double bench_ratio(const struct bench *b, const struct command *c, const struct command *base, enum metric metric)
{
	double v[MAX_ROUNDS];

	return median(v, ratios(b, c, base, metric, v));
}

static int digits_of(double v)
{
	return v < 10 ? 2 : v < 1000;
}

/* Print a cell of a table; nothing in it for a negative value. */
static void print_cell(double v, int digits)
{
	if (v < 0)
		printf(" |");
	else
		printf(" %.*f |", digits, v);
}

static void print_row(const struct bench *b, const struct command *c, const struct command *floor)
{
	double v[MAX_ROUNDS], mid, instructions = bench_median(b, c, METRIC_INSTRUCTIONS);
	int n = sorted_values(b, c, b->time, v);

	mid = median(v, n);
	printf("| %s | %d |", c->name, n);
	print_cell(mid, digits_of(mid));
	printf(" %.*f–%.*f |", digits_of(mid), v[0], digits_of(mid), v[n - 1]);
	if (b->time == METRIC_WALL)
		print_cell(bench_median(b, c, METRIC_CPU), digits_of(mid));
	print_cell(bench_ratio(b, c, &b->command[0], b->time), 2);
	if (floor)
		print_cell(bench_ratio(b, c, floor, b->time), 2);
	print_cell(bench_max(b, c, METRIC_PEAK), 1);
	print_cell(bench_median(b, c, METRIC_FAULTS), 0);
	print_cell(instructions, digits_of(instructions));
	putchar('\n');
}

static const struct command *floor_of(const struct bench *b)
{
	for (int i = 0; i < b->n_commands; i++)
		if (b->command[i].is_floor)
			return &b->command[i];
	return NULL;
}

static void print_profile(const struct bench *b)
{
	if (b->profile)
		printf("`%s`: %.3f MB compressed, %.3f MB inflated\n\n", b->profile, b->packed_mb, b->inflated_mb);
}

void bench_print_table(const struct bench *b)
{
	const struct command *floor = floor_of(b);
	bool is_wall = b->time == METRIC_WALL;

	print_profile(b);
	printf("| command | rounds | median %sms | min–max ms |%s × %s |", is_wall ? "" : "CPU ",
	       is_wall ? " CPU ms |" : "", b->command[0].name);
	if (floor)
		printf(" × %s |", floor->name);
	printf(" peak MB | faults | M instructions |\n|---|--:|--:|--:|%s--:|%s--:|--:|--:|\n", is_wall ? "--:|" : "",
	       floor ? "--:|" : "");
	for (int i = 0; i < b->n_commands; i++)
		print_row(b, &b->command[i], floor);
	putchar('\n');
}

static const struct {
	const char *name;
	bool can_differ; /* repeated runs give different values */
} metrics[N_METRICS] = {
	[METRIC_WALL] = { "time, ms", true },
	[METRIC_CPU] = { "CPU time, ms", true },
	[METRIC_PEAK] = { "peak memory, MB", true },
	[METRIC_FAULTS] = { "page faults", true },
	[METRIC_INSTRUCTIONS] = { "instructions, million", false },
};

/* Print the row of a metric. Returns whether the first command is certainly above (1) or below (-1) the second, or not (0). */
static int print_difference(const struct bench *b, enum metric metric)
{
	double v[MAX_ROUNDS], new = bench_median(b, &b->command[0], metric),
			      base = bench_median(b, &b->command[1], metric);
	int n = ratios(b, &b->command[0], &b->command[1], metric, v), sign;
	struct rank_interval r;
	bool is_certain;

	if (n == 0)
		return 0;
	for (int i = 0; i < n; i++)
		v[i] = log(v[i]);
	is_certain = rank_interval(v, n, COMPARISON_LEVEL, &r);
	printf("| %s |", metrics[metric].name);
	print_cell(base, digits_of(base));
	print_cell(new, digits_of(new));
	printf(" %.3f |", exp(r.mid));
	if (n == 1 && !metrics[metric].can_differ) {
		printf(" | counted once |\n");
		return 0;
	}
	if (!is_certain) {
		printf(" | too few rounds |\n");
		return 0;
	}
	sign = (r.lo > 0) - (r.hi < 0);
	printf(" %.3f–%.3f | %s |\n", exp(r.lo), exp(r.hi), sign > 0 ? "**more**" : sign ? "less" : "");
	return sign;
}

bool bench_print_comparison(const struct bench *b)
{
	bool takes_more = false;

	print_profile(b);
	printf("| | %s | %s | ratio | %g %% interval | |\n|---|--:|--:|--:|--:|---|\n", b->command[1].name,
	       b->command[0].name, 100 * (1 - COMPARISON_LEVEL));
	for (int m = 0; m < N_METRICS; m++)
		takes_more |= print_difference(b, (enum metric)m) > 0 && m == METRIC_CPU;
	putchar('\n');
	return takes_more;
}

/* The model of the processor, or "". The caller frees the result. */
static char *processor(void)
{
	static const char key[] = "model name";
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256], *name = NULL;

	while (f && !name && fgets(line, sizeof(line), f)) {
		char *at = strchr(line, ':');

		line[strcspn(line, "\n")] = 0;
		if (at && at[1] && !strncmp(line, key, strlen(key)))
			name = strdup(at + 2);
	}
	if (f)
		fclose(f);
	return name ? name : strdup("");
}

/* Append a number after a tab; nothing after it for a negative value. */
static void write_cell(FILE *f, double v)
{
	if (v < 0)
		fputc('\t', f);
	else
		fprintf(f, "\t%.4g", v);
}

void bench_write_history(const struct bench *b)
{
	const struct command *floor = floor_of(b);
	FILE *f = fopen(b->history, "a");
	time_t now = time(NULL);
	char date[32], *machine = processor();

	if (!f)
		bench_die(b->history, strerror(errno));
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	if (ftell(f) == 0)
		fputs("date\trevision\tprocessor\tprofile\tcommand\trounds\tms\tcpu_ms\ttimes_floor\tpeak_mb\tfaults\t"
		      "instructions_m\n",
		      f);
	for (int i = 0; i < b->n_commands; i++) {
		const struct command *c = &b->command[i];

		fprintf(f, "%s\t%s\t%s\t%s\t%s\t%d", date, b->revision, machine, b->title, c->name, c->n_rounds);
		write_cell(f, bench_median(b, c, METRIC_WALL));
		write_cell(f, bench_median(b, c, METRIC_CPU));
		write_cell(f, floor ? bench_ratio(b, c, floor, METRIC_WALL) : -1);
		write_cell(f, bench_max(b, c, METRIC_PEAK));
		write_cell(f, bench_median(b, c, METRIC_FAULTS));
		write_cell(f, bench_median(b, c, METRIC_INSTRUCTIONS));
		fputc('\n', f);
	}
	free(machine);
	if (fclose(f))
		bench_die(b->history, strerror(errno));
}
