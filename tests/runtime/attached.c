/*
 * attached.c - a program to sample while it runs: known shares of CPU time, new threads, waits
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * attached shares            heavy() and light() use CPU time 3 to 1, until killed
 * attached threads           each new thread calls in_new_thread() for 20 ms of CPU time, until killed
 * attached waits             one thread waits in wait_here(), the main thread in wait_there(), until killed
 * attached count N           print N numbers, of about 20 ms of CPU time each
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

enum { UNIT = 100000, NS_PER_S = 1000000000 };
static volatile unsigned long sum;

/* global, so that all symbol tables contain their names */
void heavy(void);
void light(void);
void in_new_thread(void);
void wait_here(void);
void wait_there(void);

static inline void spin(int n)
{
	for (int i = 0; i < n; i++)
		sum = sum * 31 + (unsigned long)i;
}

KEEP void heavy(void)
{
	spin(3 * UNIT);
}

KEEP void light(void)
{
	spin(UNIT);
}

KEEP void in_new_thread(void)
{
	struct timespec t;

	do {
		spin(UNIT);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec == 0 && t.tv_nsec < NS_PER_S / 50);
}

KEEP void wait_here(void)
{
	pause();
	sum++;
}

KEEP void wait_there(void)
{
	pause();
	sum++;
}

static void *new_thread(void *arg)
{
	in_new_thread();
	return arg;
}

static void *waiting_thread(void *arg)
{
	wait_here();
	return arg;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;

	if (strcmp(what, "count") == 0) {
		for (int i = 0; i < atoi(argv[2]); i++) {
			heavy();
			printf("%d %lx\n", i, sum);
			fflush(stdout);
			spin(50 * UNIT);
		}
		return 7;
	}
	puts("ready");
	fflush(stdout);
	if (strcmp(what, "waits") == 0) {
		pthread_create(&thread, NULL, waiting_thread, NULL);
		wait_there();
	}
	while (strcmp(what, "threads") == 0) {
		pthread_create(&thread, NULL, new_thread, NULL);
		pthread_join(thread, NULL);
	}
	for (;;) {
		heavy();
		light();
	}
}
