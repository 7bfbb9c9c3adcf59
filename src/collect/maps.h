/*
 * maps.h - what code a process has mapped, and where that code is from
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef COLLECT_MAPS_H
#define COLLECT_MAPS_H

#include "collect/memory.h"

#include "runtime/segment.h"

#include <sys/types.h>

/* A piece of mapped code. Its texts are in struct maps.texts. */
struct map {
	uint64_t start, limit, offset;
	uint32_t path, n_path;
	uint32_t id, n_id; /* the build id in hexadecimal; none when n_id is 0 */
};

/* Begins as zeros. The program comes first. */
struct maps {
	struct vec map;   /* struct map */
	struct vec texts; /* char */
};

/*
 * Add what the process told of itself.
 *
 * data    [n] struct segment_module and texts; hostile
 */
void maps_add_modules(struct maps *m, const uint8_t *data, size_t n);

/* Add what the kernel says is mapped now, with build ids out of the memory of the process. */
void maps_add_live(struct maps *m, pid_t pid);

/* Call fn for each line of /proc/PID/maps, until it says false. False, with errno, when there is no such process. */
bool maps_each_line(pid_t pid, bool (*fn)(void *arg, const char *line), void *arg);

/* Has the process mapped this file? MAPS_GONE: it has ended, or may not be looked into. */
enum maps_has { MAPS_NO, MAPS_YES, MAPS_GONE };
enum maps_has maps_has_file(pid_t pid, dev_t dev, ino_t ino);

/* The same as another one. */
void maps_copy(struct maps *m, const struct maps *from);

/* The index + 1 of what holds an address, 0 for none. */
uint32_t maps_find(const struct maps *m, uint64_t addr);

void maps_release(struct maps *m);

#endif
