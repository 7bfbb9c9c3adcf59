/*
 * linked.c - a program that profiles itself: linked MODE [ARGUMENT]...
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <cpa/pprof.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static atomic_int stop;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void spin(double seconds)
{
	double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 20000; i++)
			sum += i;
}

/* Like spin, for time that must not be in a profile. */
__attribute__((noinline)) static void elsewhere(double seconds)
{
	double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 20000; i++)
			sum -= i;
}

static int entries(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static int lines(const char *file)
{
	FILE *f = fopen(file, "re");
	int n = 0, c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

/* Print the numbers of threads, open files and timers. */
static void state(const char *when)
{
	struct sigaction act;

	sigaction(SIGPROF, NULL, &act);
	printf("%s: threads %d files %d timers %d\n", when, entries("/proc/self/task"), entries("/proc/self/fd"),
	       lines("/proc/self/timers"));
	fflush(stdout);
}

static void *thread_spin(void *arg)
{
	spin(*(double *)arg);
	return NULL;
}

static void *thread_busy(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop))
		spin(0.001);
	return NULL;
}

static void *thread_wait(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop))
		usleep(20000);
	return NULL;
}

static int fail(const char *what, int rc)
{
	printf("%s: %s\n", what, strerror(-rc));
	return 1;
}

static int start(const char *path, int hz)
{
	cpa_cpu_opts o = { .size = sizeof(o), .hz = hz };

	return cpa_cpu_start_path(path, &o);
}

