/*
 * short.c - uses CPU time in ways that samples miss: for less than a period, or with the signal of the timers blocked
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * short forked N MS      N children of fork, one after the other, use MS ms each and end by _exit
 * short killed N MS      the same, but the children end by SIGKILL
 * short threads N MS     N threads, one after the other
 * short self MS          the process itself
 * short jump SIZE MS     leave a handler on an alternate stack of SIZE bytes by longjmp, then use MS ms in after()
 * short wait SIZE MS     the same, then end by SIGKILL
 * short chain N          execute itself N times, each time after prctl(PR_SET_NO_NEW_PRIVS) if N is odd
 * short kernel MS        MS ms in user(), and as many in system calls of kernel(), in turns
 *
 * Prints the CPU time of the process and of its children, in nanoseconds.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static jmp_buf back;

static double used(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void spin(double ms)
{
	double end = used(CLOCK_THREAD_CPUTIME_ID) + ms;

	while (used(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long)i;
}

static void *thread(void *ms)
{
	spin(*(double *)ms);
	return NULL;
}

/* Called without the dynamic linker, which would need more room for the registers than a small stack has. */
static void (*volatile jump_back)(struct __jmp_buf_tag *, int) = longjmp;

static void leave(int sig)
{
	(void)sig;
	jump_back(back, 1);
}

__attribute__((noinline)) static void after(double ms)
{
	spin(ms);
	__asm__ volatile("");
}

static void jump(size_t size, double ms)
{
	struct sigaction act = { .sa_handler = leave, .sa_flags = SA_NODEFER | SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(size), .ss_size = size };

	sigaction(SIGSEGV, &act, NULL);
	sigaltstack(&stack, NULL);
	spin(100);
	if (!setjmp(back))
		raise(SIGSEGV);
	after(ms);
}

__attribute__((noinline)) static void user(void)
{
	spin(1);
	__asm__ volatile("");
}

__attribute__((noinline)) static void kernel(int fd)
{
	static char data[65536];
	double end = used(CLOCK_THREAD_CPUTIME_ID) + 1;

	while (used(CLOCK_THREAD_CPUTIME_ID) < end)
		if (read(fd, data, sizeof(data)) < 0)
			abort();
}

static void children(int n, double ms, int is_killed)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			spin(ms);
			if (is_killed)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void chain(char *self, int n)
{
	char number[16];
	char *argv[] = { self, "chain", number, NULL };

	snprintf(number, sizeof(number), "%d", n - 1);
	spin(1);
	if (n % 2)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (n > 0)
		execv(self, argv);
}

static unsigned long long time_of(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (unsigned long long)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	       (unsigned long long)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	double n = argc > 2 ? atof(argv[2]) : 0, ms = argc > 3 ? atof(argv[3]) : 0;

	if (strcmp(mode, "forked") == 0 || strcmp(mode, "killed") == 0)
		children((int)n, ms, *mode == 'k');
	for (int i = 0; strcmp(mode, "threads") == 0 && i < (int)n; i++) {
		pthread_t t;

		pthread_create(&t, NULL, thread, &ms);
		pthread_join(t, NULL);
	}
	if (strcmp(mode, "self") == 0)
		spin(n);
	if (strcmp(mode, "jump") == 0 || strcmp(mode, "wait") == 0)
		jump((size_t)n, ms);
	if (strcmp(mode, "chain") == 0)
		chain(argv[0], (int)n);
	if (strcmp(mode, "kernel") == 0)
		for (int i = 0, fd = open("/dev/zero", O_RDONLY); i < (int)n; i++) {
			user();
			kernel(fd);
		}
	printf("%llu %llu\n", time_of(RUSAGE_SELF), time_of(RUSAGE_CHILDREN));
	fflush(stdout);
	if (strcmp(mode, "wait") == 0)
		kill(getpid(), SIGKILL);
	return 0;
}
