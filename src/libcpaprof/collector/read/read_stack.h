/*
 * read_stack.h - read the stack of a waiting thread from the memory of its process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel reports the registers of a waiting thread, and its memory can be read. Nothing is stopped and no signal
 * is sent, so no system call is interrupted.
 *
 * An object is read from its file if that is still the mapped one, else from memory: the file may be deleted,
 * replaced, in another mount namespace, or not exist (vDSO). An object is opened when a walk first reaches it, and
 * cached for as long as it stays mapped.
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_READ_STACK_H
#define LIBCPAPROF_COLLECTOR_READ_READ_STACK_H

#include "libcpaprof/collector/read/memory.h"

#include "libcpaprof/target/unwind/unwind.h"

#include <sys/types.h>

/* Contents of files, shared by the address spaces of several processes. Zero-initialised. */
struct file_cache {
	struct vec file; /* struct cached_file */
	uint64_t n_bytes;
};

/* Call this after the release of all address spaces that use the cache. */
void file_cache_release(struct file_cache *c);

/* The mapped objects of a process. Zero-initialised, except mem: -1. */
struct address_space {
	struct file_cache *cache; /* NULL: none */
	pid_t pid;
	int mem;           /* /proc/PID/mem, used where process_vm_readv is denied; -1: not open */
	struct vec object; /* struct space_object, sorted by address */
	struct vec texts;  /* char: paths of the objects */
	uint64_t n_copied; /* bytes of objects that were read */
};

/*
 * Read the current mappings of a process.
 *
 * Returns 0 or -errno, for example -ESRCH or -EACCES
 */
int space_read_maps(struct address_space *r, pid_t pid);

/* Read mappings from an open file in the format of /proc/PID/maps. */
int space_read_maps_file(struct address_space *r, pid_t pid, int fd);

/* Was this file mapped when the mappings were last read? */
bool space_has_file(const struct address_space *r, dev_t dev, ino_t ino);

/* Read n bytes of memory, or fewer at the end of mapped memory. Returns the number of bytes; 0 sets errno. */
size_t space_read(struct address_space *r, uint64_t addr, void *to, size_t n);

/* An unwind_find_fn; arg is a struct address_space. Not for signal handlers. */
const struct unwind_object *space_find(void *arg, uint64_t pc, struct unwind_object *room);

/* Close open files until the next read. */
void space_close_files(struct address_space *r);

void space_release(struct address_space *r);

enum { READ_STACK_RANGES = 4, READ_STACK_BYTES_MAX = 5 << 20 };

/* Zero-initialised, except space.mem: -1. */
struct stack_reader {
	struct address_space space;
	struct unwind_cache cache;
	unsigned char
		*copy[READ_STACK_RANGES]; /* copies of pieces of stacks, of READ_STACK_BYTES_MAX; NULL: none yet */
};

/*
 * Walk the stack that begins at these registers.
 *
 * pc      [max] out: leaf first; all but the first are adjusted to the call, not return addresses
 * end     out: why the walk ended
 * Returns the number of frames, at least 1
 */
uint32_t read_stack_at(struct stack_reader *p, uint64_t ip, uint64_t sp, uint64_t *pc, uint32_t max,
		       enum unwind_end *end);

/* The user registers and the top of the stack of a thread, as copied by the kernel for a sample of a perf event. */
struct stack_sample {
	const uint64_t *reg;        /* [read_stack_n_event_regs()] in the order of the kernel's bits */
	const unsigned char *stack; /* [n_stack] from the stack pointer on */
	size_t n_stack;
	const uint64_t *chain; /* [n_chain] frames that the kernel found by frame pointers, the interrupted one first */
	size_t n_chain;
};

/* perf_event_attr.sample_regs_user: the registers that walks need. */
uint64_t read_stack_event_regs(void);
/* Number of bits in it. */
unsigned read_stack_n_event_regs(void);

/*
 * Walk the stack of a sample; as read_stack_at.
 *
 * Frames beyond the copy are read from the process, if it still has the last frames in the copy. Frames on another
 * stack (of a goroutine, while its thread is on the system stack) are those of the chain.
 *
 * n_guessed   out: number of frames found without CFI
 */
uint32_t read_stack_of_sample(struct stack_reader *p, const struct stack_sample *s, uint64_t *pc, uint32_t max,
			      uint32_t *n_guessed, enum unwind_end *end);

/* The cache for walks; NULL: out of memory. */
struct unwind_cache *read_stack_cache(struct stack_reader *p);

void read_stack_release(struct stack_reader *p);

#endif
