/*
 * bench.c - run commands alternately, compare their time and memory, print a Markdown table
 * SPDX-License-Identifier: Apache-2.0
 *
 * A ratio is the median over the rounds of the ratio within a round. The memory is the kernel's ru_maxrss: the maximum of
 * the command and of the children it waited for.
 */
#include "config.h"

#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: bench [-n ROUNDS] [-f PROFILE] [-u] [-s STATUS] [-H FILE REVISION TITLE] [-d] [GOAL...]\n"
	"             {-- [-r ROUNDS] [-i] [-y] NAME COMMAND...}...\n"
	"  -n  rounds; the first command runs in each (default 5)\n"
	"  -f  gzip file that the commands read; its sizes are the title of the table\n"
	"  -u  ratios and goals are of CPU time, user and system, instead of wall time\n"
	"  -s  exit status that counts as success, besides 0\n"
	"  -H  append a line per command to FILE\n"
	"  -d  print how the first command differs from the second, with intervals, instead of the table\n"
	"  -r  rounds of this command, spread evenly (default: all)\n"
	"  -i  count instructions, by callgrind if the processor has no counter\n"
	"  -y  the floor: a column has the ratios of all commands to this one\n"
	"goals, all of the first command:\n"
	"  -a NAME:X  takes at most X times the time of NAME\n"
	"  -x NAME:X  is at least X times as fast as NAME\n"
	"  -t MS      takes at most MS milliseconds, the median of all rounds\n"
	"  -m MB      peak of at most MB; -m Xx for X times the inflated size\n"
	"  -k NAME:X  peak of at most X times that of NAME, the median over the rounds\n"
	"Exit status: 1 if a goal is missed or, with -d, the first command takes more CPU time; 2 if a command "
	"fails.\n";

static void die_usage(void)
{
	fputs(usage, stderr);
	exit(2);
}

static const struct command *find(const struct bench *b, const char *name)
{
	for (int i = 0; i < b->n_commands; i++)
		if (!strcmp(b->command[i].name, name))
			return &b->command[i];
	return NULL;
}

static bool check_peak(const struct bench *b, const struct goal *g)
{
	double limit = g->times_inflated ? g->value * b->inflated_mb : g->value;
	double peak = bench_max(b, &b->command[0], METRIC_PEAK);
	bool met = peak <= limit;

	printf("- %s peaks at most at %.1f MB", b->command[0].name, limit);
	if (g->times_inflated)
		printf(" (%g × inflated)", g->value);
	printf(": %.1f MB, %s\n", peak, met ? "met" : "**missed**");
	return met;
}

static bool check_time(const struct bench *b, const struct goal *g)
{
	double found = bench_median(b, &b->command[0], b->time);
	bool met = found <= g->value;

	printf("- %s takes at most %g ms: %.1f ms, %s\n", b->command[0].name, g->value, found,
	       met ? "met" : "**missed**");
	return met;
}

/* Print the result of a goal. Returns false if it is missed; a goal without a
   measurement is not missed. */
static bool check_goal(const struct bench *b, const struct goal *g)
{
	const struct command *first = &b->command[0], *other;
	double found;
	bool met;

	if (g->option == 'm')
		return check_peak(b, g);
	if (g->option == 't')
		return check_time(b, g);
	if (g->option == 'a')
		printf("- %s takes at most %g × %s: ", first->name, g->value, g->name);
	else if (g->option == 'k')
		printf("- %s peaks at most at %g × the memory of %s: ", first->name, g->value, g->name);
	else
		printf("- %s is at least %g × as fast as %s: ", first->name, g->value, g->name);
	other = find(b, g->name);
	if (!other) {
		printf("not measured: no %s\n", g->name);
		return true;
	}
	found = g->option == 'k'   ? bench_ratio(b, first, other, METRIC_PEAK)
		: g->option == 'a' ? bench_ratio(b, first, other, b->time)
				   : bench_ratio(b, other, first, b->time);
	met = g->option == 'x' ? found >= g->value : found <= g->value;
	printf("%.2f, %s\n", found, met ? "met" : "**missed**");
	return met;
}

static double parse_number(const char *text, const char *suffix)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || strcmp(end, suffix) || !(v > 0) || v > 1e9)
		bench_die(text, "not a number above zero");
	return v;
}

static int parse_rounds(const char *text, int max)
{
	double v = parse_number(text, "");

	if (v < 1 || v > max || v != (int)v)
		bench_die(text, "not a number of rounds");
	return (int)v;
}

