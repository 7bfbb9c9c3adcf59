/*
 * taken.c - programs that use SIGPROF without the C library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * taken ignore|handle SECONDS   set the action by system call; then two threads use CPU time
 * taken caught SECONDS          use CPU time; print whether the kernel has a handler of SIGPROF
 * taken wait|file SECONDS       the main thread blocks all signals and reads them while another thread uses CPU time
 * taken own SECONDS             the same for SIGPROF only, which the other thread sends
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void spin(double seconds)
{
	for (double end = cpu() + seconds; cpu() < end;)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned long)i;
}

static void *work(void *seconds)
{
	spin(atof(seconds));
	return NULL;
}

static void mine(int sig)
{
	(void)sig;
	sink++;
}

/* Set another signal by the C library, then copy its kernel action, including the restorer. */
static void take(bool handle)
{
	uint64_t act[4] = { 0 };

	signal(SIGUSR2, mine);
	syscall(SYS_rt_sigaction, SIGUSR2, NULL, act, 8);
	if (!handle)
		act[0] = (uint64_t)(uintptr_t)SIG_IGN;
	syscall(SYS_rt_sigaction, SIGPROF, act, NULL, 8);
}

static void caught(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "SigCgt:", 7) == 0)
			puts(strtoull(line + 7, NULL, 16) >> (SIGPROF - 1) & 1 ? "caught" : "left alone");
	if (f)
		fclose(f);
}

static int last = SIGTERM;
static pthread_t first;

static void *burn_and_print(void *seconds)
{
	spin(atof(seconds));
	pthread_kill(first, last);
	return NULL;
}

/* Read and print signals until the last one. */
static void wait_for_all(bool by_file, char *seconds)
{
	struct signalfd_siginfo got;
	int sig = 0, fd = -1;
	pthread_t t;
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (by_file)
		fd = signalfd(-1, &set, SFD_CLOEXEC);
	first = pthread_self();
	pthread_create(&t, NULL, burn_and_print, seconds);
	do {
		if (!by_file)
			sigwait(&set, &sig);
		else if (read(fd, &got, sizeof(got)) == sizeof(got))
			sig = (int)got.ssi_signo;
		printf("%d ", sig);
	} while (sig != last);
	pthread_join(t, NULL);
	puts("done");
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	if (argc < 3)
		return 1;
	if (strcmp(argv[1], "own") == 0)
		last = SIGPROF;
	if (strcmp(argv[1], "wait") == 0 || strcmp(argv[1], "file") == 0 || strcmp(argv[1], "own") == 0) {
		wait_for_all(strcmp(argv[1], "file") == 0, argv[2]);
		return 0;
	}
	spin(0.3);
	if (strcmp(argv[1], "caught") == 0) {
		spin(atof(argv[2]));
		caught();
		return 0;
	}
	take(strcmp(argv[1], "handle") == 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, argv[2]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
