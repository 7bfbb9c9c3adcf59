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
#include <stdint.h>

struct window; /* opaque: the parsed text; times may be relative */

/* Does the argument name a store? "store:" followed by digits alone, or by digits and a slash, is a host named store. */
bool window_is_source(const char *arg);

/* Parse. Fails with ERR_USAGE: what is wrong, and at which character. */
int window_parse(const char *text, struct window **out, struct err *err);
void window_free(struct window *w);

/* The directory or server, "" for the default; the kind, "" if none is given; is there a WINDOW? */
const char *window_where(const struct window *w);
const char *window_service(const struct window *w); /* with * and ? for several */
const char *window_kind(const struct window *w);
bool window_has_time(const struct window *w);

/* The argument as it was given. */
const char *window_text(const struct window *w);

/* Value of +OPTION; NULL if it is not given. */
const char *window_option(const struct window *w, const char *name);

/* The time of the last deploy mark of a service; of a version if that is not "". Returns false if there is none. */
typedef bool window_mark_fn(void *arg, const char *service, const char *version, int64_t *time_ns);

/* The start of the first profile of a query, whatever its times. Returns false if there is none. */
typedef bool window_first_fn(void *arg, const struct store_query *q, int64_t *time_ns);

struct window_clock {
	int64_t now_ns;
	window_mark_fn *mark;
	window_first_fn *first; /* NULL: without a WINDOW, {version=...} means all times */
	void *arg;              /* of both */
};

/*
 * A moment T as in a WINDOW: "2026-11-22T14:00Z", "yesterday 14:23", "now-2h".
 *
 * Fails  ERR_USAGE
 */
int window_parse_moment(const char *text, const struct window_clock *clock, int64_t *out, struct err *err);

/* Compile the value of a match, for all of a label. m->regex is freed with regex_free. */
int window_compile_match(struct label_match *m, struct err *err);

/* The clock of this machine, with the marks and series of a store. */
void window_clock_init(struct store *s, struct window_clock *out);

/*
 * The query, with absolute times. It borrows from w. Times without a zone are local. "now" is rounded up to a second.
 *
 * Without a WINDOW it is the last hour, or the first 24 hours of a version if there is a match version=VALUE.
 *
 * Fails  ERR_USAGE: "store:shop@deploy: shop has no deploy mark"
 */
int window_resolve(struct window *w, const struct window_clock *clock, struct store_query *out, struct err *err);

/*
 * Append the canonical source of a query: that of w, or one derived from it with other times, matches or labels to keep.
 * Times are absolute and in UTC. The options step and runs are omitted.
 */
void window_print(const struct window *w, const struct store_query *q, struct buf *out);

#endif