/* HZ SECONDS [THREADS]: print the CPU time used, in ns */
static int mode_burn(char **arg)
{
	int n = arg[2] ? atoi(arg[2]) : 0, rc;
	double seconds = atof(arg[1]), before;
	pthread_t thread[64];

	elsewhere(0.3);
	rc = start("p.pb.gz", atoi(arg[0]));
	if (rc < 0)
		return fail("start", rc);
	before = now(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, thread_spin, &seconds);
	spin(seconds);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	printf("%.0f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - before) * 1e9);
	rc = cpa_cpu_stop();
	elsewhere(0.3);
	return rc < 0 ? fail("stop", rc) : 0;
}

/* HZ: threads that exist before the start and after the stop */
static int mode_before(char **arg)
{
	pthread_t thread[2];
	double before;
	int rc;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, thread_busy, NULL);
	elsewhere(0.2);
	rc = start("p.pb.gz", atoi(arg[0]));
	if (rc < 0)
		return fail("start", rc);
	before = now(CLOCK_PROCESS_CPUTIME_ID);
	spin(1);
	printf("%.0f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - before) * 1e9);
	rc = cpa_cpu_stop();
	elsewhere(0.2);
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return rc < 0 ? fail("stop", rc) : 0;
}

/* A thread that blocks all signals, started before the profile. */
static int mode_blocked(char **arg)
{
	pthread_t thread;
	sigset_t all, old;
	double before;
	int rc;

	(void)arg;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_create(&thread, NULL, thread_busy, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	usleep(50000);
	rc = start("p.pb.gz", 1000);
	if (rc < 0)
		return fail("start", rc);
	before = now(CLOCK_PROCESS_CPUTIME_ID);
	spin(1);
	printf("%.0f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - before) * 1e9);
	rc = cpa_cpu_stop();
	atomic_store(&stop, 1);
	pthread_join(thread, NULL);
	return rc < 0 ? fail("stop", rc) : 0;
}

static int take(void *arg, const void *data, size_t n)
{
	(void)data;
	*(size_t *)arg += n;
	return 0;
}

/* N: start and stop under load, N times */
static int mode_often(char **arg)
{
	int n = atoi(arg[0]), bad = 0, maps = 0;
	pthread_t thread[4];
	size_t bytes = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, thread_busy, NULL);
	state("before");
	for (int i = 0; i < n; i++) {
		cpa_cpu_opts o = { .size = sizeof(o), .hz = i % 2 ? 1000 : 100 };

		bad += cpa_cpu_start_fn(take, &bytes, &o) != 0;
		bad += cpa_cpu_stop() != 0;
		if (i == 9)
			maps = lines("/proc/self/maps");
	}
	state("after");
	maps = lines("/proc/self/maps") - maps;
	printf("failed %d, bytes %s, maps %s\n", bad, bytes ? "some" : "none", maps > 4 ? "more" : "same");
	atomic_store(&stop, 1);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static int mode_rules(char **arg)
{
	(void)arg;
	printf("stop %s\n", strerror(-cpa_cpu_stop()));
	printf("rate %s\n", strerror(-cpa_cpu_set_rate(5000)));
	printf("rate %s\n", strerror(-cpa_cpu_set_rate(250)));
	printf("start %s\n", strerror(-start("p.pb.gz", 0)));
	printf("start %s\n", strerror(-start("q.pb.gz", 0)));
	printf("rate %s\n", strerror(-cpa_cpu_set_rate(100)));
	spin(0.3);
	printf("stop %s\n", strerror(-cpa_cpu_stop()));
	printf("stop %s\n", strerror(-cpa_cpu_stop()));
	printf("start %s\n", strerror(-start("p.pb.gz", 0)));
	printf("start %s\n", strerror(-start("no/such/folder/p.pb.gz", 0)));
	printf("start %s\n", strerror(-start("q.pb.gz", 1001)));
	printf("start %s\n", strerror(-cpa_cpu_start_fd(77, NULL)));
	printf("start %s\n", strerror(-cpa_cpu_start_fn(NULL, NULL, NULL)));
	return 0;
}

/* Two profiles: samples of the first are not in the second. */
static int mode_two(char **arg)
{
	(void)arg;
	if (start("p.pb.gz", 1000) < 0)
		return 1;
	elsewhere(0.5);
	if (cpa_cpu_stop() < 0 || start("q.pb.gz", 250) < 0)
		return 1;
	spin(0.5);
	return cpa_cpu_stop() < 0;
}

/* THREADS: print how long a stop takes, in ms */
static int mode_latency(char **arg)
{
	int n = atoi(arg[0]), made = 0;
	pthread_t *thread = calloc((size_t)n, sizeof(*thread));
	pthread_attr_t attr;
	double before;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (int i = 0; i < n; i++)
		made += pthread_create(&thread[i], &attr, i < 4 ? thread_busy : thread_wait, NULL) == 0;
	if (start("p.pb.gz", 1000) < 0)
		return 1;
	spin(0.3);
	before = now(CLOCK_MONOTONIC);
	cpa_cpu_stop();
	printf("%.0f\n", (now(CLOCK_MONOTONIC) - before) * 1000);
	atomic_store(&stop, 1);
	for (int i = 0; i < made; i++)
		pthread_join(thread[i], NULL);
	return made != n;
}

/* The fork child works, too; only the parent has a profile. */
static int mode_fork(char **arg)
{
	int status = 0, rc = start("p.pb.gz", 100);
	double before = now(CLOCK_PROCESS_CPUTIME_ID);

	(void)arg;
	if (rc < 0)
		return fail("start", rc);
	spin(0.5);
	fflush(stdout);
	if (fork() == 0) {
		elsewhere(0.5);
		printf("child: stop %s\n", strerror(-cpa_cpu_stop()));
		rc = start("child.pb.gz", 100);
		before = now(CLOCK_PROCESS_CPUTIME_ID);
		spin(0.5);
		printf("child: %.0f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - before) * 1e9);
		if (rc < 0)
			printf("child: start %s\n", strerror(-rc));
		rc = cpa_cpu_stop();
		fflush(stdout);
		_exit(rc != 0);
	}
	wait(&status);
	spin(0.5);
	printf("parent: %.0f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - before) * 1e9);
	rc = cpa_cpu_stop();
	return rc < 0 ? fail("stop", rc) : status;
}

/* The program closes all descriptors, and another file gets the number of ours. */
static int mode_hijack(char **arg)
{
	int fd = open("p.pb.gz", O_WRONLY | O_CREAT | O_CLOEXEC, 0600), mine, rc;

	(void)arg;
	rc = cpa_cpu_start_fd(fd, NULL);
	if (rc < 0)
		return fail("start", rc);
	for (int i = 3; i < 64; i++)
		close(i);
	for (int i = 0; i < 8; i++) {
		char name[16];

		snprintf(name, sizeof(name), "mine-%d", i);
		mine = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (write(mine, "of the program\n", 15) != 15)
			return 1;
	}
	spin(0.2);
	printf("stop %s\n", strerror(-cpa_cpu_stop()));
	return 0;
}

/* FILE: profile to a descriptor */
static int mode_fd(char **arg)
{
	int fd = open(arg[0], O_WRONLY | O_CREAT, 0600), rc = cpa_cpu_start_fd(fd, NULL);

	if (rc < 0)
		return fail("start", rc);
	close(fd);
	spin(0.2);
	printf("stop %s\n", strerror(-cpa_cpu_stop()));
	return 0;
}

/* FILE: profile to a path */
static int mode_path(char **arg)
{
	int rc = start(arg[0], 100);

	if (rc < 0)
		return fail("start", rc);
	spin(0.2);
	printf("stop %s\n", strerror(-cpa_cpu_stop()));
	return 0;
}

/* No profile is started. */
static int mode_idle(char **arg)
{
	char text[4096];
	double before = now(CLOCK_PROCESS_CPUTIME_ID);
	FILE *f;

	(void)arg;
	usleep(500000);
	state("idle");
	f = fopen("/proc/self/status", "re");
	printf("cpu %s\n", now(CLOCK_PROCESS_CPUTIME_ID) - before < 0.02 ? "none" : "some");
	while (f && fgets(text, sizeof(text), f))
		if (strncmp(text, "SigCgt:", 7) == 0 || strncmp(text, "SigQ:", 5) == 0)
			printf("%.*s\n", (int)strcspn(text, "/\n"), text);
	if (f)
		fclose(f);
	return 0;
}

/* Arguments HOW SECONDS: exit during a profile. */
static int mode_end(char **arg)
{
	spin(atof(arg[1]));
	if (strcmp(arg[0], "_exit") == 0)
		_exit(3);
	if (strcmp(arg[0], "_Exit") == 0)
		_Exit(3);
	if (strcmp(arg[0], "quick_exit") == 0)
		quick_exit(3);
	if (strcmp(arg[0], "abort") == 0)
		abort();
	if (strcmp(arg[0], "term") == 0)
		raise(SIGTERM);
	if (strcmp(arg[0], "fork") == 0) {
		if (fork() == 0)
			spin(atof(arg[1]));
		else
			wait(NULL);
	}
	if (strcmp(arg[0], "thread") == 0) {
		static double seconds;
		pthread_t thread;

		seconds = atof(arg[1]);
		pthread_create(&thread, NULL, thread_spin, &seconds);
		pthread_exit(NULL);
	}
	return 3;
}

static const struct {
	const char *name;
	int (*run)(char **arg);
} modes[] = {
	{ "burn", mode_burn }, { "before", mode_before },   { "often", mode_often },     { "rules", mode_rules },
	{ "two", mode_two },   { "latency", mode_latency }, { "fork", mode_fork },       { "hijack", mode_hijack },
	{ "fd", mode_fd },     { "path", mode_path },       { "blocked", mode_blocked }, { "idle", mode_idle },
	{ "end", mode_end },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run(argv + 2);
	return 2;
}
