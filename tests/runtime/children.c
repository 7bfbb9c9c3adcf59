/*
 * children.c - uses CPU time in this process, in forked children, and in programs that it starts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * children SECONDS FORKED [COMMAND]
 *
 * Uses SECONDS of CPU time itself and FORKED seconds in a forked child, then passes COMMAND to system(3).
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static void spin(double seconds)
{
	struct timespec t = { 0 };

	while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds) {
		for (int i = 0; i < 2000; i++)
			sink += (unsigned long)i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	}
}

int main(int argc, char **argv)
{
	pid_t child = fork();

	if (child == 0) {
		spin(atof(argv[2]));
		_exit(0);
	}
	spin(atof(argv[1]));
	waitpid(child, NULL, 0);
	return argc > 3 ? system(argv[3]) : 0;
}