static void add_goal(struct bench *b, char option, char *text)
{
	struct goal g = { .option = option };
	char *colon = strrchr(text, ':');

	if (b->n_goals == MAX_GOALS)
		bench_die(text, "too many goals");
	if (option == 'm') {
		g.times_inflated = text[0] && text[strlen(text) - 1] == 'x';
		g.value = parse_number(text, g.times_inflated ? "x" : "");
	} else if (option == 't') {
		g.value = parse_number(text, "");
	} else {
		if (!colon)
			die_usage();
		*colon = 0;
		g.name = text;
		g.value = parse_number(colon + 1, "");
	}
	b->goal[b->n_goals++] = g;
}

/* Read the sizes: gzip ends with the inflated size in four bytes, little-endian. */
static void set_profile(struct bench *b, const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t end[4];
	long n = 0;

	if (!f || fseek(f, -4, SEEK_END) || fread(end, 1, 4, f) != 4 || (n = ftell(f)) < 18)
		bench_die(path, "read failed, or too short for gzip");
	fclose(f);
	b->profile = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	b->packed_mb = (double)n / 1e6;
	b->inflated_mb = (end[0] + end[1] * 256.0 + end[2] * 65536.0 + end[3] * 16777216.0) / 1e6;
}

/* Add the command that starts at argv and ends with NULL. */
static void add_command(struct bench *b, char **argv)
{
	struct command *c = &b->command[b->n_commands++];

	c->n_rounds = b->n_rounds;
	for (; *argv && (*argv)[0] == '-'; argv++) {
		if (!strcmp(*argv, "-i"))
			c->counts_instructions = true;
		else if (!strcmp(*argv, "-y"))
			c->is_floor = true;
		else if (!strcmp(*argv, "-r") && argv[1])
			c->n_rounds = parse_rounds(*++argv, b->n_rounds);
		else
			die_usage();
	}
	if (!argv[0] || !argv[1])
		die_usage();
	c->name = argv[0];
	c->argv = argv + 1;
}

/* Read the option at argv, where n words remain. Returns the number of words of the option. */
static int parse_option(struct bench *b, char **argv, int n)
{
	char letter = argv[0][0] == '-' && argv[0][1] && !argv[0][2] ? argv[0][1] : 0;

	if (letter == 'u' || letter == 'd') {
		b->time = letter == 'u' ? METRIC_CPU : b->time;
		b->compares |= letter == 'd';
		return 1;
	}
	if (n < (letter == 'H' ? 4 : 2))
		die_usage();
	if (letter == 'H') {
		b->history = argv[1];
		b->revision = argv[2];
		b->title = argv[3];
		return 4;
	}
	if (letter == 's')
		b->status = parse_rounds(argv[1], UINT8_MAX);
	else if (letter == 'n')
		b->n_rounds = parse_rounds(argv[1], MAX_ROUNDS);
	else if (letter == 'f')
		set_profile(b, argv[1]);
	else if (letter && strchr("axmtk", letter))
		add_goal(b, letter, argv[1]);
	else
		die_usage();
	return 2;
}

static void parse(struct bench *b, int argc, char **argv)
{
	int i = 1;

	b->n_rounds = 5;
	while (i < argc && strcmp(argv[i], "--"))
		i += parse_option(b, argv + i, argc - i);
	for (int j = i; j < argc; j++)
		if (!strcmp(argv[j], "--"))
			argv[j] = NULL;
	for (; i < argc; i++)
		if (!argv[i]) {
			if (b->n_commands == MAX_COMMANDS)
				bench_die("commands", "too many");
			add_command(b, argv + i + 1);
		}
	if (b->n_commands < (b->compares ? 2 : 1) || b->command[0].n_rounds != b->n_rounds)
		die_usage();
	for (i = 0; i < b->n_goals; i++)
		if (b->goal[i].times_inflated && !b->profile)
			bench_die("-m", "a multiple of the inflated size needs -f");
}

int main(int argc, char **argv)
{
	static struct bench b;
	int n_missed = 0;

	parse(&b, argc, argv);
	bench_run(&b);
	if (b.history)
		bench_write_history(&b);
	if (b.compares)
		return bench_print_comparison(&b);
	bench_print_table(&b);
	for (int i = 0; i < b.n_goals; i++)
		n_missed += !check_goal(&b, &b.goal[i]);
	return n_missed > 0;
}
