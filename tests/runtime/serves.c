/*
 * serves.c - a program with data for all kinds of profiles of /debug/pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: serves SECONDS [BURNERS [CHILDREN]]
 *
 * BURNERS threads (default 1) use CPU time in burner, one keeps 64 MiB allocated by keeper, two contend for a lock in
 * locker, one waits in idler. CHILDREN forked processes use CPU time in child_burner. Prints "ready PID" and the pids
 * of the children. Exits with status 7 after SECONDS or on SIGUSR1.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline)) static

enum { BLOCKS = 1024, BLOCK = 65536, CHILDREN_MAX = 16 };

static volatile unsigned long sink;
static void *volatile kept[BLOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t child[CHILDREN_MAX];

KEEP void *burner(void *arg)
{
	for (;;)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned long)i;
	return arg;
}

KEEP void keeper(void)
{
	for (int i = 0; i < BLOCKS; i++)
		kept[i] = malloc(BLOCK);
}

/* The collector knows a child as soon as it has any sample. */
KEEP void child_burner(void)
{
	keeper();
	burner(NULL);
	sink++;
}

KEEP void *locker(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		usleep(2000);
		pthread_mutex_unlock(&lock);
		usleep(100);
	}
	return arg;
}

KEEP void *idler(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void start(void *(*fn)(void *arg))
{
	pthread_t t;

	if (pthread_create(&t, NULL, fn, NULL) != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 1, burners = argc > 2 ? atoi(argv[2]) : 1;
	int children = argc > 3 ? atoi(argv[3]) : 0;
	sigset_t end;

	sigemptyset(&end);
	sigaddset(&end, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &end, NULL);
	for (int i = 0; i < children && i < CHILDREN_MAX; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL); /* end with the parent, which tests kill */
			child_burner();
			_exit(0);
		}
	}
	keeper();
	for (int i = 0; i < burners; i++)
		start(burner);
	start(locker);
	start(locker);
	start(idler);
	printf("ready %d", (int)getpid());
	for (int i = 0; i < children; i++)
		printf(" %d", (int)child[i]);
	printf("\n");
	fflush(stdout);
	while (sigtimedwait(&end, NULL, &(struct timespec){ .tv_sec = seconds }) < 0 && errno == EINTR)
		;
	for (int i = 0; i < children; i++) {
		kill(child[i], 9);
		waitpid(child[i], NULL, 0);
	}
	return 7;
}
