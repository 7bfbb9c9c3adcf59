/*
 * maps.h - the mapped code of a process, and the files it comes from
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_MAPS_H
#define LIBCPAPROF_COLLECTOR_READ_MAPS_H

#include "libcpaprof/collector/read/memory.h"

#include "libcpaprof/target/segment.h"

#include <stdbool.h>
#include <sys/types.h>

enum { ROOT_PATH_MAX = 256 };

/* A mapping with code. Its texts are in struct maps.texts. */
struct map {
	uint64_t start, limit, offset;
	uint32_t path, n_path;
	uint32_t id, n_id; /* build id in hexadecimal; n_id 0: none */
	bool is_contested; /* was other code mapped here at another time? See struct map_change */
};

/* A range of addresses, and the index of the newest mapping there. */
struct address_range {
	uint64_t start, limit;
	uint32_t map;
};

/* The generation from which a mapping is in place, until another one replaces it. */
struct map_change {
	uint32_t since, map; /* first generation; index of map */
};

/* Zero-initialised. The executable is the first mapping. */
struct maps {
	struct vec map;      /* struct map */
	struct vec range;    /* struct address_range: sorted by address, not overlapping */
	struct vec texts;    /* char */
	struct vec change;   /* struct map_change: of contested mappings, in the order of insertion */
	bool has_contested;  /* is any mapping contested? */
	uint32_t n_steps;    /* number of changes searched since the caller set it to 0; the search stops at a limit */
	uint32_t generation; /* the last known generation of the process */
	uint32_t number[MODULES_NUMBERED + 1]; /* index of map + 1, by number of a struct segment_module */
	/* from maps_set_root; "" for the same root as ours, and if not known */
	char root[ROOT_PATH_MAX], program[ROOT_PATH_MAX];
};

/*
 * Read the root directory of a process and the path of its executable: a process reports paths below its own root, and
 * does not know its executable if it has no /proc. Call this before maps_add_modules.
 */
void maps_set_root(struct maps *m, pid_t pid);

/*
 * Add the mappings that the process reported.
 *
 * ring    [MODULES_MAX] struct segment_module and texts; untrusted
 * from    read position
 * to      write position
 */
void maps_add_modules(struct maps *m, const uint8_t *ring, uint32_t from, uint32_t to);

/* Add the current mappings of a process, with build ids read from its memory. */
void maps_add_live(struct maps *m, pid_t pid);

/*
 * Add the code of the running kernel and its modules, with its build id.
 *
 * start   address of its symbol _stext, see kallsyms_address; 0: not known
 */
void maps_add_kernel(struct maps *m, uint64_t start);

/* Add mappings from an open file in the format of /proc/PID/maps. */
void maps_add_text(struct maps *m, pid_t pid, int fd);

/* A line of /proc/PID/maps. */
struct maps_line {
	uint64_t start, limit, offset, ino;
	dev_t dev;
	char perm[5];     /* "rwxp" */
	const char *path; /* the rest of the line; "" for none */
};
bool maps_parse_line(const char *line, struct maps_line *out);

/* Find the build id in notes of n bytes. id: [MODULE_ID_MAX] out. Returns its length; 0 if there is none. */
uint32_t maps_find_id(const uint8_t *notes, size_t n, uint8_t *id);

/* Call fn for each line of an open file until it returns false. Returns false if the file is empty. */
bool maps_read_lines(int fd, bool (*fn)(void *arg, const char *line), void *arg);

/* Has the process mapped this file? MAPS_GONE: it has ended, or permission is denied. */
enum maps_has { MAPS_NO, MAPS_YES, MAPS_GONE };
enum maps_has maps_has_file(pid_t pid, dev_t dev, ino_t ino);

/* Copy all mappings. m is empty if there is not enough memory. */
void maps_copy(struct maps *m, const struct maps *from);

/* The index + 1 of the mapping that contains an address now; 0: none. */
uint32_t maps_find(struct maps *m, uint64_t addr);
/* The index + 1 of the mapping that contained an address in a generation; 0: none, or it only ever had one mapping. */
uint32_t maps_find_contested(struct maps *m, uint64_t addr, uint32_t generation);

void maps_release(struct maps *m);

#endif
