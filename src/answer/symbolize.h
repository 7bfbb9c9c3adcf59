/*
 * symbolize.h - names for a loaded profile, from where -symbolize says
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

/* What -symbolize says. */
struct symbolize_mode {
	bool none;          /* neither look up nor demangle */
	bool local, remote; /* look into binaries, then ask servers */
	bool fast;          /* of binaries, symbol tables only */
	bool force;         /* what has names too */
	enum demangle_mode demangle;
};

/*
 * Read the value of -symbolize.
 *
 * notes   a line is appended for words that it does not have
 * Like    pprof internal/symbolizer Symbolize
 */
struct symbolize_mode answer_symbolize_mode(const char *text, struct buf *notes);

/*
 * Give the profile names where it has addresses alone, and demangle them.
 *
 * p            the loader's alone
 * target, base what it was loaded from; what the user should know of it is appended to target->told
 * Fails        ERR_LIMIT; or when a server does not answer
 */
int answer_symbolize(struct profile *p, struct load *target, const struct load *base, struct err *err);

#endif
