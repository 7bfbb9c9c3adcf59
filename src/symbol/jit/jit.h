/*
 * jit.h - names of code that a program generated at run time, from perf maps and jitdumps
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A perf map (/tmp/perf-PID.map) has a line for each function: start and size in hexadecimal, then its name. A jitdump
 * (jit-PID.dump) has a binary record for each. Programs only append to them, so where functions overlap, the last one
 * in the file is the newest, and its name counts. Samples have no times here: a sample of older code at the same address
 * gets the newer name.
 *
 * The files are written by other programs, possibly at this moment, and may contain anything. Source lines of jitdumps
 * (JIT_CODE_DEBUG_INFO) are not read: Node 20 writes freed memory instead of file names there, and its function names
 * contain file and line anyway.
 */
#ifndef SYMBOL_JIT_JIT_H
#define SYMBOL_JIT_JIT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct jit;

/* A function. Texts are valid until jit_free. */
struct jit_name {
	const char *function; /* valid UTF-8 without control characters */
	uint64_t offset;      /* offset of the address into the function */
};

/*
 * Prepare a lookup of addresses. Only functions that contain one of them are kept, so memory does not depend on the
 * size of the files.
 *
 * addr    [n] in any order; copied
 */
struct jit *jit_new(const uint64_t *addr, size_t n);

/* Takes NULL. */
void jit_free(struct jit *j);

/*
 * Read a perf map or a jitdump; functions in it replace those of earlier files. Lines without the form "START SIZE NAME"
 * are skipped, and so is an incomplete record at the end.
 *
 * f       a file or memory that supports fseeko, at its start
 * Fails   ERR_FORMAT for a damaged jitdump, or one of a machine with the other byte order; ERR_LIMIT for too many bytes
 *         or functions; ERR_IO. The names found before the failure remain
 * From    tools/perf/Documentation/jitdump-specification.txt of Linux, and jit-interface.txt
 */
int jit_read(struct jit *j, FILE *f, struct err *err);

/* Get the function at one of the addresses of jit_new. Returns false if it has no name. */
bool jit_find(const struct jit *j, uint64_t addr, struct jit_name *out);

/* Count the addresses that have a name. */
size_t jit_count(const struct jit *j);

#endif
