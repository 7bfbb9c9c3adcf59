/*
 * paced.c - threads that work a part of the time, and count interruptions of their sleep
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * paced THREADS WORK_US EVERY_US   each thread works for WORK_US in every EVERY_US; if equal, all the time
 * paced churn                      threads start and end, with 5 ms of work each
 * paced fork                       children start and end, with 20 ms of work each, by fork and exec of this program
 * paced work MS                    work for MS
 *
 * Prints "ready" and, at SIGTERM, how often a sleep and an epoll_wait were interrupted, and the pending signals.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_uint interrupted, started, over;
static long work_ns, every_ns;
static volatile unsigned long sink;

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static void spin(long ns)
{
	long long end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 500; i++)
			sink += (unsigned long)i;
}

static void *pace(void *arg)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct timespec rest = { .tv_sec = (every_ns - work_ns) / 1000000000,
				 .tv_nsec = (every_ns - work_ns) % 1000000000 };
	struct epoll_event event;

	for (int i = (int)(long)arg; !atomic_load(&over); i++) {
		if (work_ns)
			spin(work_ns);
		atomic_fetch_add(&started, i == (int)(long)arg);
		if (!rest.tv_sec && !rest.tv_nsec)
			continue;
		if (i % 2 ? nanosleep(&rest, NULL) : epoll_wait(epoll, &event, 1, (int)(every_ns / 1000000)) < 0)
			atomic_fetch_add(&interrupted, errno == EINTR);
	}
	return NULL;
}

static void *work(void *arg)
{
	spin((long)arg);
	return NULL;
}

static void churn(void)
{
	pthread_t thread;

	while (!atomic_load(&over)) {
		pthread_create(&thread, NULL, work, (void *)5000000L);
		pthread_join(thread, NULL);
	}
}

static void forks(char *self)
{
	char *const again[] = { self, "work", "20", NULL };

	for (int i = 0; !atomic_load(&over); i++) {
		pid_t pid = fork();

		if (pid == 0 && i % 2)
			execv("/proc/self/exe", again);
		if (pid == 0) {
			spin(20000000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void end(int sig)
{
	(void)sig;
	atomic_store(&over, 1);
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = end, .sa_flags = SA_RESTART };
	pthread_t thread;
	sigset_t term;
	int n;

	if (argc == 3 && strcmp(argv[1], "work") == 0) {
		spin(atol(argv[2]) * 1000000);
		return 0;
	}
	sigaction(SIGTERM, &act, NULL);
	if (argc == 2) {
		puts("ready");
		fflush(stdout);
		if (strcmp(argv[1], "churn") == 0)
			churn();
		else
			forks(argv[0]);
		return 0;
	}
	if (argc != 4)
		return 2;
	n = atoi(argv[1]);
	work_ns = atol(argv[2]) * 1000;
	every_ns = atol(argv[3]) * 1000;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	for (long i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, pace, (void *)i) != 0)
			return 3;
	while (atomic_load(&started) < (unsigned)n)
		usleep(1000);
	puts("ready");
	fflush(stdout);
	sigwait(&term, &n);
	atomic_store(&over, 1);
	printf("interrupted %u\n", atomic_load(&interrupted));
	fflush(stdout);
	_exit(0);
}
