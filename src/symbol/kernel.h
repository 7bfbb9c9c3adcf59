/*
 * kernel.h - the kernel, its modules, and the vDSO, the library that it maps into every process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_KERNEL_H
#define SYMBOL_KERNEL_H

#include "base/buf.h"
#include "base/err.h"
#include "symbol/object.h"
#include "symbol/options.h"

#include <stdbool.h>

/* Do profiles use this name for the kernel, such as "[kernel.kallsyms]_text", or for a module, such as "[ext4]"? */
bool kernel_is_name(const char *file);

/*
 * Open the kernel of a profile, or a module: a file of this kernel release with DWARF, if its build id matches;
 * otherwise the symbols that perf has saved, or those in /proc/kallsyms if it is the running kernel. If the options name
 * a file of symbols, that one only. Without a build id, the kernel is the running one if its code has the size of the
 * mapping.
 *
 * size    bytes of the mapping, from the symbol in its name; 0: unknown
 * tried   a line is appended per path; may be NULL
 * Fails   ERR_UNKNOWN
 */
int kernel_open(const char *file, const char *build_id, uint64_t size, const struct symbol_options *w,
		struct buf *tried, struct object **out, struct err *err);

/*
 * Read kernel symbols in the format of /proc/kallsyms. Malformed lines are skipped.
 *
 * file    name of the mapping; the symbol in it, by default _stext, shows how far a profile from before a restart of the
 *         machine is shifted
 */
struct object *kernel_symbols(const char *text, size_t n, const char *build_id, const char *file);

/* Do profiles use this name for the vDSO: "[vdso]", "linux-vdso.so.1"? */
bool vdso_is_name(const char *file);

/*
 * Open the vDSO of this process, or one that perf has saved, if it has this build id.
 *
 * Fails   ERR_UNKNOWN when its build id differs, or build_id is ""
 */
int vdso_open(const char *build_id, const struct symbol_options *w, struct buf *tried, struct object **out,
	      struct err *err);

#endif
