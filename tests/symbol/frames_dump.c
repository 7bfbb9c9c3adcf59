/*
 * frames_dump.c - print the frames of the addresses on standard input
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: frames_dump FILE [DEBUG [ALT]]     "-" for none; addresses in hexadecimal, ascending
 *
 * Prints a line per frame, innermost first: address, name, file, line, column, start line of the function, separated by
 * tabs. An address without frames has a line with only the address.
 */
#include "config.h"

#include "base/arena.h"
#include "base/mem.h"
#include "symbol/frames.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int open_arg(int argc, char **argv, int i)
{
	if (i >= argc || strcmp(argv[i], "-") == 0)
		return -1;
	return open(argv[i], O_RDONLY | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	struct frames_files files = {
		.fd = open_arg(argc, argv, 1),
		.debug_fd = open_arg(argc, argv, argc > 2 ? 2 : 1),
		.alt_fd = open_arg(argc, argv, 3),
		.path = argc > 2 ? argv[2] : argv[1],
	};
	struct arena *mem = arena_new();
	struct timespec start, end;
	struct frames f;
	struct err err;
	uint64_t *addr = NULL;
	size_t n = 0, cap = 0;
	bool whole;

	addr = mem_grow(addr, &cap, n + 1, sizeof(*addr));
	while (scanf("%" SCNx64, &addr[n]) == 1)
		addr = mem_grow(addr, &cap, ++n + 1, sizeof(*addr));
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (frames_read(&files, addr, (uint32_t)n, mem, &f, &whole, &err) < 0)
		fprintf(stderr, "frames_dump: %s\n", err.msg);
	clock_gettime(CLOCK_MONOTONIC, &end);
	for (uint32_t i = 0; i < f.n; i++) {
		if (f.off[i] == f.off[i + 1])
			printf("0x%" PRIx64 "\n", addr[i]);
		for (uint32_t k = f.off[i]; k < f.off[i + 1]; k++)
			printf("0x%" PRIx64 "\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", addr[i],
			       f.frame[k].name, f.frame[k].file, f.frame[k].line, f.frame[k].column,
			       f.frame[k].start_line);
	}
	fprintf(stderr, "%s: %" PRIu32 " addresses in %.1f ms, %s\n", f.source, f.n,
		(double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6,
		whole ? "whole" : "not whole");
	arena_free(mem);
	free(addr);
	return 0;
}
