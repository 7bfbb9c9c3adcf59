/*
 * symbolz.h - look up names on the server that sent the profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SYMBOLZ_H
#define ANSWER_SYMBOLZ_H

#include "answer/load.h"
#include "base/buf.h"
#include "base/err.h"
#include "fetch/url.h"
#include "profile/profile.h"

#include <stdbool.h>

/* Was any source of these loads fetched, so that its server can be queried? */
bool symbolz_is_available(const struct load *new, const struct load *base);

/*
 * Look up the names of addresses without lines on the servers that their mappings came from, with /debug/pprof/symbol
 * or /symbolz. Does nothing if no profile was fetched or all addresses have names. The names are not demangled.
 *
 * new, base  the loads that p came from
 * force         also query about mappings that are marked as symbolized
 * notes         messages for the user are appended
 * Fails         when a server does not respond, naming its URL; earlier mappings retain their new names
 * Like          pprof internal/symbolz Symbolize, but also accepts a last line without newline
 */
int symbolz_run(struct profile *p, const struct load *new, const struct load *base, bool force, struct buf *notes,
		struct err *err);

/* The URL to query for the names of a profile that came from u; released with url_release.
   Like pprof internal/symbolz symbolz. */
void symbolz_url(const struct url *u, struct url *out);

#endif
