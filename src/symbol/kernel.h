/*
 * kernel.h - the kernel and its modules
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_KERNEL_H
#define SYMBOL_KERNEL_H

#include "base/buf.h"
#include "base/err.h"
#include "symbol/object.h"
#include "symbol/where.h"

#include <stdbool.h>

/* Is it how profiles name the kernel, "[kernel.kallsyms]_text", or a module, "[ext4]"? */
bool kernel_is_name(const char *file);

/*
 * Open the kernel of a profile, or a module: its file with DWARF, of this release of the system, if
 * it has the build id; else, when it is the one that is running, the symbols it shows.
 *
 * tried   NULL, or gets a line for each place
 * Fails   ERR_UNKNOWN
 */
int kernel_open(const char *file, const char *build_id, const struct symbol_where *w, struct buf *tried,
		struct object **out, struct err *err);

/* The symbols of a kernel as /proc/kallsyms spells them; a line that is not so spelt is left out. */
struct object *kernel_symbols(const char *text, size_t n, const char *build_id);

#endif
