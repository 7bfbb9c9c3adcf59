/*
 * odd.c - behaviour of programs that profilers can break; prints what the program observes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static volatile sig_atomic_t n_ticks;

__attribute__((noinline)) static void spin(double seconds)
{
	struct timespec t;
	double end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	end = (double)t.tv_sec + (double)t.tv_nsec / 1e9 + seconds;
	do {
		for (int i = 0; i < 2000; i++)
			sink += (unsigned long)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < end);
}

static void tick(int sig)
{
	(void)sig;
	n_ticks++;
}

static void *count_twice(void *arg)
{
	spin(1.0);
	return arg;
}

/* A program with a profiler of its own: it has a handler and a timer, and gets SIGPROF from others. */
static void own_handler(void)
{
	struct sigaction act = { .sa_handler = tick }, old;
	struct itimerval ten_ms = { { 0, 10000 }, { 0, 10000 } }, none = { { 0, 0 }, { 0, 0 } };

	sigaction(SIGPROF, NULL, &old);
	printf("before: %s\n", old.sa_handler == SIG_DFL ? "default" : "other");
	sigaction(SIGPROF, &act, &old);
	sigaction(SIGPROF, NULL, &old);
	printf("reads back: %s\n", old.sa_handler == tick ? "its own" : "other");
	kill(getpid(), SIGPROF);
	raise(SIGPROF);
	printf("sent: %d\n", (int)n_ticks);
	n_ticks = 0;
	setitimer(ITIMER_PROF, &ten_ms, NULL);
	spin(0.5);
	for (int i = 0; i < 50 && n_ticks == 0; i++) /* timers of a suspended machine are late */
		spin(0.1);
	setitimer(ITIMER_PROF, &none, NULL);
	printf("timer: %s\n", n_ticks > 0 ? "ticks" : "none");
	printf("signal: %s\n", signal(SIGPROF, SIG_IGN) == tick ? "its own" : "other");
	kill(getpid(), SIGPROF);
	printf("ignored: %s\n", signal(SIGPROF, SIG_DFL) == SIG_IGN ? "yes" : "no");
	fflush(stdout);
	spin(0.3);
	kill(getpid(), SIGPROF);
	puts("still here");
}

static void masks(void)
{
	sigset_t set, old;

	signal(SIGPROF, tick);
	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	sigprocmask(SIG_BLOCK, &set, &old);
	printf("blocked before: %d\n", sigismember(&old, SIGPROF));
	raise(SIGPROF);
	printf("while blocked: %d\n", (int)n_ticks);
	sigpending(&old);
	printf("pending: %d\n", sigismember(&old, SIGPROF));
	spin(0.3);
	pthread_sigmask(SIG_SETMASK, NULL, &old);
	printf("reads back: %d\n", sigismember(&old, SIGPROF));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("after: %d\n", (int)n_ticks);
}

/* Close all descriptors. The next file gets the lowest number. */
static void close_all(const char *path)
{
	int fd;

	spin(0.2);
	closefrom(3);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	printf("fd %d\n", fd);
	if (write(fd, "mine\n", 5) != 5)
		perror(path);
	spin(0.5);
	close(fd);
}

static void fork_and_burn(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		spin(1.0);
		_exit(7);
	}
	spin(0.4);
	waitpid(pid, &status, 0);
	printf("%d %d\n", (int)pid, WEXITSTATUS(status));
}

static void fork_storm(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	puts("done");
}

/* Block the signal by system calls, which our wrappers of the C library do not see. */
static void raw_block(void)
{
	uint64_t bit = 1ULL << (SIGPROF - 1);

	spin(0.2);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &bit, NULL, 8);
	spin(1.0);
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, 8);
	spin(0.2);
}

/* Create a thread without our wrapper. */
static void raw_thread(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	pthread_t t;

	*(void **)&create = dlsym(libc, "pthread_create");
	create(&t, NULL, count_twice, NULL);
	pthread_join(t, NULL);
}

static void end(const char *way)
{
	spin(0.6);
	if (strcmp(way, "_exit") == 0)
		_exit(5);
	if (strcmp(way, "abort") == 0)
		abort();
	if (strcmp(way, "segv") == 0)
		*(volatile int *)8 = 1;
	if (strcmp(way, "term") == 0)
		kill(getpid(), SIGTERM);
	if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGKILL);
}

__attribute__((noinline)) static int deep(int n)
{
	if (n == 0) {
		spin(0.5);
		return 1;
	}
	return deep(n - 1) + (int)(sink & 1);
}

/* Run a handler on a small alternate stack. */
static void small_stack(void)
{
	static char memory[8192];
	stack_t stack = { .ss_sp = memory, .ss_size = 4096 }, old;
	struct sigaction act = { .sa_handler = tick, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaltstack(NULL, &old);
	printf("%zu\n", old.ss_size);
	sigaction(SIGUSR1, &act, NULL);
	for (int i = 0; i < 100; i++) {
		raise(SIGUSR1);
		spin(0.005);
	}
	printf("%d\n", (int)n_ticks);
}

/* A timer of the program advances together with ours: both send their signals at the same ticks. */
static void same_ticks(void)
{
	const struct itimerspec ms = { { 0, 1000000 }, { 0, 1000000 } };
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	timer_t timer;

	e._sigev_un._tid = getpid();
	signal(SIGUSR1, tick);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &e, &timer) == 0)
		timer_settime(timer, 0, &ms, NULL);
	spin(0.5);
}

/* Print heap memory, threads and open files of the program. */
static void fds(void)
{
	char line[256];
	FILE *f;
	int n = 0;

	printf("%zu bytes of heap\n", mallinfo2().uordblks);
	f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "Threads:", 8) == 0)
			fputs(line, stdout);
	if (f)
		fclose(f);
	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	spin(0.1);
	printf("%d files\n", n);
}

static void *burn_a_little(void *arg)
{
	spin(0.002);
	return arg;
}

/* Print whether timers remain of threads that have ended. */
static void timers(void)
{
	char line[256];
	FILE *f;
	int n = 0;

	for (int i = 0; i < 500; i++) {
		pthread_t t;

		pthread_create(&t, NULL, burn_a_little, NULL);
		pthread_join(t, NULL);
	}
	f = fopen("/proc/self/timers", "r");
	while (f && fgets(line, sizeof(line), f))
		n += strncmp(line, "ID:", 3) == 0;
	printf("%s\n", n <= 2 ? "none" : "some");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *arg = argc > 2 ? argv[2] : "";

	if (strcmp(what, "own-handler") == 0)
		own_handler();
	else if (strcmp(what, "masks") == 0)
		masks();
	else if (strcmp(what, "close-all") == 0)
		close_all(arg);
	else if (strcmp(what, "fork") == 0)
		fork_and_burn();
	else if (strcmp(what, "storm") == 0)
		fork_storm(atoi(arg));
	else if (strcmp(what, "raw-block") == 0)
		raw_block();
	else if (strcmp(what, "raw-thread") == 0)
		raw_thread();
	else if (strcmp(what, "end") == 0)
		end(arg);
	else if (strcmp(what, "deep") == 0)
		deep(1000);
	else if (strcmp(what, "small-stack") == 0)
		small_stack();
	else if (strcmp(what, "same-ticks") == 0)
		same_ticks();
	else if (strcmp(what, "timers") == 0)
		timers();
	else if (strcmp(what, "fds") == 0)
		fds();
	else if (strcmp(what, "exec") == 0) {
		spin(0.3);
		execvp(argv[2], argv + 2);
		return 1;
	} else
		return 1;
	fflush(stdout);
	return 0;
}
