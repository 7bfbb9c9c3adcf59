/*
 * symbolize.h - look up names for a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SYMBOLIZE_H
#define ANSWER_SYMBOLIZE_H

#include "answer/load.h"
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
struct symbolize_mode answer_symbolize_mode(const char *text, struct buf *notes);

/*
 * Look up names of addresses that have none, and demangle names.
 *
 * p             owned by the loader, not shared yet
 * new, base  the loads that p came from; messages for the user are appended to new->info
 * Fails         ERR_LIMIT; or when a server does not respond
 */
int answer_symbolize(struct profile *p, struct load *new, const struct load *base, struct err *err);

#endif
