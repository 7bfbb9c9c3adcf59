/*
 * symbolize.h - names and lines for the addresses of a profile, from binaries of this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_SYMBOLIZE_H
#define SYMBOL_SYMBOLIZE_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "symbol/where.h"

#include <stdbool.h>
#include <stdint.h>

/* What was looked up and found; zero-initialised, released with symbolized_release. */
struct symbolized {
	uint32_t n_addresses, n_named; /* locations of mappings that needed names */
	uint32_t n_nowhere; /* those of them that no binary has: the mapping has no file, and is not the first */
	uint32_t n_binaries, n_found; /* such mappings of binaries */
	struct buf missing;           /* a line for each that was not found or has no names, with the reason */
	struct buf tried;             /* lines about each mapping, when asked for */
};

void symbolized_release(struct symbolized *s);

/* Is there an address without a name that a binary could have? Then nothing has been opened yet. */
bool symbolize_needed(const struct profile *p, bool force);

/*
 * Give locations the functions and lines that DWARF and symbol tables tell. Mappings that have names
 * are left alone, as are those that no file stands behind; of the vdso and the kernel nothing is said
 * when they have none.
 *
 * p        the loader's alone; names are those of the linker
 * force    look up mappings too that have names
 * tell     fill out->tried
 * out      filled, for a failure too
 * Fails    ERR_LIMIT when the profile grows too large; ERR_STOPPED between two mappings
 * Like     pprof internal/symbolizer doLocalSymbolize; but a mapping whose locations all have names
 *          counts as one that says so, and the mapping that stands for a profile without any is taken
 *          for all of memory, so that it can have a binary
 */
int symbolize_local(struct profile *p, const struct symbol_where *w, bool force, bool tell, struct symbolized *out,
		    struct err *err);

#endif
