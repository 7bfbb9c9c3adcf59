/*
 * reload.h - load anew what a command line names
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For sessions that go on while a server does: nothing is printed, and another thread may end it. That thread
 * can also ask the stop what is being done (stop_percent): while a server collects, how much of the time is over.
 */
#ifndef ANSWER_RELOAD_H
#define ANSWER_RELOAD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "engine/query.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* All is borrowed. */
struct again {
	const struct query *q;
	const char *const *word; /* [n_words] of the command line: a binary, files, patterns, URLs */
	size_t n_words;
	const char *const *base; /* [n_bases] likewise of -base or -diff_base; NULL for the target alone */
	size_t n_bases;
	struct stop *stop; /* counts instead of q's; NULL: never */
};

/* Is a source on a server, so that it may have changed? The bases do not count, nor does what is no URL. */
bool again_can(const struct again *a);

/*
 * Fetch and read the sources, look up names, drop frames: as compare_load. All of them have to be there.
 *
 * out     sealed, the caller's; it borrows nothing but from apart
 * apart   NULL, or as in compare_load_apart; the caller's
 * notes   lines for the user are appended
 * Fails   ERR_USAGE for standard input, which cannot be read again; as compare_load; when any source fails, with
 *         its sentence; ERR_STOPPED
 */
int again_load(const struct again *a, struct profile **out, struct profile **apart, struct buf *notes, struct err *err);

#endif
