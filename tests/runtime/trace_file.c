/*
 * trace_file.c - write a timeline of a program from its start to its end
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: trace_file LIBRARY HZ SECONDS FILE PROGRAM [ARGUMENT]...
 *
 * Prints the cost: "looks N MS". The output of the program is unchanged. Fails if a perf event is still open at the end.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/elfnames.h"
#include "libcpaprof/collector/trace/trace_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 2, DRAIN_EVERY_MS = 50 };

static struct trace *trace;
static const char *out;
static int failed;

static int put(void *file, const void *data, size_t n)
{
	return fwrite(data, 1, n, file) == n ? 0 : -1;
}

/* The number of perf events that are open. */
static int count_events(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++) {
		char name[32], target[64] = { 0 };

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		n += readlink(name, target, sizeof(target) - 1) > 0 && strstr(target, "perf_event");
	}
	return n;
}

static void finish(void)
{
	struct elfnames *names = elfnames_open();
	struct snap *s = NULL;
	FILE *f = fopen(out, "w");

	trace_end(trace);
	failed = !f || !names || trace_snap(trace, &s) != 0 || s->row.n == 0 ||
		 trace_write(trace, elfnames_at, names, put, f) != 0 || fclose(f) != 0;
	fprintf(stderr, "looks %llu %.3f ms, stacks %zu, samples %zu, waits %zu, threads %zu\n",
		(unsigned long long)trace->n_polls, (double)trace->poll_ns / 1e6, s ? s->row.n : 0, trace->sample.n,
		trace->wait.n, trace->thread.n);
	snap_free(s);
	elfnames_close(names);
	trace_free(trace);
	trace = NULL;
	failed |= count_events() != 0;
}

static void done(void *arg, struct process *p)
{
	(void)arg;
	if (trace && trace->p == p)
		finish();
}

static pid_t begin(struct collect *c, const char *library, char **argv)
{
	char text[COLLECT_ENV_MAX], *value;
	pid_t pid;

	collect_environment(c, text);
	pid = fork();
	if (pid != 0)
		return pid;
	collect_set_main(c, getpid());
	value = strchr(text, '=');
	*value = '\0';
	setenv(text, value + 1, 1);
	setenv("LD_PRELOAD", library, 1);
	execvp(argv[0], argv);
	_exit(127);
}

static void watch(struct collect *c, pid_t pid, uint64_t most_ms)
{
	uint64_t start = 0, next = 0, drained = 0;

	for (bool over = false; waitpid(pid, NULL, WNOHANG) == 0; usleep(WAIT_MS * 1000)) {
		uint64_t now = clock_now() / 1000000;
		struct process *p;

		if (now - drained >= DRAIN_EVERY_MS || !start) {
			collect_drain(c);
			drained = now;
		}
		p = collect_process(c, pid);
		if (!trace && !over && p && trace_begin(p, &trace) == 0)
			start = now;
		if (trace && now >= next)
			next = now + trace_poll(trace);
		if (trace && now - start >= most_ms) {
			over = true;
			finish();
		}
	}
}

int main(int argc, char **argv)
{
	struct collector_options options = { .hz = argc > 2 ? (uint32_t)atoi(argv[2]) : 0 };
	struct collect *c;
	pid_t pid;

	if (argc < 6 || collect_open(&options, done, NULL, &c) != 0)
		return 2;
	out = argv[4];
	pid = begin(c, argv[1], argv + 5);
	collect_set_main(c, pid);
	watch(c, pid, (uint64_t)(atof(argv[3]) * 1000));
	collect_finish(c);
	collect_close(c);
	return failed;
}
