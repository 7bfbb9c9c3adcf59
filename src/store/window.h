/*
 * window.h - the sources store:SELECTOR@WINDOW
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	store:[WHERE#]SERVICE[/KIND][{MATCH,...}][@WINDOW][+OPTION[=VALUE]]...
 */
#ifndef STORE_WINDOW_H
#define STORE_WINDOW_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window; /* opaque: the parsed text; times may be relative */

/* Does the argument name a store? "store:" followed by digits alone, or by digits and a slash, is a host named store. */
bool window_is_source(const char *arg);

/* Parse. Fails with ERR_USAGE: what is wrong, and at which character. */
int window_parse(const char *text, struct window **out, struct err *err);
void window_free(struct window *w);

/* The directory or server; "" for the default. */
const char *window_where(const struct window *w);

/* Value of +OPTION; NULL if it is not given. */
const char *window_option(const struct window *w, const char *name);

/* A time of the last mark, for deploy and deploy:VERSION. Returns false if there is none. */
typedef bool window_mark_fn(void *arg, const char *service, const char *version, int64_t *time_ns);

struct window_clock {
	int64_t now_ns;
	window_mark_fn *mark;
	void *arg;
};

/*
 * The query, with absolute times. It borrows from w. Times without a zone are local.
 *
 * Fails  ERR_USAGE: "store:shop@deploy: shop has no deploy mark"
 */
int window_resolve(struct window *w, const struct window_clock *clock, struct store_query *out, struct err *err);

/* Append the canonical source, with absolute times in UTC; of a part of the window if t0 < t1, with more options. */
void window_print(const struct window *w, const struct store_query *q, struct buf *out);

/* Append a time: "2026-11-22T14:00:00Z", with fractions only if there are any. */
void window_print_time(int64_t ns, struct buf *out);

#endif
