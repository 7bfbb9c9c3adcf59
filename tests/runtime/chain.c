/*
 * chain.c - functions that call each other without frame pointers, in the program and in a library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: chain SECONDS [LIBRARY]     works for this CPU time, in the functions of LIBRARY if it is given
 * With -DLIBRARY it is the library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEEP __attribute__((noinline))

static volatile double sink;
double outer(double x);

KEEP static double innermost(double x)
{
	for (int i = 0; i < 100000; i++)
		sink += x * i;
	return sink;
}

KEEP static double inner(double x)
{
	volatile double room[20] = { x };

	return innermost(room[0]) + room[1];
}

KEEP double outer(double x)
{
	return inner(x + 1) * 2;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	double (*work)(double) = outer;
	double end = argc > 1 ? atof(argv[1]) : 1;
	void *library = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;

	if (argc > 2 && (!library || !(work = (double (*)(double))dlsym(library, "outer"))))
		return fprintf(stderr, "%s\n", dlerror()), 1;
	while ((double)clock() / CLOCKS_PER_SEC < end)
		work(end);
	return 0;
}
#endif
