/*
 * symbolz.h - names from the server that a profile was fetched from
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

/* Is there a server that could be asked for names: was any source of these loads fetched? */
bool symbolz_can(const struct load *target, const struct load *base);

/*
 * Ask the servers that mappings came from for the names of addresses without lines: with
 * /debug/pprof/symbol, or /symbolz. Nothing where nothing was fetched or everything has names.
 * The names are as the server gives them, not demangled.
 *
 * target, base  what p was loaded from
 * force         ask for mappings too that have functions
 * notes         a line is appended for what the user should know
 * Fails         when a server does not answer, naming its URL; mappings before have their names
 * Like          pprof internal/symbolz Symbolize, but a last line without an end counts too
 */
int symbolz_run(struct profile *p, const struct load *target, const struct load *base, bool force, struct buf *notes,
		struct err *err);

/* The URL to ask for names of what came from u; released with url_release.
   Like pprof internal/symbolz symbolz. */
void symbolz_url(const struct url *u, struct url *out);

#endif
