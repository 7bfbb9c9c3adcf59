/*
 * elfnames.h - function names from the symbol tables of mapped files
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For a program that profiles itself. dladdr is not used: the program may hold the lock of the dynamic linker, and
 * dladdr does not find static functions. Files are read, not mapped, because a mapped file that shrinks would kill the
 * program.
 */
#ifndef LIBCPAPROF_COLLECTOR_ELFNAMES_H
#define LIBCPAPROF_COLLECTOR_ELFNAMES_H

#include "libcpaprof/collector/snap.h"

struct elfnames;

/* Returns NULL if out of memory. Files are read on first use and cached until elfnames_close. */
struct elfnames *elfnames_open(void);
void elfnames_close(struct elfnames *e);

/*
 * A snap_names_fn; arg is a struct elfnames. Names are mangled symbol names, without files and lines. A file whose
 * build id differs from that of the mapping is not used.
 */
bool elfnames_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out);

#endif
