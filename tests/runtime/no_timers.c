/*
 * no_timers.c - a program that cannot have POSIX timers, and executes others or has an interval timer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * no_timers spin               use CPU time
 * no_timers exec PROGRAM ARG   use CPU time, fail to execute a program, use CPU time, execute one without the library
 * no_timers vfork PROGRAM ARG  execute a program in a child of vfork, then use CPU time
 * no_timers own                use CPU time with an interval timer
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t n_ticks;
static char *environment[] = { NULL };

__attribute__((noinline)) static void spin(double seconds)
{
	struct timespec t;
	double end = 0, now;

	do {
		for (volatile int i = 0; i < 10000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
		end = end > 0 ? end : now + seconds;
	} while (now < end);
}

__attribute__((noinline)) static void parent(void)
{
	spin(0.25);
	__asm__ volatile("");
}

static void say(const char *text)
{
	(void)!write(STDOUT_FILENO, text, strlen(text));
}

static void tick(int sig)
{
	(void)sig;
	n_ticks++;
}

static int run_own(void)
{
	const struct itimerval ten_ms = { { 0, 10000 }, { 0, 10000 } };
	struct itimerval now;

	spin(0.05); /* the timer of cpa runs */
	signal(SIGPROF, tick);
	setitimer(ITIMER_PROF, &ten_ms, NULL);
	spin(0.3);
	getitimer(ITIMER_PROF, &now);
	say(n_ticks >= 5 && n_ticks <= 40 ? "ticks, " : "wrong number of ticks, ");
	say(now.it_interval.tv_usec == 10000 ? "own timer kept\n" : "own timer lost\n");
	return 0;
}

static int run_vfork(char **argv)
{
	pid_t pid;

	spin(0.05);
	pid = vfork();
	if (pid == 0) {
		execve(argv[0], argv, environment);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	parent();
	say("parent\n");
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "own") == 0)
		return run_own();
	if (strcmp(mode, "spin") == 0) {
		spin(0.2);
		say("spun\n");
		return 0;
	}
	if (argc < 4)
		return 2;
	if (strcmp(mode, "vfork") == 0)
		return run_vfork(argv + 2);
	spin(0.1);
	if (execve("/no/such/program", argv, environment) != 0)
		say("failed exec, ");
	spin(0.1);
	say("then spun\n");
	execve(argv[2], argv + 2, environment);
	return 1;
}
