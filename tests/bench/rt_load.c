/*
 * rt_load.c - workloads that report their own CPU time, to compare profilers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: rt_load burn THREADS SECONDS     CPU time in threads: "total NS"
 *        rt_load burst THREADS SECONDS    the same in bursts of a millisecond, with sleeps between
 *        rt_load read SECONDS             read(2) of /dev/zero
 *        rt_load fair THREADS SECONDS     up to 8 threads, each in its own function: "work_N NS" and total
 *        rt_load shares SECONDS           50, 30, 15, 5 % of it in one function each: "part_NN NS" and total
 *        rt_load count MILLIONS           a fixed amount of work
 *        rt_load allocate MILLIONS        malloc and free of 16 to 1024 bytes
 *        rt_load lock MILLIONS            an uncontended mutex
 *        rt_load call MILLIONS            system calls
 *        rt_load pieces SECONDS           repeats a piece of work: "TIME NS", wall clock and CPU time of each
 *        rt_load start N PROGRAM          runs it N times: "wall_us MIN MEDIAN", "cpu_us MIN MEDIAN"
 *        rt_load threads N                creates and joins N threads: "ns_each NS", "cpu_each NS"
 *        rt_load live N                   allocates N objects, frees none: "rss KIB"
 *        rt_load kill SECONDS             uses CPU time, allocates 64 KiB blocks, prints both, then SIGKILL
 *        rt_load memory THREADS SECONDS   burn in threads that then wait for each other: "rss KIB" of the process
 *        rt_load pure                     "threads N", "fds N", "heap BYTES" of this process
 * CPU times are from CLOCK_THREAD_CPUTIME_ID, in nanoseconds; total is that of the process.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	THREADS_MAX = 64,
	STARTS_MAX = 10000,
	SPIN = 2000,
	PIECE_NS = 1000000,
	BLOCK = 64 << 10,
	PIECE = 40000000,
	OBJECT = 200
};

extern char **environ;

static volatile unsigned long sink;
static double seconds;

static long long now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline __attribute__((always_inline)) long long spin(double s)
{
	long long begin = now_ns(CLOCK_THREAD_CPUTIME_ID), end = begin + (long long)(s * 1e9), now;

	do {
		for (unsigned long i = 0; i < SPIN; i++)
			sink += i;
		now = now_ns(CLOCK_THREAD_CPUTIME_ID);
	} while (now < end);
	return now - begin;
}

/* Define a separate function; the asm prevents merging of identical functions. */
#define WORK(name)                                                                                                     \
	__attribute__((noinline)) static long long name(double s)                                                      \
	{                                                                                                              \
		__asm__ volatile("# " #name);                                                                          \
		return spin(s);                                                                                        \
	}
WORK(work_0)
WORK(work_1)
WORK(work_2)
WORK(work_3)
WORK(work_4)
WORK(work_5)
WORK(work_6)
WORK(work_7)
WORK(part_50)
WORK(part_30)
WORK(part_15)
WORK(part_05)

static long long (*const works[])(double) = { work_0, work_1, work_2, work_3, work_4, work_5, work_6, work_7 };
static long long used[THREADS_MAX];

static void *fair(void *at)
{
	long i = (long)at;

	used[i] = works[i % 8](seconds);
	return NULL;
}

static void *burst(void *at)
{
	const struct timespec pause = { .tv_nsec = PIECE_NS };
	long i = (long)at;

	while (used[i] < (long long)(seconds * 1e9)) {
		used[i] += spin(PIECE_NS / 1e9);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void *nothing(void *arg)
{
	return arg;
}

static void in_threads(void *(*start)(void *), int n)
{
	pthread_t thread[THREADS_MAX];

	for (long i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, start, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static void shares(void)
{
	static long long (*const part[])(double) = { part_50, part_30, part_15, part_05 };
	static const int percent[] = { 50, 30, 15, 5 };
	long long of[4] = { 0 };

	/* Alternate, so that other load affects all parts; uneven lengths, so that none synchronises with a timer. */
	for (int turn = 0; turn < 50; turn++)
		for (int i = 0; i < 4; i++)
			of[i] += part[i](seconds * percent[i] / 100 / 50 * (0.5 + (double)(turn * 19 % 50) / 49));
	for (int i = 0; i < 4; i++)
		printf("part_%02d %lld\n", percent[i], of[i]);
}

__attribute__((noinline)) static void reads(void)
{
	static char buffer[1 << 16];
	int fd = open("/dev/zero", O_RDONLY);
	long long end = now_ns(CLOCK_THREAD_CPUTIME_ID) + (long long)(seconds * 1e9);

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 50; i++)
			sink += (unsigned long)read(fd, buffer, sizeof(buffer));
}

static void create(int n)
{
	long long begin = now_ns(CLOCK_MONOTONIC), used_before = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_t thread;

	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
	printf("ns_each %lld\n", (now_ns(CLOCK_MONOTONIC) - begin) / n);
	printf("cpu_each %lld\n", (now_ns(CLOCK_PROCESS_CPUTIME_ID) - used_before) / n);
}

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double us(struct timeval t)
{
	return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

static int start(int n, char **argv)
{
	static double wall[STARTS_MAX], cpu[STARTS_MAX];

	for (int i = 0; i < n; i++) {
		long long begin = now_ns(CLOCK_MONOTONIC);
		struct rusage use;
		pid_t pid;

		if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 || wait4(pid, NULL, 0, &use) != pid)
			return 2;
		wall[i] = (double)(now_ns(CLOCK_MONOTONIC) - begin) / 1e3;
		cpu[i] = us(use.ru_utime) + us(use.ru_stime);
	}
	qsort(wall, (size_t)n, sizeof(*wall), order);
	qsort(cpu, (size_t)n, sizeof(*cpu), order);
	printf("wall_us %.0f %.0f\ncpu_us %.0f %.0f\n", wall[0], wall[n / 2], cpu[0], cpu[n / 2]);
	return 0;
}

static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = -2;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void pure(void)
{
	size_t heap = mallinfo2().uordblks;

	printf("heap %zu\n", heap);
	printf("threads %d\nfds %d\n", entries("/proc/self/task"), entries("/proc/self/fd") - 1);
}

static pthread_barrier_t all_done, rss_printed;

static void *hold(void *at)
{
	fair(at);
	pthread_barrier_wait(&all_done);
	pthread_barrier_wait(&rss_printed);
	return NULL;
}

static void print_rss(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "VmRSS:", 6) == 0)
			printf("rss %ld\n", atol(line + 6));
	if (f)
		fclose(f);
}

static void memory(int n)
{
	pthread_t thread[THREADS_MAX];

	pthread_barrier_init(&all_done, NULL, (unsigned)n + 1);
	pthread_barrier_init(&rss_printed, NULL, (unsigned)n + 1);
	for (long i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, hold, (void *)i);
	pthread_barrier_wait(&all_done);
	print_rss();
	pthread_barrier_wait(&rss_printed);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static void live(int n)
{
	for (int i = 0; i < n; i++) {
		char *volatile p = malloc(OBJECT);

		if (p)
			*p = 1;
	}
	print_rss();
}

static void allocate(unsigned long n)
{
	static char *kept[1024];

	for (unsigned long i = 0; i < n; i++) {
		char **at = &kept[i * 7919 % 1024];

		free(*at);
		*at = malloc(16 + i * 31 % 1009);
		if (*at)
			**at = 1;
	}
}

static void lock(unsigned long n)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (unsigned long i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		sink++;
		pthread_mutex_unlock(&mutex);
	}
}

static void call(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += (unsigned long)syscall(SYS_getppid);
}

static void pieces(void)
{
	long long end = now_ns(CLOCK_MONOTONIC) + (long long)(seconds * 1e9), begin, now;

	puts("begin");
	fflush(stdout);
	do {
		begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
		for (unsigned long i = 0; i < PIECE; i++)
			sink += i;
		now = now_ns(CLOCK_MONOTONIC);
		printf("%lld %lld\n", now_ns(CLOCK_REALTIME), now_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
	} while (now < end);
}

/* Prints the bytes in use, in addition to the CPU time. */
static void before_kill(void)
{
	long long kept = 0;

	for (int i = 0; i < 100; i++) {
		char *volatile p = malloc(BLOCK);

		if (p)
			*p = 1;
		kept += BLOCK;
		work_0(seconds / 100);
	}
	printf("kept %lld\n", kept);
}

/* Returns false for unknown work. */
static int other_work(const char *what, int n)
{
	if (strcmp(what, "threads") == 0)
		create(n);
	else if (strcmp(what, "memory") == 0)
		memory(n);
	else if (strcmp(what, "live") == 0)
		live(n);
	else if (strcmp(what, "pure") == 0)
		pure();
	else if (strcmp(what, "kill") == 0)
		before_kill();
	else if (strcmp(what, "allocate") == 0)
		allocate((unsigned long)n * 1000000);
	else if (strcmp(what, "lock") == 0)
		lock((unsigned long)n * 1000000);
	else if (strcmp(what, "call") == 0)
		call((unsigned long)n * 1000000);
	else if (strcmp(what, "pieces") == 0)
		pieces();
	else if (strcmp(what, "count") == 0)
		for (unsigned long i = 0; i < (unsigned long)n * 1000000; i++)
			sink += i;
	else
		return 0;
	return 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	seconds = atof(argv[argc - 1]);
	if (strcmp(what, "start") == 0)
		return argc > 3 && n > 0 && n <= STARTS_MAX ? start(n, argv + 3) : 2;
	if (n > THREADS_MAX && (strcmp(what, "burn") == 0 || strcmp(what, "fair") == 0 || strcmp(what, "burst") == 0 ||
				strcmp(what, "memory") == 0))
		return 2;
	if (strcmp(what, "burn") == 0 || strcmp(what, "fair") == 0)
		in_threads(fair, n);
	else if (strcmp(what, "burst") == 0)
		in_threads(burst, n);
	else if (strcmp(what, "read") == 0)
		reads();
	else if (strcmp(what, "shares") == 0)
		shares();
	else if (!other_work(what, n))
		return 2;
	for (int i = 0; strcmp(what, "fair") == 0 && i < n && i < 8; i++)
		printf("work_%d %lld\n", i, used[i]);
	printf("total %lld\n", now_ns(CLOCK_PROCESS_CPUTIME_ID));
	fflush(stdout);
	if (strcmp(what, "kill") == 0)
		raise(SIGKILL);
	return 0;
}
