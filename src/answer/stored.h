/*
 * stored.h - sources store:, which are queries of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_STORED_H
#define ANSWER_STORED_H

#include "base/buf.h"
#include "base/err.h"
#include "base/string_list.h"
#include "fetch/fetch.h"
#include "profile/profile.h"
#include "store/window/window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct query;

/* The sources into which a command needs its arguments split. */
enum stored_split {
	SPLIT_NONE, /* one profile */
	SPLIT_RUNS, /* independent runs: instances, else slices of time */
	SPLIT_STEPS /* equal steps of time */
};

/* Is the argument a source store:, and not a file with that name? */
bool stored_is_source(const char *name);

/* A source with its store opened and its times resolved. */
struct stored_source {
	struct window *window;
	struct store *store;
	struct store_query query;     /* borrows from window and keep */
	const char **keep;            /* labels of the source, then those of the options */
	size_t n_own;                 /* number of labels of the source itself */
	char *names;                  /* memory of keep */
	struct fetch_options options; /* of requests to where */
	char *where;                  /* the store: a directory or URL, "" for the default */
};

/*
 * Open the store of a source.
 *
 * q      --store, and the options that name labels, which are kept
 * out    released with stored_close, also after a failure
 * Fails  ERR_USAGE; ERR_IO when there is no store
 */
int stored_open(const char *source, const struct query *q, struct stored_source *out, struct err *err);
void stored_close(struct stored_source *s);

/* Open a store by its place, as in store:WHERE#...; "" for the default. */
int stored_open_place(const char *where, const struct query *q, struct store **out, struct err *err);

/*
 * Append the canonical sources of an argument: one, or several if a command compares runs or steps. A source on a collector
 * (store:https://...) becomes a URL.
 */
int stored_expand(const char *source, enum stored_split split, const struct query *q, struct string_list *out,
		  struct err *err);

/* Append sources as stored_expand does, for runs and steps. */
int stored_split_runs(const struct stored_source *s, struct stop *stop, struct string_list *out, struct err *err);
int stored_split_steps(const struct stored_source *s, struct stop *stop, struct string_list *out, struct err *err);

/*
 * The span of a query, whose times may be open.
 *
 * Returns false if it has no profiles
 */
bool stored_span(const struct stored_source *s, struct stop *stop, int64_t *t0, int64_t *t1);

/* The step for a span: +step=D, else the longest usual step that gives at least 12. */
int64_t stored_step(const struct window *w, int64_t t0, int64_t t1);

/*
 * Read a source. A line that says what was read is appended to notes and to the comments of the profile.
 *
 * missing  lines that say what the profile lacks are appended, unless the source has +partial
 * Fails    as store_read; the message names the source
 */
int stored_read(const char *source, const struct query *q, struct profile **out, struct buf *notes, struct buf *missing,
		struct err *err);

/*
 * Do two lists of sources cover mostly different hours of the day? Sources with times that are open, and files, cover all.
 */
bool stored_differ_in_hours(const char *const *a, size_t n_a, const char *const *b, size_t n_b);

#endif
