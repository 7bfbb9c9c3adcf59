/*
 * prefork.c - a server that forks workers by command
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: prefork PIPE
 *
 * Reads commands from a pipe, and prints a line for each:
 *	fork         a child uses CPU time in worker; prints its pid
 *	deep         the same in a grandchild, whose parent ends
 *	late         the same in a grandchild whose parent is unknown (_Fork) and ends
 *	idle         a child that waits; prints its pid
 *	exec PROGRAM a child that executes PROGRAM at SIGUSR1; prints its pid
 *	short N      N children that end immediately; prints "done" after them
 *	quit         kill all children
 * No child allocates or locks, so only CPU time is recorded in it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN_MAX = 64, LINE = 512, AT_ONCE = 20 };

static volatile unsigned long sink;
static pid_t child[CHILDREN_MAX];
static int n_children;

__attribute__((noinline)) static void worker(void)
{
	for (;;)
		sink++;
}

static void stay(void)
{
	for (;;)
		pause();
}

static pid_t start(void (*work)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* end with the parent, which tests kill */
		work();
	}
	return pid;
}

/* Fork a grandchild. Returns its pid. */
static pid_t start_deep(int late, void (*work)(void))
{
	int ends[2];
	pid_t pid = 0, between;

	if (pipe(ends) != 0)
		return 0;
	between = fork();
	if (between == 0) {
		if (late && _Fork() != 0)
			_exit(0);
		usleep(late ? 500000 : 0);
		pid = fork();
		if (pid == 0) {
			alarm(300);
			work();
		}
		_exit(write(ends[1], &pid, sizeof(pid)) != sizeof(pid));
	}
	waitpid(between, NULL, 0);
	if (read(ends[0], &pid, sizeof(pid)) != sizeof(pid))
		pid = 0;
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static pid_t execute(const char *program)
{
	sigset_t go;
	pid_t pid;
	int sig;

	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigwait(&go, &sig);
		sigprocmask(SIG_UNBLOCK, &go, NULL);
		execl(program, program, "300", "0", "0", (char *)NULL);
		_exit(127);
	}
	sigprocmask(SIG_UNBLOCK, &go, NULL);
	return pid;
}

static void start_short(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (i % AT_ONCE == AT_ONCE - 1)
			while (waitpid(pid, NULL, 0) > 0)
				continue;
	}
}

static void do_line(const char *line)
{
	pid_t pid = strcmp(line, "fork") == 0        ? start(worker)
		    : strcmp(line, "idle") == 0      ? start(stay)
		    : strcmp(line, "deep") == 0      ? start_deep(0, worker)
		    : strcmp(line, "late") == 0      ? start_deep(1, stay)
		    : strncmp(line, "exec ", 5) == 0 ? execute(line + 5)
						     : 0;

	if (strncmp(line, "short ", 6) == 0) {
		start_short(atoi(line + 6));
		printf("done\n");
	} else {
		printf("%d\n", (int)pid);
	}
	if (pid > 0 && n_children < CHILDREN_MAX)
		child[n_children++] = pid;
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r+") : NULL; /* not reached */
	char line[LINE];

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(line, "quit") == 0)
			break;
		do_line(line);
		fflush(stdout);
	}
	for (int i = 0; i < n_children; i++)
		kill(child[i], SIGKILL);
	return 0;
}
