/*
 * bench.c - run commands alternately, compare their time and memory, print a Markdown table
 * SPDX-License-Identifier: Apache-2.0
 *
 * In every round each command runs once, so that other load affects all commands alike. A ratio is the median over the
 * rounds of the ratio within a round. Slow commands may skip rounds. The memory is the kernel's ru_maxrss: the maximum
 * of the command and of the children it waited for.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ROUNDS = 1000, MAX_COMMANDS = 16, MAX_GOALS = 16 };

static const char usage[] =
	"usage: bench [-n ROUNDS] [-f PROFILE] [-u] [-s STATUS] [GOAL...] {-- [-r ROUNDS] [-p] NAME COMMAND...}...\n"
	"  -n  rounds; the first command runs in each (default 5)\n"
	"  -f  gzip file that the commands read; its sizes are the title of the table\n"
	"  -u  measure CPU time, user and system, instead of wall time\n"
	"  -s  exit status that counts as success, besides 0\n"
	"  -r  rounds of this command, spread evenly (default: all)\n"
	"  -p  the time of the command is the first number that it prints, in ms\n"
	"goals, all of the first command:\n"
	"  -a NAME:X  takes at most X times the time of NAME\n"
	"  -x NAME:X  is at least X times as fast as NAME\n"
	"  -t MS      takes at most MS milliseconds, the median of all rounds\n"
	"  -m MB      peak of at most MB; -m Xx for X times the inflated size\n"
	"  -k NAME:X  peak of at most X times that of NAME, the median over the rounds\n"
	"Exit status: 1 if a goal is missed, 2 if a command fails.\n";

struct command {
	const char *name;
	char **argv; /* ends with NULL */
	int n_rounds;
	bool prints;           /* the command prints its time */
	double ms[MAX_ROUNDS]; /* negative for a skipped round */
	double mb[MAX_ROUNDS]; /* peak memory, negative for a skipped round */
	double peak_mb;        /* maximum of all rounds */
};

struct goal {
	char option; /* letter of the option */
	char *name;  /* a command; NULL for -m and -t */
	double value;
	bool times_inflated;
};

struct bench {
	int n_rounds, n_commands, n_goals;
	int status;    /* exit status that counts as success, like 0 */
	bool uses_cpu; /* times are CPU times */
	const char *profile;
	double packed_mb, inflated_mb;
	struct command command[MAX_COMMANDS];
	struct goal goal[MAX_GOALS];
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(2);
}

