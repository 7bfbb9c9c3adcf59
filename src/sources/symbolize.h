/*
 * symbolize.h - look up names for a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SYMBOLIZE_H
#define SOURCES_SYMBOLIZE_H

#include "base/buf.h"
#include "base/err.h"
#include "fetch/url.h"
#include "profile/profile.h"
#include "sources/read.h"
#include "symbol/demangle/demangle.h"

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
 * new, base     the loads that p came from; messages for the user are appended to new->info
 * Fails         ERR_LIMIT; or when a server does not respond
 */
int sources_symbolize(struct profile *p, struct source_set *new, const struct source_set *base, struct err *err);

/* ---- names from servers, symbolz.c ---- */

/* Was any source of these loads fetched, so that its server can be queried? */
bool symbolz_is_available(const struct source_set *new, const struct source_set *base);

/*
 * Look up the names of addresses without lines on the servers that their mappings came from, with /debug/pprof/symbol
 * or /symbolz. Does nothing if no profile was fetched or all addresses have names. The names are not demangled.
 *
 * new, base     the loads that p came from
 * force         also query about mappings that are marked as symbolized
 * notes         messages for the user are appended
 * Fails         when a server does not respond, naming its URL; earlier mappings retain their new names
 * Like          pprof internal/symbolz Symbolize, but also accepts a last line without newline
 */
int symbolz_run(struct profile *p, const struct source_set *new, const struct source_set *base, bool force,
		struct buf *notes, struct err *err);

/* The URL to query for the names of a profile that came from u; released with url_release.
   Like pprof internal/symbolz symbolz. */
void symbolz_url(const struct url *u, struct url *out);

#endif
