/*
 * replay.c - run a fuzz target over files, without libFuzzer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: fuzz_TARGET [FILE | DIR]...
 *
 * Prints the name of each file before it is tried, so that the last name identifies the cause of a crash. Exits
 * with status 2 when there was nothing to try.
 */
#include "config.h"

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int try_file(const char *path)
{
	struct bytes in = { 0 };
	struct err err;

	printf("%s\n", path);
	fflush(stdout);
	if (io_read_file(path, 64 << 20, "the size of a seed", &in, &err) < 0) {
		fprintf(stderr, "%s: %s\n", path, err.msg);
		return 0;
	}
	LLVMFuzzerTestOneInput(in.data, in.n);
	free(in.data);
	return 1;
}

/* The files in a directory, not in its subdirectories. */
static int try_path(const char *path)
{
	struct dirent **entry;
	struct stat st;
	int tried = 0, n;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return try_file(path);
	n = scandir(path, &entry, NULL, alphasort);
	if (n < 0)
		perror(path);
	for (int i = 0; i < n; i++) {
		char name[4096];

		snprintf(name, sizeof(name), "%s/%s", path, entry[i]->d_name);
		free(entry[i]);
		if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
			tried += try_file(name);
	}
	if (n >= 0)
		free(entry);
	return tried;
}

int main(int argc, char **argv)
{
	int tried = 0;

	for (int i = 1; i < argc; i++)
		tried += try_path(argv[i]);
	printf("%d files\n", tried);
	return tried ? 0 : 2;
}
