/*
 * overwrites.c - overwrites the counter of refused processes, or its own arguments
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * overwrites N        write N to the counter of the segment
 * overwrites title    write a short title over the arguments, as setproctitle does, and sleep
 */
#include "libcpaprof/target/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int overwrite_counter(const char *value)
{
	const char *env = getenv("CPA_SEGMENT");
	struct segment_head *head;
	char path[64] = "";
	int fd;

	if (!env || strcspn(env, ":") >= sizeof(path))
		return 1;
	memcpy(path, env, strcspn(env, ":"));
	fd = open(path, O_RDWR);
	head = fd < 0 ? MAP_FAILED : mmap(NULL, SEGMENT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		return 1;
	atomic_store(&head->n_refused, (uint32_t)strtoul(value, NULL, 0));
	return 0;
}

int main(int argc, char **argv)
{
	char *end = argv[argc - 1] + strlen(argv[argc - 1]);

	if (argc < 2)
		return 1;
	if (strcmp(argv[1], "title") != 0)
		return overwrite_counter(argv[1]);
	memset(argv[0], 0, (size_t)(end - argv[0]));
	snprintf(argv[0], (size_t)(end - argv[0]), "server *:1");
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	sleep(600);
	return 0;
}
