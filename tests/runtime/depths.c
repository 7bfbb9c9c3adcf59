/*
 * depths.c - stacks that are hard to walk, for the tests of thread dumps
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The main thread waits in 100 nested calls with 2 KiB of stack each. Another thread waits in a signal handler on an
 * alternate stack, which interrupted interrupted_work. "ready" is printed when both wait.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not inlined, so that each call has a frame. */
#define KEEP __attribute__((noinline)) static
enum { ALTERNATE = 64 << 10 };

static atomic_bool is_there;
static volatile int sink;
static int ends[2];

KEEP void wait_for_ever(void)
{
	char c;

	while (read(ends[0], &c, 1) != 1)
		sink++;
	sink++;
}

KEEP void handler_wait(int sig)
{
	(void)sig;
	atomic_store(&is_there, true);
	wait_for_ever();
	sink++;
}

KEEP void interrupted_work(void)
{
	raise(SIGUSR1);
	sink++;
}

KEEP void *run(void *arg)
{
	stack_t alternate = { .ss_sp = malloc(ALTERNATE), .ss_size = ALTERNATE };

	sigaltstack(&alternate, NULL);
	interrupted_work();
	return arg;
}

KEEP void deep(int depth)
{
	volatile char room[2048];

	memset((char *)room, depth, sizeof(room));
	if (depth > 1) {
		deep(depth - 1);
	} else {
		puts("ready");
		fflush(stdout);
		wait_for_ever();
	}
	sink += room[depth];
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler_wait, .sa_flags = SA_ONSTACK };
	pthread_t thread;

	if (pipe(ends) != 0 || sigaction(SIGUSR1, &action, NULL) != 0 || pthread_create(&thread, NULL, run, NULL) != 0)
		return 3;
	while (!atomic_load(&is_there))
		usleep(1000);
	deep(100);
	return 0;
}
