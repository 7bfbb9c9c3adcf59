/*
 * threads_dump.c - dump the threads of a running program repeatedly, and print how long it took
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: threads_dump [-n DUMPS] [-w MS] [-z HZ] [-l LIBRARY] [-o FILE] [-q | -t] PROGRAM [ARGUMENT]...
 *        threads_dump -p PROCESS
 *
 * Starts the program, with or without the library; waits for its first line; makes dumps, MS apart. Prints the
 * duration of each dump or its error, and all threads of the last one. FILE gets the last dump as a profile. -q waits
 * for the end of the program and returns its status; -t does so after a SIGTERM; else the program is killed.
 */
#include "config.h"

#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/write/write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct run {
	unsigned n, wait_ms, hz;
	const char *library, *file;
	bool quiet, there, term;
	pid_t pid;
	struct collect *c;
	struct process *untraced;
	uint64_t weight;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void pause_ms(unsigned ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static void done(void *arg, struct process *p)
{
	struct run *r = arg;
	struct process_info f;

	process_info(p, &f);
	r->weight += f.weight;
}

static int write_bytes(void *arg, const void *data, size_t n)
{
	return write(*(int *)arg, data, n) == (ssize_t)n ? 0 : -EIO;
}

/* Start the program with its standard output to a pipe. Returns the read end. */
static int start(struct run *r, char **argv)
{
	char segment[COLLECT_ENV_MAX];
	int ends[2];

	if (pipe(ends) != 0)
		exit(3);
	if (r->c)
		collect_environment(r->c, segment);
	r->pid = fork();
	if (r->pid == 0) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		if (r->c) {
			collect_set_main(r->c, getpid());
			putenv(segment);
			setenv("LD_PRELOAD", r->library, 1);
		}
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	if (r->c)
		collect_set_main(r->c, r->pid);
	return ends[0];
}

static void wait_ready(struct run *r, int fd)
{
	char c = 0;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 3000 && c != '\n'; i++) {
		ssize_t got = read(fd, &c, 1);

		if (got == 0)
			break;
		if (got > 0)
			continue;
		if (r->c)
			collect_drain(r->c);
		pause_ms(10);
	}
}

static void print_threads(const struct snap *s)
{
	const struct snap_row *row = s->row.data;
	const struct snap_thread *thread = s->thread.data;

	for (size_t i = 0; i < s->row.n; i++) {
		const struct snap_thread *t = &thread[row[i].thread - 1];
		struct snap_frame f = { 0 };

		if (row[i].n)
			snap_frame(s, &row[i], 0, &f);
		printf("thread %s frames=%u label=%u waited=%llums %s\n", t->wait, row[i].n, row[i].label,
		       (unsigned long long)t->wait_ns / 1000000, f.pseudo ? f.pseudo : "");
		printf("stack %u", t->tid);
		for (uint32_t k = 0; k < row[i].n; k++) {
			snap_frame(s, &row[i], k, &f);
			printf(" %llx", (unsigned long long)f.addr);
		}
		printf("\n");
	}
}

static void save(const struct run *r, const struct snap *s)
{
	int fd = open(r->file, O_WRONLY | O_CREAT | O_TRUNC, 0600), rc;

	rc = fd < 0 ? -errno : write_snap(s, 0, NULL, NULL, write_bytes, &fd);
	if (rc < 0)
		fprintf(stderr, "threads_dump: %s: %s\n", r->file, strerror(-rc));
	close(fd);
}

static void dump(struct run *r, bool last)
{
	struct process *p = r->c ? collect_process(r->c, r->pid) : r->untraced;
	uint64_t begin = now_ns();
	struct snap *s = NULL;
	int rc = p ? snap_take(p, SNAP_THREADS, 0, &s) : -ESRCH;

	printf("dump %.2f ms, %zu threads%s%s\n", (double)(now_ns() - begin) / 1e6, s ? s->thread.n : 0,
	       rc < 0 ? ": " : "", rc < 0 ? strerror(-rc) : "");
	if (last && s)
		print_threads(s);
	if (last && s && r->file)
		save(r, s);
	snap_free(s);
}

static void read_options(struct run *r, int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "+n:w:z:l:o:p:qt")) != -1;) {
		switch (c) {
		case 'n':
			r->n = (unsigned)atoi(optarg);
			break;
		case 'w':
			r->wait_ms = (unsigned)atoi(optarg);
			break;
		case 'z':
			r->hz = (unsigned)atoi(optarg);
			break;
		case 'l':
			r->library = optarg;
			break;
		case 'o':
			r->file = optarg;
			break;
		case 'p':
			r->pid = (pid_t)atoi(optarg);
			r->there = true;
			break;
		case 't':
			r->quiet = r->term = true;
			break;
		case 'q':
			r->quiet = true;
			break;
		default:
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct run r = { .n = 1, .wait_ms = 10 };
	int status = 0;

	read_options(&r, argc, argv);
	if (r.library && collect_open(&(struct collector_options){ .hz = r.hz }, done, &r, &r.c) < 0)
		return 3;
	if (!r.there)
		wait_ready(&r, start(&r, argv + optind));
	if (!r.library && process_open(r.pid, &r.untraced) < 0)
		return 3;
	for (unsigned i = 0; i < r.n; i++) {
		if (r.c)
			collect_drain(r.c);
		dump(&r, i + 1 == r.n);
		pause_ms(r.wait_ms);
	}
	if (r.term)
		kill(r.pid, SIGTERM);
	if (!r.quiet && !r.there)
		kill(r.pid, SIGKILL);
	while (!r.there && waitpid(r.pid, &status, WNOHANG) == 0) {
		if (r.c)
			collect_drain(r.c);
		pause_ms(10);
	}
	process_close(r.untraced);
	if (r.c) {
		collect_finish(r.c);
		collect_close(r.c);
		printf("weight %llu\n", (unsigned long long)r.weight);
	}
	if (!r.quiet)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
