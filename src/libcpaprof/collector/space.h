/*
 * space.h - the memory of another process, and the objects in it, for the walker
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An object is its file where that is still the one that was mapped, else what can be read of it in
 * memory: files may be gone or replaced, out of sight in another mount namespace, or never have been
 * (vDSO). It is opened when a walk first comes to it, and kept as long as it stays mapped.
 */
#ifndef LIBCPAPROF_COLLECTOR_SPACE_H
#define LIBCPAPROF_COLLECTOR_SPACE_H

#include "libcpaprof/collector/memory.h"

#include "libcpaprof/target/unwind/unwind.h"

#include <sys/types.h>

/* Begins as zeros, but for mem: -1. */
struct space {
	pid_t pid;
	int mem;           /* /proc/PID/mem, where process_vm_readv is denied; -1: not opened */
	struct vec object; /* struct space_object, in order of address */
	struct vec texts;  /* char: their paths */
	uint64_t n_copied; /* bytes of them that were read */
};

/*
 * Look at what a process has mapped now.
 *
 * Gives   0, or -errno: -ESRCH, -EACCES
 */
int space_look(struct space *r, pid_t pid);

/* The same, of a file like /proc/PID/maps. */
int space_look_at(struct space *r, pid_t pid, int fd);

/* Did it have this file mapped when it was looked at? */
bool space_has(const struct space *r, dev_t dev, ino_t ino);

/* Read memory from addr on, up to what is not there. Gives how many bytes there were; errno when 0. */
size_t space_read(struct space *r, uint64_t addr, void *to, size_t n);

/* An unwind_find_fn; arg: a struct space. Not for handlers. */
const struct unwind_object *space_find(void *arg, uint64_t pc, struct unwind_object *room);

/* Keep no file open until the next look. */
void space_rest(struct space *r);

void space_release(struct space *r);

#endif
