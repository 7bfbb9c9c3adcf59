/*
 * bench_run.c - run commands alternately, and measure them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * In every round each command runs once, so that other load affects all commands alike; every second round is in
 * reverse order, so that no command profits from its position. Slow commands may skip rounds.
 *
 * Instructions are counted in every run by the processor if the kernel offers its counter. Many virtual machines have
 * none: then callgrind counts those of one more run, of commands that ask for it. Under valgrind programs may choose
 * other code for the processor that it emulates, and threads take turns, so only counts of the same kind are comparable.
 */
#include "config.h"

#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLGRIND_WORDS = 4, WORDS_MAX = 250 };

void bench_die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
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

/* A counter of the instructions of the next program that a child of this process executes; -1 if there is none. */
static int counter_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Millions of events; negative if the counter does not exist, or counted nothing. */
static double counter_close(int fd)
{
	uint64_t n = 0;

	if (fd < 0)
		return -1;
	if (read(fd, &n, sizeof(n)) != sizeof(n))
		n = 0;
	close(fd);
	return n ? (double)n / 1e6 : -1;
}

static void child(char **argv, int err)
{
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (out >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
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

/* Run argv to its end, with its messages in err. */
static void run_to_end(const struct bench *b, const struct command *c, char **argv, FILE *err, struct rusage *used)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		child(argv, fileno(err));
	if (pid < 0 || wait4(pid, &status, 0, used) != pid)
		bench_die(c->name, strerror(errno));
	if (!WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != b->status))
		show_failure(c, status, fileno(err));
}

static void run_once(const struct bench *b, struct command *c, int round)
{
	int counter = counter_open();
	FILE *err = tmpfile();
	double start = now_ms();
	struct rusage used;

	if (!err)
		bench_die(c->name, strerror(errno));
	run_to_end(b, c, c->argv, err, &used);
	c->value[METRIC_WALL][round] = now_ms() - start;
	c->value[METRIC_CPU][round] = cpu_ms(&used);
	c->value[METRIC_PEAK][round] = (double)used.ru_maxrss * 1024 / 1e6;
	c->value[METRIC_FAULTS][round] = (double)(used.ru_minflt + used.ru_majflt);
	c->value[METRIC_INSTRUCTIONS][round] = counter_close(counter);
	fclose(err);
}

/* Count the instructions of one more run by callgrind. */
static void run_callgrind(const struct bench *b, struct command *c)
{
	char *argv[CALLGRIND_WORDS + WORDS_MAX + 1] = { "valgrind", "--tool=callgrind",
							"--callgrind-out-file=/dev/null", "--trace-children=no" };
	FILE *err = tmpfile();
	char line[256];
	struct rusage used;
	int n = 0;

	for (; c->argv[n] && n < WORDS_MAX; n++)
		argv[CALLGRIND_WORDS + n] = c->argv[n];
	if (!err || c->argv[n])
		bench_die(c->name, err ? "too many words" : strerror(errno));
	run_to_end(b, c, argv, err, &used);
	rewind(err);
	while (fgets(line, sizeof(line), err)) {
		const char *at = strstr(line, "Collected : ");

		if (at)
			c->value[METRIC_INSTRUCTIONS][0] = strtod(at + strlen("Collected : "), NULL) / 1e6;
	}
	fclose(err);
}

static bool program_exists(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	for (; path && *path; path += *path == ':') {
		int n = (int)strcspn(path, ":");

		if (snprintf(file, sizeof(file), "%.*s/%s", n, path, name) < (int)sizeof(file) &&
		    access(file, X_OK) == 0)
			return true;
		path += n;
	}
	return false;
}

static void run_round(struct bench *b, int round)
{
	for (int i = 0; i < b->n_commands; i++) {
		struct command *c = &b->command[round % 2 ? b->n_commands - 1 - i : i];
		int n_before = round * c->n_rounds / b->n_rounds;

		for (int m = 0; m < N_METRICS; m++)
			c->value[m][round] = -1;
		if ((round + 1) * c->n_rounds / b->n_rounds > n_before)
			run_once(b, c, round);
	}
}

void bench_run(struct bench *b)
{
	bool has_valgrind = program_exists("valgrind");

	for (int round = 0; round < b->n_rounds; round++) {
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\rround %d of %d ", round + 1, b->n_rounds);
		run_round(b, round);
	}
	if (isatty(STDERR_FILENO))
		fputc('\n', stderr);
	for (int i = 0; i < b->n_commands && has_valgrind; i++)
		if (b->command[i].counts_instructions && bench_median(b, &b->command[i], METRIC_INSTRUCTIONS) < 0)
			run_callgrind(b, &b->command[i]);
}
