/*
 * rt_single.cc - operations that the C and C++ libraries optimise for single-threaded processes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: rt_single     "NAME NS": shared_ptr (copy and destroy), putc, malloc (64 bytes, and free)
 * Each is the minimum of several rounds, in nanoseconds of CPU time. "threads N" is the number of threads.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <memory>
#include <time.h>

enum { ROUNDS = 9, TIMES = 2000000 };

static double now_ns()
{
	timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

template <class Work> static void measure(const char *name, Work work)
{
	double fastest = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		double begin = now_ns();

		for (int i = 0; i < TIMES; i++)
			work();
		fastest = std::min(fastest, (now_ns() - begin) / TIMES);
	}
	printf("%s %.2f\n", name, fastest);
}

static int threads()
{
	DIR *d = opendir("/proc/self/task");
	int n = -2;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

int main()
{
	auto shared = std::make_shared<int>(1);
	FILE *out = fopen("/dev/null", "w");

	if (!out)
		return 2;
	measure("shared_ptr", [&] {
		std::shared_ptr<int> copy = shared;

		__asm__ volatile("" : : "r"(copy.get()) : "memory");
	});
	measure("putc", [&] { putc('x', out); });
	measure("malloc", [] {
		void *volatile p = malloc(64);

		free(p);
	});
	printf("threads %d\n", threads());
	return 0;
}
