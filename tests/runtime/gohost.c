/*
 * gohost.c - a program in C that loads a library in Go
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * gohost LIBRARY [FILE]   FILE: the Go part profiles itself, too
 * Prints the results of the Go part, and its CPU time in nanoseconds to standard error.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static volatile unsigned long sink;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void in_c(double seconds)
{
	for (double end = cpu() + seconds; cpu() < end;)
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long)i;
}

int main(int argc, char **argv)
{
	void *h = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	uint64_t (*sum)(int, int) = NULL;
	int (*panics)(void) = NULL, (*receives)(void) = NULL, (*profile)(const char *) = NULL;

	if (!h) {
		puts(dlerror());
		return 1;
	}
	*(void **)&sum = dlsym(h, "go_sum");
	*(void **)&panics = dlsym(h, "go_panics");
	*(void **)&receives = dlsym(h, "go_signal");
	*(void **)&profile = dlsym(h, "go_profile");
	in_c(0.3);
	printf("sum %llu\n", (unsigned long long)sum(4, 100000000));
	printf("panics %d, receives %d\n", panics(), receives());
	if (argc > 2)
		printf("profile %d\n", profile(argv[2]));
	in_c(0.3);
	fprintf(stderr, "%.0f\n", cpu() * 1e9);
	return 5;
}
