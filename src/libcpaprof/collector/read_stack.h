/*
 * read_stack.h - read the stack of a thread that waits out of the memory of its process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel tells where a thread that waits is, and its memory can be read. Nothing is stopped and no
 * signal is sent, so no call of it is interrupted.
 *
 * An object is its file where that is still the one that was mapped, else what can be read of it in
 * memory: files may be gone or replaced, out of sight in another mount namespace, or never have been
 * (vDSO). It is opened when a walk first comes to it, and kept as long as it stays mapped.
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_STACK_H
#define LIBCPAPROF_COLLECTOR_READ_STACK_H

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

enum { READ_STACK_RANGES = 4 };

/* Begins as zeros, but for space.mem: -1. */
struct stack_reader {
	struct space space;
	struct unwind_cache cache;
	unsigned char *copy[READ_STACK_RANGES]; /* of pieces of stacks */
};

/*
 * The stack that begins at these registers.
 *
 * pc      [max] out: leaf first; all but the first are of calls, not return addresses
 * end     out: why it ended
 * Gives   the number of frames, at least 1
 */
uint32_t read_stack_at(struct stack_reader *p, uint64_t ip, uint64_t sp, uint64_t *pc, uint32_t max,
		       enum unwind_end *end);

void read_stack_release(struct stack_reader *p);

#endif
