/*
 * life.c - ways in which programs start, exec and end
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* Become a daemon, and write a file after a while. */
static int become_daemon(const char *path)
{
	FILE *f;

	spin(0.2);
	if (daemon(1, 0) != 0)
		return 1;
	spin(0.5);
	f = fopen(path, "w");
	if (!f)
		return 1;
	fputs("done\n", f);
	fclose(f);
	return 0;
}

/* Many short-lived children of a process with much memory, which is slow to fork. */
static int storm(int n)
{
	enum { TOUCHED = 16 << 20 };
	char *big = mmap(NULL, 8ULL << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int n_ok = 0, status;

	if (big == MAP_FAILED)
		return 1;
	memset(big, 1, TOUCHED);
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(i & 63);
		n_ok += waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == (i & 63);
	}
	printf("%d of %d\n", n_ok, n);
	return 0;
}

/* Allocate memory until the last moment. */
static int take_memory(const char *how)
{
	enum { BLOCKS = 1000, BLOCK = 64 << 10 };

	for (int i = 0; i < BLOCKS; i++) {
		char *p = malloc(BLOCK);

		if (p)
			p[0] = 1;
		sink += (unsigned long)p;
		if (i % 10 == 0)
			spin(0.006);
	}
	if (strcmp(how, "_exit") == 0)
		_exit(3);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "quick") == 0)
		quick_exit(4);
	raise(strcmp(how, "segv") == 0 ? SIGSEGV : strcmp(how, "term") == 0 ? SIGTERM : SIGKILL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (strcmp(what, "daemon") == 0)
		return become_daemon(argv[2]);
	if (strcmp(what, "storm") == 0)
		return storm(atoi(argv[2]));
	if (strcmp(what, "memory") == 0)
		return take_memory(argv[2]);
	if (strcmp(what, "exec") == 0) {
		spin(0.2);
		execv(argv[2], argv + 2);
	}
	return 1;
}
