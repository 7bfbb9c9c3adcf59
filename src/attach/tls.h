/*
 * tls.h - find an exported thread-local variable in the memory of another process, and its address in each thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything is read from the memory of the process, so files may be deleted or belong to a container. Nothing that is
 * read is trusted: each table and loop has a limit. Only x86-64 and glibc: the address of a thread's variables comes from
 * the list of robust mutexes, which the kernel reports for each thread, and which is in the thread descriptor there.
 *
 * From "ELF Handling For Thread-Local Storage" (Drepper, 2013), variant II, and its TLS descriptors.
 */
#ifndef ATTACH_TLS_H
#define ATTACH_TLS_H

#include "libcpaprof/collector/read/read_stack.h"

#include <stdbool.h>
#include <stdint.h>

/* A place relative to the thread pointer, or in the block of a module. */
struct tls_variable {
	bool is_dynamic;
	int64_t offset; /* to the thread pointer; is_dynamic: in the block of the module */
	uint64_t module;
};

/* An object of a process with a dynamic section, mapped from base on. */
struct tls_object {
	struct address_space *space;
	uint32_t *n_steps;                         /* steps that searches in all objects may still take */
	uint64_t base, bias;                       /* bias: of its addresses */
	bool is_program;                           /* the executable, not a library */
	uint64_t tls_address, tls_size, tls_align; /* PT_TLS; size 0: none */
	uint64_t symbols, names, gnu_hash, hash;   /* tables; 0: none */
	uint64_t relocations[2], n_relocations[2];
};

enum { TLS_STEPS_MAX = 1 << 20 }; /* for all objects of a process: less than a second */

/*
 * Read the headers of an object that is mapped at base.
 *
 * n_steps   limit of the time of searches, initially TLS_STEPS_MAX; nothing is found any more when it is 0
 * Returns false if it is not an object that could define a thread-local variable
 */
bool attach_tls_open(struct tls_object *o, struct address_space *space, uint64_t base, bool is_program,
		     uint32_t *n_steps);

/* Find a thread-local variable that the object exports. */
bool attach_tls_find(const struct tls_object *o, const char *name, struct tls_variable *out);

/* The address of a variable of the whole process that the object exports; 0: there is none. */
uint64_t attach_tls_find_global(const struct tls_object *o, const char *name);

/* The thread pointer of a thread of a process; 0: not known. */
uint64_t attach_tls_thread_pointer(struct address_space *space, uint32_t tid);

/* The address of a variable of a thread; 0: the thread has not used it yet. */
uint64_t attach_tls_address(struct address_space *space, const struct tls_variable *v, uint64_t thread_pointer);

#endif
