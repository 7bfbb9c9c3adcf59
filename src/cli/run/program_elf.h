/*
 * program_elf.h - what an executable file says of itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RUN_PROGRAM_ELF_H
#define CLI_RUN_PROGRAM_ELF_H

#include <stdbool.h>

enum { PROGRAM_LOADER_MAX = 256 };

struct program_elf {
	unsigned bits, order, machine;   /* of e_ident and e_machine */
	char loader[PROGRAM_LOADER_MAX]; /* what it is loaded by; "" for a static program */
	bool asan_library;     /* it needs the library of the address sanitizer, which wants to be the first */
	const char *sanitizer; /* "address", "thread", "memory", "leak": it was built with that; or NULL */
	bool has_malloc;       /* it brings a malloc of its own, which is taken before any library's */
	bool is_go;
};

/*
 * Read an ELF file. What is damaged or missing is as if it were not there.
 *
 * Gives   false when it is no ELF file
 */
bool program_elf_read(int fd, struct program_elf *out);

#endif