static void die_usage(void)
{
	fputs(usage, stderr);
	exit(2);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double cpu_ms(const struct rusage *used)
{
	return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1e3 +
	       (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e3;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median, or 0 without values. Sorts v. */
static double median(double *v, int n)
{
	if (!n)
		return 0;
	qsort(v, (size_t)n, sizeof(*v), compare_double);
	return (v[n / 2] + v[(n - 1) / 2]) / 2;
}

static void child(char **argv, int out, int err)
{
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s\n", strerror(errno));
	_exit(127);
}

static void show_failure(const struct command *c, int status, int err)
{
	char text[4096];
	ssize_t n;

	fprintf(stderr, "bench: %s: %s %d; its output:\n", c->name, WIFEXITED(status) ? "exit status" : "signal",
		WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	lseek(err, 0, SEEK_SET);
	while ((n = read(err, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stderr);
	exit(2);
}

/* Read fd to its end, and store the first n - 1 bytes. */
static void read_start(int fd, char *text, size_t n)
{
	char rest[4096];
	size_t have = 0;
	ssize_t got;

	while ((got = read(fd, rest, sizeof(rest))) > 0)
		for (ssize_t i = 0; i < got && have < n - 1; i++)
			text[have++] = rest[i];
	text[have] = 0;
	close(fd);
}

static void run_once(const struct bench *b, struct command *c, int round)
{
	FILE *err = tmpfile();
	int out[2] = { -1, -1 }, status;
	char text[64], *end = text;
	struct rusage used;
	double start;
	pid_t pid;

	if (c->prints && pipe2(out, O_CLOEXEC))
		die(c->name, strerror(errno));
	if (!c->prints)
		out[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (!err || out[1] < 0)
		die(c->name, strerror(errno));
	start = now_ms();
	pid = fork();
	if (pid < 0)
		die(c->name, strerror(errno));
	if (pid == 0)
		child(c->argv, out[1], fileno(err));
	close(out[1]);
	if (c->prints)
		read_start(out[0], text, sizeof(text));
	if (wait4(pid, &status, 0, &used) != pid)
		die(c->name, strerror(errno));
	c->ms[round] = b->uses_cpu ? cpu_ms(&used) : now_ms() - start;
	c->mb[round] = (double)used.ru_maxrss * 1024 / 1e6;
	if (!WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != b->status))
		show_failure(c, status, fileno(err));
	fclose(err);
	if (c->prints) {
		c->ms[round] = strtod(text, &end);
		if (end == text || !(c->ms[round] > 0))
			die(c->name, "first output is not a time");
	}
	if (c->mb[round] > c->peak_mb)
		c->peak_mb = c->mb[round];
}

static void run_all(struct bench *b)
{
	for (int round = 0; round < b->n_rounds; round++) {
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\rround %d of %d ", round + 1, b->n_rounds);
		for (int i = 0; i < b->n_commands; i++) {
			struct command *c = &b->command[i];
			int n_before = round * c->n_rounds / b->n_rounds;

			c->ms[round] = -1;
			if ((round + 1) * c->n_rounds / b->n_rounds > n_before)
				run_once(b, c, round);
		}
	}
	if (isatty(STDERR_FILENO))
		fputc('\n', stderr);
}

/* The ratio of a command's time to that of base: the median over the rounds with both times. */
static double ratio(const struct bench *b, const struct command *c, const struct command *base)
{
	double v[MAX_ROUNDS];
	int n = 0;

	for (int i = 0; i < b->n_rounds; i++)
		if (c->ms[i] >= 0 && base->ms[i] > 0)
			v[n++] = c->ms[i] / base->ms[i];
	return median(v, n);
}

/* The same for peak memory. */
static double ratio_of_peaks(const struct bench *b, const struct command *c, const struct command *base)
{
	double v[MAX_ROUNDS];
	int n = 0;

	for (int i = 0; i < b->n_rounds; i++)
		if (c->ms[i] >= 0 && base->ms[i] >= 0)
			v[n++] = c->mb[i] / base->mb[i];
	return median(v, n);
}

static const struct command *find(const struct bench *b, const char *name)
{
	for (int i = 0; i < b->n_commands; i++)
		if (!strcmp(b->command[i].name, name))
			return &b->command[i];
	return NULL;
}

static void print_row(const struct bench *b, const struct command *c, const struct command *yardstick)
{
	double v[MAX_ROUNDS], mid;
	int n = 0;

	for (int i = 0; i < b->n_rounds; i++)
		if (c->ms[i] >= 0)
			v[n++] = c->ms[i];
	mid = median(v, n);
	int digits = mid < 10 ? 2 : mid < 1000;

	printf("| %s | %d | %.*f | %.*f–%.*f | %.1f | %.2f |", c->name, n, digits, mid, digits, v[0], digits, v[n - 1],
	       c->peak_mb, ratio(b, c, &b->command[0]));
	if (yardstick)
		printf(" %.2f |", ratio(b, c, yardstick));
	putchar('\n');
}

static void print_table(const struct bench *b)
{
	const struct command *yardstick = NULL;

	for (int i = b->n_commands - 1; i > 0; i--)
		if (b->command[i].prints)
			yardstick = &b->command[i];
	if (b->profile)
		printf("`%s`: %.3f MB compressed, %.3f MB inflated\n\n", b->profile, b->packed_mb, b->inflated_mb);
	printf("| command | rounds | median %sms | min–max ms | peak MB | × %s |", b->uses_cpu ? "CPU " : "",
	       b->command[0].name);
	if (yardstick)
		printf(" × %s |", yardstick->name);
	printf("\n|---|--:|--:|--:|--:|--:|%s\n", yardstick ? "--:|" : "");
	for (int i = 0; i < b->n_commands; i++)
		print_row(b, &b->command[i], yardstick);
	putchar('\n');
}

static bool check_peak(const struct bench *b, const struct goal *g)
{
	double limit = g->times_inflated ? g->value * b->inflated_mb : g->value;
	double peak = b->command[0].peak_mb;
	bool met = peak <= limit;

	printf("- %s peaks at most at %.1f MB", b->command[0].name, limit);
	if (g->times_inflated)
		printf(" (%g × inflated)", g->value);
	printf(": %.1f MB, %s\n", peak, met ? "met" : "**missed**");
	return met;
}

/* The median time of a command over its rounds. */
static double median_ms(const struct bench *b, const struct command *c)
{
	double v[MAX_ROUNDS];
	int n = 0;

	for (int i = 0; i < b->n_rounds; i++)
		if (c->ms[i] >= 0)
			v[n++] = c->ms[i];
	return median(v, n);
}

static bool check_time(const struct bench *b, const struct goal *g)
{
	double found = median_ms(b, &b->command[0]);
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
	found = g->option == 'k'   ? ratio_of_peaks(b, first, other)
		: g->option == 'a' ? ratio(b, first, other)
				   : ratio(b, other, first);
	met = g->option == 'x' ? found >= g->value : found <= g->value;
	printf("%.2f, %s\n", found, met ? "met" : "**missed**");
	return met;
}

static double parse_number(const char *text, const char *suffix)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || strcmp(end, suffix) || !(v > 0) || v > 1e9)
		die(text, "not a number above zero");
	return v;
}

static int parse_rounds(const char *text, int max)
{
	double v = parse_number(text, "");

	if (v < 1 || v > max || v != (int)v)
		die(text, "not a number of rounds");
	return (int)v;
}

static void add_goal(struct bench *b, char option, char *text)
{
	struct goal g = { .option = option };
	char *colon = strrchr(text, ':');

	if (b->n_goals == MAX_GOALS)
		die(text, "too many goals");
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
		die(path, "read failed, or too short for gzip");
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
		if (!strcmp(*argv, "-p"))
			c->prints = true;
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

static void parse(struct bench *b, int argc, char **argv)
{
	int i = 1;

	b->n_rounds = 5;
	for (; i + 1 < argc && strcmp(argv[i], "--"); i += 2) {
		if (!strcmp(argv[i], "-u")) {
			b->uses_cpu = true;
			i--;
		} else if (!strcmp(argv[i], "-s"))
			b->status = parse_rounds(argv[i + 1], UINT8_MAX);
		else if (!strcmp(argv[i], "-n"))
			b->n_rounds = parse_rounds(argv[i + 1], MAX_ROUNDS);
		else if (!strcmp(argv[i], "-f"))
			set_profile(b, argv[i + 1]);
		else if (!strcmp(argv[i], "-a") || !strcmp(argv[i], "-x") || !strcmp(argv[i], "-m") ||
			 !strcmp(argv[i], "-t") || !strcmp(argv[i], "-k"))
			add_goal(b, argv[i][1], argv[i + 1]);
		else
			die_usage();
	}
	for (int j = i; j < argc; j++)
		if (!strcmp(argv[j], "--"))
			argv[j] = NULL;
	for (; i < argc; i++)
		if (!argv[i]) {
			if (b->n_commands == MAX_COMMANDS)
				die("commands", "too many");
			add_command(b, argv + i + 1);
		}
	if (!b->n_commands || b->command[0].n_rounds != b->n_rounds)
		die_usage();
	for (i = 0; i < b->n_goals; i++)
		if (b->goal[i].times_inflated && !b->profile)
			die("-m", "a multiple of the inflated size needs -f");
}

int main(int argc, char **argv)
{
	static struct bench b;
	int n_missed = 0;

	parse(&b, argc, argv);
	run_all(&b);
	print_table(&b);
	for (int i = 0; i < b.n_goals; i++)
		n_missed += !check_goal(&b, &b.goal[i]);
	return n_missed > 0;
}
