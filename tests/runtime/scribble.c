/*
 * scribble.c - corrupts the memory that it shares with the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * scribble SEED SECONDS [all]
 *
 * all: write to every section equally often, mostly near its start, while a child process works and is profiled.
 * Otherwise write mostly to the small tables at the start.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

enum { SECTION_OFFSET = 7, SECTIONS = 6, FRONT_WORDS = 4096 }; /* SECTION_OFFSET: words before the table of sections */

/* Index of the word to write: in a section, mostly near its start. */
static uint64_t place(const uint64_t *section, uint64_t n_words)
{
	uint64_t at = section[next() % SECTIONS] / 8, n = next() % 8 ? FRONT_WORDS : n_words;

	at += next() % (n >> next() % 10 | 1);
	return at < n_words ? at : next() % n_words;
}

static void *at_work(void *arg)
{
	pthread_mutex_t *lock = arg;

	for (;;) {
		free(malloc(1000));
		pthread_mutex_lock(lock);
		pthread_mutex_unlock(lock);
	}
	return NULL;
}

__attribute__((noreturn)) static void work(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, at_work, &lock);
	at_work(&lock);
	abort();
}

int main(int argc, char **argv)
{
	uint64_t section[SECTIONS];
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
	memcpy(section, words + SECTION_OFFSET, sizeof(section));
	if (argc > 3 && fork() == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0)
		work(); /* it may crash, because its library reads the corrupted memory too */
	end = time(NULL) + atoi(argv[2]);
	while (time(NULL) < end)
		for (int i = 0; i < 10000; i++) {
			/*
			 * mostly the small tables at the start; small numbers, flipped bits, random words or record
			 * headers
			 */
			uint64_t n = (uint64_t)file.st_size / 8, v = next(),
				 at = argc > 3 ? place(section, n) : next() % (next() % 4 ? 80000 : n);

			words[at] = v % 4 == 0   ? v >> 8 & 3
				    : v % 4 == 1 ? words[at] ^ 1ULL << (v >> 8 & 63)
				    : v % 4 == 2 ? v
						 : (v & 0xffff) << 32 | 1ULL << 60 | 1;
		}
	puts("done");
	fflush(stdout);
	_exit(0);
}
