/*
 * maps.h - what code a process has mapped, and where that code is from
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_MAPS_H
#define LIBCPAPROF_COLLECTOR_MAPS_H

#include "libcpaprof/collector/memory.h"

#include "libcpaprof/target/segment.h"

#include <stdbool.h>
#include <sys/types.h>

/* A piece of mapped code. Its texts are in struct maps.texts. */
struct map {
	uint64_t start, limit, offset;
	uint32_t path, n_path;
	uint32_t id, n_id; /* the build id in hexadecimal; none when n_id is 0 */
	bool contested;    /* other code was mapped here at another time: struct era tells when */
};

/* Addresses, and the index of the mapping that was added to them last. */
struct map_span {
	uint64_t start, limit;
	uint32_t map;
};

/* From this generation on a mapping is where it is, until another one is there. */
struct era {
	uint32_t since, map; /* index of map */
};

/* Begins as zeros. The program comes first. */
struct maps {
	struct vec map;                        /* struct map */
	struct vec span;                       /* struct map_span: in order of address, each address once */
	struct vec texts;                      /* char */
	struct vec era;                        /* struct era, as they came: of contested ones */
	bool contested;                        /* some are */
	uint32_t n_steps;                      /* through eras since somebody said 0; after very many none are made */
	uint32_t now;                          /* the generation of the process, as far as we know */
	uint32_t number[MODULES_NUMBERED + 1]; /* of struct segment_module: index of map + 1 */
};

/*
 * Add what the process told of itself.
 *
 * ring    [MODULES_MAX] struct segment_module and texts; hostile
 * from    position up to which it was read
 * to      position up to which it is written
 */
void maps_take_modules(struct maps *m, const uint8_t *ring, uint32_t from, uint32_t to);

/* Add what the kernel says is mapped now, with build ids out of the memory of the process. */
void maps_add_live(struct maps *m, pid_t pid);

/* The same, of a file like /proc/PID/maps. */
void maps_add_text(struct maps *m, pid_t pid, int fd);

/* Call fn for each line of a file like /proc/PID/maps, until it says false. False when there is none. */
bool maps_read_lines(int fd, bool (*fn)(void *arg, const char *line), void *arg);
/* Call fn for each line of /proc/PID/maps, until it says false. False, with errno, when there is no such process. */
bool maps_each_line(pid_t pid, bool (*fn)(void *arg, const char *line), void *arg);

/* Has the process mapped this file? MAPS_GONE: it has ended, or may not be looked into. */
enum maps_has { MAPS_NO, MAPS_YES, MAPS_GONE };
enum maps_has maps_has_file(pid_t pid, dev_t dev, ino_t ino);

/* The same as another one. */
void maps_copy(struct maps *m, const struct maps *from);

/* The index + 1 of what holds an address now, 0 for none. */
uint32_t maps_find(struct maps *m, uint64_t addr);
/* The same in a generation, where it matters: 0 also when nothing else ever held the address. */
uint32_t maps_find_contested(struct maps *m, uint64_t addr, uint32_t generation);

void maps_release(struct maps *m);

#endif
