/*
 * elfnames.h - names of functions, out of the symbol tables of mapped files
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For a program that profiles itself. The dynamic linker is not asked, whose lock the program may hold, and
 * which does not know static functions. Files are read, not mapped: one that shrinks would end the program.
 */
#ifndef LIBCPAPROF_COLLECTOR_ELFNAMES_H
#define LIBCPAPROF_COLLECTOR_ELFNAMES_H

#include "libcpaprof/collector/snap.h"

struct elfnames;

/* NULL when there is no memory. Nothing is read yet; what is read is kept up to elfnames_close. */
struct elfnames *elfnames_open(void);
void elfnames_close(struct elfnames *e);

/*
 * A snap_names_fn; arg: a struct elfnames. Names are those of the linker; there are no files and lines. A file
 * that is not the one that was mapped, by its build id, has no names.
 */
bool elfnames_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out);

#endif
