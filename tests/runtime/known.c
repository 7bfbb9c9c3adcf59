/*
 * known.c - a program with known profiles: reads a command per line, prints an answer per line
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * It has a custom profile, my.custom, with three values. Its functions are named known_...
 */
#define _GNU_SOURCE
#include <cpa/pprof.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

enum { KEPT_MAX = 100000, BURNERS_MAX = 16 };

static void *kept[KEPT_MAX];
static size_t n_kept;
static pthread_t burner[BURNERS_MAX];
static int n_burners;
static atomic_bool burns;
static atomic_ullong burnt_ns;
static atomic_int waiter_tid; /* tid of the thread that is about to wait for the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static volatile unsigned long sum;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* global, so that all symbol tables contain their names */
void known_keep(size_t size);
void known_spin(void);
void known_hold(useconds_t us);
void known_wait(void);

KEEP void known_keep(size_t size)
{
	if (n_kept < KEPT_MAX)
		kept[n_kept++] = malloc(size);
	sum++;
}

KEEP void known_spin(void)
{
	for (unsigned i = 0; i < 20000; i++)
		sum += i;
}

KEEP static void *known_burner(void *arg)
{
	char who[20];
	const char *label[] = { "who", who };

	snprintf(who, sizeof(who), "burner%d", (int)(intptr_t)arg);
	cpa_labels_set(cpa_labels_make(0, label, 1));
	while (atomic_load(&burns))
		known_spin();
	atomic_fetch_add(&burnt_ns, now(CLOCK_THREAD_CPUTIME_ID));
	return NULL;
}

/* Is the thread asleep? */
static bool sleeps(pid_t tid)
{
	char path[64], text[200] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	f = fopen(path, "re");
	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	return strstr(text, ") S ") != NULL;
}

KEEP void known_hold(useconds_t us)
{
	pthread_mutex_lock(&lock);
	atomic_store(&waiter_tid, 0);
	pthread_barrier_wait(&both);
	while (!atomic_load(&waiter_tid) || !sleeps(atomic_load(&waiter_tid)))
		usleep(100);
	usleep(us);
	pthread_mutex_unlock(&lock);
	sum++;
}

KEEP void known_wait(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	sum++;
}

struct waits {
	unsigned n;
	uint64_t ns;
};

static void *waiter(void *arg)
{
	struct waits *w = arg;

	for (unsigned i = 0; i < w->n; i++) {
		uint64_t begin;

		pthread_barrier_wait(&both);
		begin = now(CLOCK_MONOTONIC);
		/* from here on the thread sleeps only while it waits for the lock */
		atomic_store(&waiter_tid, gettid());
		known_wait();
		w->ns += now(CLOCK_MONOTONIC) - begin;
		pthread_barrier_wait(&both);
	}
	return NULL;
}

KEEP static void known_add(cpa_profile *p, intptr_t value)
{
	cpa_profile_add(p, (void *)value, 0);
	sum++;
}

/* N SIZE: allocate N blocks. Prints "ADDRESS" of the allocating function. */
static void do_keep(unsigned n, unsigned size)
{
	for (unsigned i = 0; i < n; i++)
		known_keep(size);
	printf("%#lx\n", (unsigned long)(uintptr_t)known_keep);
}

/* N: free the last N blocks. */
static void do_drop(unsigned n, unsigned unused)
{
	(void)unused;
	for (; n && n_kept; n--)
		free(kept[--n_kept]);
	puts("dropped");
}

/* N US: a thread waits N times for a lock that is held for US. Prints the ns it waited, by its own clock. */
static void do_wait(unsigned n, unsigned us)
{
	struct waits w = { .n = n };
	pthread_t t;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t, NULL, waiter, &w);
	for (unsigned i = 0; i < n; i++) {
		known_hold(us);
		pthread_barrier_wait(&both);
	}
	pthread_join(t, NULL);
	pthread_barrier_destroy(&both);
	printf("%llu\n", (unsigned long long)w.ns);
}

/* N: start N threads with labels who=burner0, ... that use CPU time. */
static void do_burn(unsigned n, unsigned unused)
{
	(void)unused;
	atomic_store(&burns, true);
	for (n_burners = 0; n_burners < (int)n && n_burners < BURNERS_MAX; n_burners++)
		pthread_create(&burner[n_burners], NULL, known_burner, (void *)(intptr_t)n_burners);
	puts("burning");
}

/* End these threads. Prints the ns of CPU time they used. */
static void do_rest(unsigned unused, unsigned unused2)
{
	(void)unused;
	(void)unused2;
	atomic_store(&burns, false);
	while (n_burners)
		pthread_join(burner[--n_burners], NULL);
	printf("%llu\n", (unsigned long long)atomic_load(&burnt_ns));
}

/* Prints the ns of CPU time of the process. */
static void do_used(unsigned unused, unsigned unused2)
{
	(void)unused;
	(void)unused2;
	printf("%llu\n", (unsigned long long)now(CLOCK_PROCESS_CPUTIME_ID));
}

static const struct {
	const char *name;
	void (*fn)(unsigned a, unsigned b);
} commands[] = {
	{ "keep", do_keep }, { "drop", do_drop }, { "wait", do_wait },
	{ "burn", do_burn }, { "rest", do_rest }, { "used", do_used },
};

int main(void)
{
	cpa_profile *p = cpa_profile_new("my.custom");
	char line[100], name[100];

	/* not part of the known heap */
	setvbuf(stdout, malloc(4096), _IOLBF, 4096);
	for (intptr_t i = 1; p && i <= 3; i++)
		known_add(p, i);
	printf("ready %d\n", (int)getpid());
	while (fgets(line, sizeof(line), stdin)) {
		unsigned a = 0, b = 0;

		if (sscanf(line, "%99s %u %u", name, &a, &b) < 1)
			continue;
		for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
			if (strcmp(name, commands[i].name) == 0)
				commands[i].fn(a, b);
	}
	return 0;
}
