/*
 * sample_bench.c - the cost of one sample, including its signal, at three stack depths
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: sample_bench [-e] [TIMES]     -e: without a profiler, with an empty handler
 *
 * A signal of the profiler is intercepted once and then resent many times: the handler cannot distinguish it from a
 * timer signal, and takes a sample each time. Between batches the profiler has time to drain its buffers. Prints
 * "depth_N NS" of CPU time for each depth, the minimum of all batches, and "samples N", the number of signals. Exits
 * with 3 if no signal arrives because there is no profiler.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WARM = 8, BATCH = 40, MASK_SIZE = 8, WAIT_S = 5, PAUSE_NS = 130000000 };

static siginfo_t caught;
static volatile unsigned long sink;
static double least;

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void nothing(int sig)
{
	(void)sig;
}

static void send_again(int n)
{
	long pid = getpid(), tid = syscall(SYS_gettid);

	for (int i = 0; i < n; i++)
		syscall(SYS_rt_tgsigqueueinfo, pid, tid, SIGPROF, &caught);
}

/* By system call: the profiler wraps the function of the C library, and keeps its signal unblocked. */
static int catch_one(void)
{
	uint64_t bit = 1ULL << (SIGPROF - 1);
	double end = cpu_ns() + WAIT_S * 1e9;
	struct timespec none = { 0 };
	long got = -1;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &bit, NULL, MASK_SIZE);
	while (got != SIGPROF && cpu_ns() < end) {
		for (int i = 0; i < 100000; i++)
			sink += (unsigned long)i;
		got = syscall(SYS_rt_sigtimedwait, &bit, &caught, &none, MASK_SIZE);
	}
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, MASK_SIZE);
	if (caught.si_code == SI_TIMER)
		caught.si_overrun = 0; /* one period, without overruns */
	return got == SIGPROF ? 0 : -1;
}

static __attribute__((noinline)) void at_depth(int depth)
{
	if (depth > 1) {
		at_depth(depth - 1);
		__asm__ volatile("" : : : "memory"); /* prevents a tail call */
		return;
	}
	send_again(WARM);
	double start = cpu_ns();

	send_again(BATCH);
	double ns = (cpu_ns() - start) / BATCH;

	if (ns < least)
		least = ns;
}

int main(int argc, char **argv)
{
	static const int depths[] = { 8, 30, 60 };
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	const struct itimerval tick = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } };
	int empty = argc > 1 && strcmp(argv[1], "-e") == 0, times = argc > 1 + empty ? atoi(argv[1 + empty]) : 5;

	if (empty) {
		signal(SIGPROF, nothing);
		setitimer(ITIMER_PROF, &tick, NULL);
	}
	if (catch_one() != 0)
		return 3;
	if (empty)
		setitimer(ITIMER_PROF, &never, NULL);
	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		least = 1e12;
		for (int k = 0; k < times; k++) {
			nanosleep(&pause, NULL);
			at_depth(depths[i] - 2); /* without main and the sending function */
		}
		printf("depth_%d %.0f\n", depths[i], least);
	}
	printf("samples %d\n", times * (WARM + BATCH) * 3);
	return 0;
}
