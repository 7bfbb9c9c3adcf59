/*
 * matcher.h - match an expression against many texts
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_MATCHER_H
#define ENGINE_MATCHER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/regex.h"
#include "base/stop.h"

#include <stdint.h>

/* An option that is a regular expression; rx is NULL when it is not set. */
struct matcher {
	const char *option, *pattern;
	struct regex *rx;
	struct stop *stop; /* NULL until the caller sets it */
};

/*
 * Compile an expression; "" means not set.
 *
 * Fails  ERR_USAGE: "parsing OPTION regexp: ..."
 */
int matcher_init(struct matcher *m, const char *option, const char *pattern, struct err *err);
void matcher_release(struct matcher *m);

/* Return text i, of n bytes: borrowed, or written to scratch, which is empty. Called by several threads. */
typedef const char *(*matcher_text_fn)(const void *arg, uint32_t i, struct buf *scratch, size_t *n);

/*
 * Match n texts, split over threads; the result does not depend on the number of threads.
 *
 * yes    [n] bit is set where the text matches; other bits are unchanged
 * Fails  ERR_LIMIT; ERR_STOPPED, when not all texts have been matched
 */
int matcher_all(struct matcher *m, matcher_text_fn text, const void *arg, uint32_t n, uint8_t *yes, uint8_t bit,
		struct err *err);

#endif
