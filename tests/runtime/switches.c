/*
 * switches.c - threads whose context switches are known, for the tests of timelines
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: switches START
 *
 * After START seconds starts the threads napper, short, reader, locker, and hog0 and hog1, which share one CPU. Prints the
 * waits of the first four in ns of CLOCK_MONOTONIC, and how often the kernel says that each thread left its CPU:
 *
 *	napper waited BEGIN END
 *	napper TID left VOLUNTARILY INVOLUNTARILY
 *	hog0 runs on CPU
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NAPS = 10, WAITS = 20, HOG_MS = 1200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static atomic_int n_hogs;
static volatile unsigned long sink;

struct role {
	const char *name;
	void (*work)(struct role *r);
	uint64_t begin[WAITS], end[WAITS];
	int n, cpu;
	char left[64];
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void nap(long us)
{
	const struct timespec t = { .tv_nsec = us * 1000 };

	nanosleep(&t, NULL);
}

static void begin(struct role *r)
{
	r->begin[r->n] = now_ns();
}

static void end(struct role *r)
{
	r->end[r->n++] = now_ns();
}

static void sleep_long(struct role *r)
{
	for (int i = 0; i < NAPS; i++) {
		begin(r);
		nap(30000);
		end(r);
	}
}

static void sleep_short(struct role *r)
{
	for (int i = 0; i < WAITS; i++) {
		begin(r);
		nap(1000);
		end(r);
	}
}

static void read_pipe(struct role *r)
{
	char byte;

	for (int i = 0; i < NAPS; i++) {
		begin(r);
		sink += read(ends[0], &byte, 1) == 1;
		end(r);
	}
}

/* The main thread holds the mutex until all bytes are written. */
static void take_lock(struct role *r)
{
	begin(r);
	pthread_mutex_lock(&lock);
	end(r);
	pthread_mutex_unlock(&lock);
}

static void spin(struct role *r)
{
	cpu_set_t one;
	uint64_t stop;

	CPU_ZERO(&one);
	CPU_SET((size_t)r->cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (atomic_fetch_add(&n_hogs, 1); n_hogs < 2;)
		sched_yield();
	for (stop = now_ns() + HOG_MS * 1000000ULL; now_ns() < stop;)
		sink++;
}

/* The two lines at the end of the status file. */
static void read_left(struct role *r)
{
	unsigned long voluntary = 0, involuntary = 0;
	char line[256], name[64];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/self/task/%d/status", (int)syscall(SYS_gettid));
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "voluntary_ctxt_switches: %lu", &voluntary);
		sscanf(line, "nonvoluntary_ctxt_switches: %lu", &involuntary);
	}
	if (f)
		fclose(f);
	snprintf(r->left, sizeof(r->left), "%d left %lu %lu", (int)syscall(SYS_gettid), voluntary, involuntary);
}

static void *run(void *arg)
{
	struct role *r = arg;

	pthread_setname_np(pthread_self(), r->name);
	r->work(r);
	read_left(r);
	return NULL;
}

static int first_cpu(void)
{
	cpu_set_t all;
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)cpu, &all))
		cpu++;
	return cpu;
}

int main(int argc, char **argv)
{
	static struct role roles[] = {
		{ .name = "napper", .work = sleep_long }, { .name = "short", .work = sleep_short },
		{ .name = "reader", .work = read_pipe },  { .name = "locker", .work = take_lock },
		{ .name = "hog0", .work = spin },         { .name = "hog1", .work = spin }
	};
	enum { N_ROLES = sizeof(roles) / sizeof(*roles) };
	pthread_t thread[N_ROLES];

	usleep(argc > 1 ? (useconds_t)(atof(argv[1]) * 1e6) : 0);
	if (pipe(ends) != 0)
		return 1;
	pthread_mutex_lock(&lock);
	printf("started %llu\n", (unsigned long long)now_ns());
	for (int i = 0; i < N_ROLES; i++) {
		roles[i].cpu = first_cpu();
		pthread_create(&thread[i], NULL, run, &roles[i]);
	}
	for (int i = 0; i < NAPS; i++) {
		nap(20000);
		sink += write(ends[1], "x", 1) == 1;
	}
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < N_ROLES; i++) {
		pthread_join(thread[i], NULL);
		for (int k = 0; k < roles[i].n; k++)
			printf("%s waited %llu %llu\n", roles[i].name, (unsigned long long)roles[i].begin[k],
			       (unsigned long long)roles[i].end[k]);
		printf("%s %s\n", roles[i].name, roles[i].left);
	}
	printf("hog0 runs on %d\n", roles[N_ROLES - 1].cpu);
	return 0;
}
