/*
 * sessions.c - record CPU time of a running program on demand, and print the results
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: sessions [-n SESSIONS] [-s MS] [-g MS] [-z HZ]... [-e ENGINE] [-d stop|kill] -l LIBRARY PROGRAM [ARGUMENT]...
 *
 * Starts the program, waits for its first line, then makes recordings of MS with gaps. Prints for each recording: CPU
 * time by the clock of the process, by the profile, the part of that without samples, ms until the threads were armed
 * (-1: never), and timers of the process; at the end timers, open files and mappings, and signals received by the
 * program. Ends the program with SIGTERM, and returns its output and status. Several -z alternate. -d stop: stop the
 * program during the recordings. -d kill: kill it in the middle of the last one.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/snap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_HZ = 8, DEFAULT_MS = 1000 };

struct run {
	unsigned n, session_ms, gap_ms, n_hz, hz[N_HZ], n_done;
	uint32_t engine;
	const char *library, *disturb;
	pid_t pid;
	struct collect *c;
	struct process *pinned;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t used_ns(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : now_ns(clock);
}

static void pause_ms(unsigned ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static void done(void *arg, struct process *p)
{
	struct run *r = arg;

	(void)p;
	r->n_done++;
}

static int start(struct run *r, char **argv)
{
	char segment[COLLECT_ENV_MAX];
	int ends[2];

	if (pipe(ends) != 0)
		exit(3);
	collect_environment(r->c, segment);
	r->pid = fork();
	if (r->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		collect_set_main(r->c, getpid());
		putenv(segment);
		setenv("LD_PRELOAD", r->library, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
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
		collect_drain(r->c);
		pause_ms(10);
	}
	collect_drain(r->c);
}

/* Count the lines of a file of the process with this prefix; "": all lines. */
static unsigned count(const struct run *r, const char *file, const char *what)
{
	char name[64], line[4096];
	unsigned n = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/%s", (int)r->pid, file);
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f))
		n += strncmp(line, what, strlen(what)) == 0;
	if (f)
		fclose(f);
	return n;
}

static unsigned count_files(const struct run *r)
{
	char name[64], link[64];
	unsigned n = 0;

	for (int i = 0; i < 4096; i++) {
		snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)r->pid, i);
		n += readlink(name, link, sizeof(link)) > 0;
	}
	return n;
}

static bool is_armed(const struct process *p)
{
	return atomic_load(&collect_slot(p->c, collect_slot_index(p))->armed) == p->c->recording;
}

/* Wait for the end of a recording. Returns the ms until all threads were armed, or -1. */
static double wait_out(struct run *r, const struct process *p, bool kills)
{
	uint64_t begin = now_ns(CLOCK_MONOTONIC), drained = begin, now = begin;
	double armed = -1;

	while (now - begin < r->session_ms * 1000000ULL) {
		bool more = collect_cpu_poll(r->c);

		if (armed < 0 && is_armed(p))
			armed = (double)(now_ns(CLOCK_MONOTONIC) - begin) / 1e6;
		if (now - drained > COLLECT_DRAIN_MS * 1000000ULL) {
			collect_drain(r->c);
			drained = now;
		}
		if (kills && now - begin > r->session_ms * 500000ULL) {
			kill(r->pid, SIGKILL);
			kills = false;
		}
		pause_ms(more ? COLLECT_ARM_MS : 10);
		now = now_ns(CLOCK_MONOTONIC);
	}
	return armed;
}

static long long total(const struct snap *s)
{
	const struct snap_row *row = s->row.data;
	long long sum = (long long)s->cpu.unsampled_ns;

	for (size_t i = 0; i < s->row.n; i++)
		sum += row[i].value[1];
	return sum;
}

static void session(struct run *r, unsigned i)
{
	struct process *p = collect_process(r->c, r->pid);
	bool kills = r->disturb && strcmp(r->disturb, "kill") == 0 && i + 1 == r->n;
	bool stops = r->disturb && strcmp(r->disturb, "stop") == 0;
	uint64_t before_ns, used;
	struct snap *before, *after;
	unsigned hz = r->hz[i % r->n_hz], timers;
	double armed;

	if (!p || collect_cpu_start(r->c, hz, r->engine) < 0)
		exit(4);
	process_pin(p);
	if (stops)
		kill(r->pid, SIGSTOP);
	before_ns = used_ns(r->pid);
	if (snap_take(p, SNAP_CPU, 0, &before) < 0)
		exit(5);
	armed = wait_out(r, p, kills);
	timers = count(r, "timers", "ID:");
	used = used_ns(r->pid) - before_ns;
	collect_cpu_stop(r->c);
	if (snap_take(p, SNAP_CPU, 0, &after) < 0 || snap_subtract(after, before, false) < 0)
		exit(6);
	if (stops)
		kill(r->pid, SIGCONT);
	printf("session hz=%u used=%lld total=%lld unsampled=%llu lost=%llu samples=%llu period=%llu armed_ms=%.1f "
	       "timers=%u wall_ms=%llu\n",
	       hz, (long long)used, total(after), (unsigned long long)(after->cpu.unsampled_ns / after->period),
	       (unsigned long long)after->cpu.lost, (unsigned long long)after->cpu.n_samples,
	       (unsigned long long)after->period, armed, timers,
	       (unsigned long long)(after->end_ns - after->start_ns) / 1000000);
	snap_free(before);
	snap_free(after);
	process_unpin(p);
}

static void copy_output(int fd)
{
	char text[4096];
	ssize_t n;

	while ((n = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stdout);
}

static void read_options(struct run *r, int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "+n:s:g:z:e:d:l:")) != -1;) {
		switch (c) {
		case 'n':
			r->n = (unsigned)atoi(optarg);
			break;
		case 's':
			r->session_ms = (unsigned)atoi(optarg);
			break;
		case 'g':
			r->gap_ms = (unsigned)atoi(optarg);
			break;
		case 'z':
			if (r->n_hz < N_HZ)
				r->hz[r->n_hz++] = (unsigned)atoi(optarg);
			break;
		case 'e':
			if (!collect_parse_engine(optarg, &r->engine))
				exit(2);
			break;
		case 'd':
			r->disturb = optarg;
			break;
		case 'l':
			r->library = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (!r->n_hz)
		r->hz[r->n_hz++] = 100;
}

int main(int argc, char **argv)
{
	struct run r = { .n = 1, .session_ms = DEFAULT_MS, .gap_ms = 100 };
	int status = 0, fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(&r, argc, argv);
	if (!r.library || collect_open(&(struct collector_options){ .follow = true }, done, &r, &r.c) < 0)
		return 3;
	fd = start(&r, argv + optind);
	wait_ready(&r, fd);
	printf("before timers=%u files=%u maps=%u\n", count(&r, "timers", "ID:"), count_files(&r),
	       count(&r, "maps", ""));
	for (unsigned i = 0; i < r.n; i++) {
		session(&r, i);
		pause_ms(r.gap_ms);
		collect_drain(r.c);
	}
	printf("after timers=%u files=%u maps=%u\n", count(&r, "timers", "ID:"), count_files(&r),
	       count(&r, "maps", ""));
	kill(r.pid, SIGTERM);
	fcntl(fd, F_SETFL, 0);
	copy_output(fd);
	waitpid(r.pid, &status, 0);
	collect_finish(r.c);
	printf("done %u\n", r.n_done);
	collect_close(r.c);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
