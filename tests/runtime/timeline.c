/*
 * timeline.c - threads with known run and wait times, for the tests of timelines
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: timeline SECONDS [IDLE]     IDLE: number of extra threads that wait all the time
 *
 * Threads: sleeper, first, second, spinner, idler, waker. At the end prints each wait of the first three, in ns of
 * CLOCK_MONOTONIC, and the CPU time of all:
 *
 *	sleeper waited BEGIN END
 *	spinner used NS
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline)) static
#define MS 1000000L

enum { WAITS_MAX = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;
static volatile unsigned long sink;

struct role {
	const char *name;
	void (*step)(struct role *r);
	uint64_t begin[WAITS_MAX], end[WAITS_MAX], used_ns;
	int n;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

KEEP void nap(long ms)
{
	const struct timespec t = { .tv_nsec = ms * MS };

	nanosleep(&t, NULL);
	sink++;
}

KEEP void inner_loop(void)
{
	for (int i = 0; i < 20000; i++)
		sink += (unsigned long)i;
}

KEEP void spin_for(long ms)
{
	uint64_t end = now_ns(CLOCK_MONOTONIC) + (uint64_t)(ms * MS);

	while (now_ns(CLOCK_MONOTONIC) < end && !over)
		inner_loop();
}

static void begin_wait(struct role *r)
{
	r->begin[r->n] = now_ns(CLOCK_MONOTONIC);
}

static void end_wait(struct role *r)
{
	r->end[r->n] = now_ns(CLOCK_MONOTONIC);
	if (r->n + 1 < WAITS_MAX)
		r->n++;
}

KEEP void sleep_and_work(struct role *r)
{
	begin_wait(r);
	nap(200);
	end_wait(r);
	spin_for(100);
}

KEEP void take_turns(struct role *r)
{
	begin_wait(r);
	pthread_mutex_lock(&lock);
	end_wait(r);
	nap(80);
	pthread_mutex_unlock(&lock);
	nap(5);
}

KEEP void only_spin(struct role *r)
{
	(void)r;
	spin_for(50);
}

KEEP void wait_for_events(struct role *r)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	(void)r;
	while (!over)
		epoll_wait(fd, &event, 1, 500);
	close(fd);
}

KEEP void wake_often(struct role *r)
{
	(void)r;
	poll(NULL, 0, 2);
	sink++;
}

static void *begin(void *arg)
{
	struct role *r = arg;

	pthread_setname_np(pthread_self(), r->name);
	while (!over)
		r->step(r);
	r->used_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct role roles[] = { { .name = "sleeper", .step = sleep_and_work },
				       { .name = "first", .step = take_turns },
				       { .name = "second", .step = take_turns },
				       { .name = "spinner", .step = only_spin },
				       { .name = "id\"le\\r\xff", .step = wait_for_events },
				       { .name = "waker", .step = wake_often } };
	enum { N_ROLES = sizeof(roles) / sizeof(*roles) };
	static struct role idle = { .name = "idle", .step = wait_for_events };
	int seconds = argc > 1 ? atoi(argv[1]) : 1, n_idle = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t thread[N_ROLES], extra;

	for (int i = 0; i < n_idle; i++)
		pthread_create(&extra, NULL, begin, &idle);
	for (int i = 0; i < N_ROLES; i++)
		pthread_create(&thread[i], NULL, begin, &roles[i]);
	sleep((unsigned)seconds);
	over = 1;
	for (int i = 0; i < N_ROLES; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < N_ROLES; i++) {
		for (int k = 0; k < roles[i].n; k++)
			printf("%s waited %llu %llu\n", roles[i].name, (unsigned long long)roles[i].begin[k],
			       (unsigned long long)roles[i].end[k]);
		printf("%s used %llu\n", roles[i].name, (unsigned long long)roles[i].used_ns);
	}
	return 0;
}
