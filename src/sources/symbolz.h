/*
 * symbolz.h - look up names on the server that sent the profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SYMBOLZ_H
#define SOURCES_SYMBOLZ_H

#include "sources/read.h"
#include "base/buf.h"
#include "base/err.h"
#include "fetch/url.h"
#include "profile/profile.h"

#include <stdbool.h>

/* Was any source of these loads fetched, so that its server can be queried? */
bool symbolz_is_available(const struct source_set *target, const struct source_set *base);

/*
 * Look up the names of addresses without lines on the servers that their mappings came from, with /debug/pprof/symbol
 * or /symbolz. Does nothing if no profile was fetched or all addresses have names. The names are not demangled.
 *
 * target, base  the loads that p came from
 * force         also query about mappings that are marked as symbolized
 * notes         messages for the user are appended
 * Fails         when a server does not respond, naming its URL; earlier mappings retain their new names
 * Like          pprof internal/symbolz Symbolize, but also accepts a last line without newline
 */
int symbolz_run(struct profile *p, const struct source_set *target, const struct source_set *base, bool force,
		struct buf *notes, struct err *err);

/* The URL to query for the names of a profile that came from u; released with url_release.
   Like pprof internal/symbolz symbolz. */
void symbolz_url(const struct url *u, struct url *out);

#endif
