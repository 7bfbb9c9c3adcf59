/*
 * symbolize.h - add names and lines to the addresses of a profile, from local binaries
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_SYMBOLIZE_H
#define SYMBOL_SYMBOLIZE_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "symbol/options.h"

#include <stdbool.h>
#include <stdint.h>

/* Counts and messages; zero-initialised, released with symbolize_result_release. */
struct symbolize_result {
	uint32_t n_addresses, n_named; /* number of locations that needed names, and of those with names found */
	uint32_t n_without_binary;     /* part of n_addresses: the mapping has no file and is not the first */
	uint32_t n_binaries, n_found;  /* number of mappings that needed names, and of those with names found */
	struct buf missing;            /* a line, with the reason, for each binary without names or not found */
	struct buf partial; /* a line for each binary of which a part of the debug information was not read */
	struct buf tried;   /* lines about each mapping, if wants_tried */
};

void symbolize_result_release(struct symbolize_result *s);

/* Does an address lack a name that a binary could provide? No file is opened. */
bool symbolize_needed(const struct profile *p, bool force);

/*
 * Add functions and lines from DWARF and symbol tables to locations. Mappings that already have function names are
 * skipped, and so are mappings without a file. If nothing is found for the vdso or the kernel, this is not reported.
 *
 * p        not yet shared: only its loader uses it; receives the linker's names
 * force    also look up mappings that already have function names
 * wants_tried  fill in out->tried
 * out      filled in, also on failure
 * Fails    ERR_LIMIT when the profile grows too large; ERR_STOPPED between two mappings
 * Like     pprof internal/symbolizer doLocalSymbolize; but a mapping whose locations all have names counts as one with
 *          names, and the mapping made up for a profile without mappings covers all of memory, so that it can have a
 *          binary
 */
int symbolize_local(struct profile *p, const struct symbol_options *w, bool force, bool wants_tried,
		    struct symbolize_result *out, struct err *err);

/* Like symbolize_local, but only for the kernel: it may be loaded elsewhere after a restart, or be another one. */
int symbolize_kernel(struct profile *p, const struct symbol_options *w, struct err *err);

#endif
