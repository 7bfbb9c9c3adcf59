/*
 * plug.c - a program that loads, runs and unloads libraries
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * plug one ROUNDS MS LIBRARY...   load, burn(MS) and unload one at a time, in rounds; prints the number of addresses
 * plug all MS LIBRARY...          load all, burn in each, unload all, fork, and call _exit
 * plug name NAME                  load a name that only the run path of this program finds
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *load(const char *name, void (**burn)(int))
{
	void *handle = dlopen(name, RTLD_NOW);

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	*(void **)burn = dlsym(handle, "burn");
	return handle;
}

static int one(int rounds, int ms, char **name)
{
	void *place[256] = { 0 };
	int n = 0;

	for (int round = 0; round < rounds; round++)
		for (char **l = name; *l; l++) {
			void (*burn)(int);
			void *handle = load(*l, &burn);
			int i = 0;

			while (i < n && place[i] != *(void **)&burn)
				i++;
			if (i == n && n < 256)
				place[n++] = *(void **)&burn;
			burn(ms);
			dlclose(handle);
		}
	printf("%d places\n", n);
	return 0;
}

static int all(int ms, char **name)
{
	void *handle[256];
	int n = 0;

	for (; name[n] && n < 256; n++) {
		void (*burn)(int);

		handle[n] = load(name[n], &burn);
		burn(ms);
	}
	for (int i = 0; i < n; i++)
		dlclose(handle[i]);
	_exit(4);
}

int main(int argc, char **argv)
{
	void (*burn)(int);

	if (argc > 4 && strcmp(argv[1], "one") == 0)
		return one(atoi(argv[2]), atoi(argv[3]), argv + 4);
	if (argc > 3 && strcmp(argv[1], "all") == 0)
		return all(atoi(argv[2]), argv + 3);
	if (argc > 2 && strcmp(argv[1], "name") == 0) {
		load(argv[2], &burn);
		burn(200);
		puts("loaded");
		return 0;
	}
	return 1;
}
