/*
 * sanitized.cc - allocate in all ways and leak it, for a comparison of the reports of a sanitizer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each function leaks some MB, since threads check after each MB whether sampling is on.
 */
#include <new>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS = 200, SIZE = 20480, ALIGN = 64 };

static char *volatile last;

static void leak(void *p)
{
	last = static_cast<char *>(p);
	last[0] = 1;
	last = nullptr;
}

struct alignas(ALIGN) wide {
	char byte[SIZE];
};

#define LEAKS(X)                                                                                                       \
	X(by_malloc, malloc(SIZE))                                                                                     \
	X(by_calloc, calloc(10, SIZE / 10))                                                                            \
	X(by_realloc, realloc(nullptr, SIZE))                                                                          \
	X(by_growth, realloc(malloc(8), SIZE))                                                                         \
	X(by_array, reallocarray(nullptr, 10, SIZE / 10))                                                              \
	X(by_memalign, memalign(ALIGN, SIZE))                                                                          \
	X(by_aligned_alloc, aligned_alloc(ALIGN, SIZE))                                                                \
	X(by_valloc, valloc(SIZE))                                                                                     \
	X(by_new, new int)                                                                                             \
	X(by_new_array, new char[SIZE])                                                                                \
	X(by_nothrow, new (std::nothrow) char[SIZE])                                                                   \
	X(by_aligned_new, new wide)                                                                                    \
	X(by_aligned_array, new wide[2])

#define DEFINE(name, call)                                                                                             \
	static __attribute__((noinline)) void name()                                                                   \
	{                                                                                                              \
		leak(call);                                                                                            \
	}
LEAKS(DEFINE)

static __attribute__((noinline)) void by_posix_memalign()
{
	void *p;

	if (posix_memalign(&p, ALIGN, SIZE) == 0)
		leak(p);
}

static __attribute__((noinline)) void suppressed()
{
	leak(malloc(SIZE));
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && strcmp(argv[1], "all") == 0;

	for (int i = 0; i < OBJECTS; i++) {
		suppressed();
		if (!all)
			continue;
#define CALL(name, call) name();
		LEAKS(CALL)
		by_posix_memalign();
	}
	fprintf(stderr, "done\n");
	return 3;
}
