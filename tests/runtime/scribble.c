/*
 * scribble.c - a program that writes anything into the memory it shares with the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * scribble SEED SECONDS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t state;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

int main(int argc, char **argv)
{
	const char *env = getenv("CPA_SEGMENT");
	char path[64] = "";
	struct stat file;
	uint64_t *words;
	time_t end;
	int fd;

	if (argc < 3 || !env)
		return 1;
	state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
	memcpy(path, env, strcspn(env, ":") < sizeof(path) ? strcspn(env, ":") : 0);
	fd = open(path, O_RDWR);
	if (fd < 0 || fstat(fd, &file) != 0)
		return 1;
	printf("truncated: %s\n", ftruncate(fd, 4096) == 0 ? "yes" : "no");
	words = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	end = time(NULL) + atoi(argv[2]);
	while (time(NULL) < end)
		for (int i = 0; i < 10000; i++) {
			/* mostly the small tables at the front, with small numbers, ones that were there, or any */
			uint64_t at = next() % (next() % 4 ? 80000 : (uint64_t)file.st_size / 8), v = next();

			words[at] = v % 4 == 0   ? v >> 8 & 3
				    : v % 4 == 1 ? words[at] ^ 1ULL << (v >> 8 & 63)
				    : v % 4 == 2 ? v
						 : (v & 0xffff) << 32 | 1ULL << 60 | 1;
		}
	puts("done");
	fflush(stdout);
	_exit(0);
}
