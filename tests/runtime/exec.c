/*
 * exec.c - execute programs in all possible ways, and print the results
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	exec WAY PROGRAM [ARGUMENT]...   WAY: execve, ..., each preceded by fork-, vfork- or thread-; or spawn, ...
 *	exec environment                 print the environment; of our variables only whether they exist
 *	exec burn SECONDS WAY PROGRAM [ARGUMENT]...   use CPU time before, and after if it fails
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct call {
	const char *way;
	char **argv;
};

static volatile unsigned long sink;

static void spin(double seconds)
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

static void execute(const char *way, char **argv)
{
	char *const one = argv[1], *const two = one ? argv[2] : NULL;

	if (strcmp(way, "execve") == 0)
		execve(argv[0], argv, environ);
	else if (strcmp(way, "execv") == 0)
		execv(argv[0], argv);
	else if (strcmp(way, "execvp") == 0)
		execvp(argv[0], argv);
	else if (strcmp(way, "execvpe") == 0)
		execvpe(argv[0], argv, environ);
	else if (strcmp(way, "execl") == 0)
		execl(argv[0], argv[0], one, two, (char *)NULL);
	else if (strcmp(way, "execlp") == 0)
		execlp(argv[0], argv[0], one, two, (char *)NULL);
	else if (strcmp(way, "execle") == 0)
		execle(argv[0], argv[0], one, two, (char *)NULL, environ);
	else if (strcmp(way, "fexecve") == 0)
		fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), argv, environ);
	else if (strcmp(way, "execveat") == 0)
		execveat(AT_FDCWD, argv[0], argv, environ, 0);
	else if (strcmp(way, "execveat-file") == 0)
		execveat(open(argv[0], O_PATH), "", argv, environ, AT_EMPTY_PATH);
	else
		abort();
}

static int report(int status)
{
	fflush(stdout);
	if (WIFEXITED(status))
		printf("status %d\n", WEXITSTATUS(status));
	else
		printf("signal %d\n", WTERMSIG(status));
	return 0;
}

static int spawn(const char *way, char **argv)
{
	posix_spawn_file_actions_t actions;
	int status, rc;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 7, "/dev/null", O_RDONLY, 0);
	rc = strcmp(way, "spawnp") == 0 ? posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ)
					: posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc) {
		printf("%s\n", strerror(rc));
		return 0;
	}
	waitpid(pid, &status, 0);
	return report(status);
}

static void *run(void *arg)
{
	const struct call *c = arg;

	execute(c->way, c->argv);
	printf("%s\n", strerror(errno));
	return NULL;
}

static int by(struct call c)
{
	const char *dash = strchr(c.way, '-');
	int status, failed = 0;
	pthread_t thread;
	pid_t pid;

	if (strncmp(c.way, "spawn", 5) == 0)
		return spawn(c.way, c.argv);
	if (strncmp(c.way, "thread-", 7) == 0) {
		c.way = dash + 1;
		pthread_create(&thread, NULL, run, &c);
		pthread_join(thread, NULL);
		return 0;
	}
	if (strncmp(c.way, "fork-", 5) == 0) {
		pid = fork();
	} else if (strncmp(c.way, "vfork-", 6) == 0) {
		volatile int *error = &failed;

		pid = vfork();
		if (pid == 0) {
			execute(dash + 1, c.argv);
			*error = errno;
			_exit(1);
		}
	} else {
		run(&c);
		return 0;
	}
	if (pid == 0) {
		execute(dash + 1, c.argv);
		printf("%s\n", strerror(errno));
		exit(1);
	}
	waitpid(pid, &status, 0);
	if (failed)
		printf("%s\n", strerror(failed));
	return report(status);
}

static int environment(void)
{
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "_=", 2) != 0)
			puts(strncmp(*e, "CPA_SEGMENT=", 12) == 0 ? "CPA_SEGMENT" : *e);
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2)
		return environment();
	if (strcmp(argv[1], "burn") != 0)
		return by((struct call){ argv[1], argv + 2 });
	spin(atof(argv[2]));
	by((struct call){ argv[3], argv + 4 });
	spin(atof(argv[2]));
	return 0;
}
