/*
 * symbolize.h - look up names for a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SYMBOLIZE_H
#define SOURCES_SYMBOLIZE_H

#include "sources/read.h"
#include "base/err.h"
#include "profile/profile.h"
#include "symbol/demangle.h"

#include <stdbool.h>

/* The value of -symbolize, parsed. */
struct symbolize_mode {
	bool none;          /* neither look up nor demangle */
	bool local, remote; /* local: read binaries; remote: query servers */
	bool fast;          /* read only the symbol tables of binaries */
	bool force;         /* also replace existing names */
	enum demangle_mode demangle;
};

/*
 * Parse the value of -symbolize.
 *
 * notes   a line is appended for each unknown word
 * Like    pprof internal/symbolizer Symbolize
 */
struct symbolize_mode sources_symbolize_mode(const char *text, struct buf *notes);

/*
 * Look up names of addresses that have none, and demangle names.
 *
 * p             owned by the loader, not shared yet
 * target, base  the loads that p came from; messages for the user are appended to target->info
 * Fails         ERR_LIMIT; or when a server does not respond
 */
int sources_symbolize(struct profile *p, struct source_set *target, const struct source_set *base, struct err *err);

#endif
