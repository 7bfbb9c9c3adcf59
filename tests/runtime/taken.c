/*
 * taken.c - programs that take SIGPROF without asking the C library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * taken ignore|handle SECONDS   by the system call; then two threads burn
 * taken caught SECONDS          burn; prints whether the kernel has a handler of SIGPROF
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The C library's function for another signal leaves what the kernel has of it, restorer and all. */
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

int main(int argc, char **argv)
{
	pthread_t t[2];

	if (argc < 3)
		return 1;
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
