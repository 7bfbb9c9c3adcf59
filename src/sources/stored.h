/*
 * stored.h - sources store:, which are queries of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_STORED_H
#define SOURCES_STORED_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "fetch/fetch.h"
#include "profile/profile.h"
#include "report/side.h"
#include "sources/sources.h"
#include "store/window/window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the argument a source store: or release:, and not a file with that name? */
bool stored_is_source(const char *name);

/* A source with its store opened and its times resolved. */
struct stored_source {
	struct window *window;
	struct store *store;
	struct store_query query;     /* borrows from window and keep */
	const char **keep;            /* [query.n_keep] labels of the source, then those of the options */
	size_t n_own;                 /* number of labels of the source itself */
	struct arena *mem;            /* of keep */
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

/* Is it a source release:? */
bool stored_is_release(const char *name);

/*
 * Append the source store: of the pin that a source release: means.
 *
 * q      --store
 * Fails  as stored_open_place; ERR_USAGE if several services have this release, ERR_IO if there is none, with those that exist
 */
int stored_add_release(const char *source, const struct query *q, struct buf *out, struct err *err);

/*
 * Count the profiles of the sources of a side.
 *
 * mem    owns the names of versions
 * Returns false if a source is not stored, or cannot be read
 */
bool stored_find_traffic(const char *const *word, size_t n, const struct query *q, struct arena *mem,
			 struct side_traffic *out);

/* Open a store by its place, as in store:WHERE#...; "" for that of q, or the default. */
int stored_open_place(const char *where, const struct query *q, struct store **out, struct err *err);

/* Sources that share a store. */
struct stored_parts {
	struct stored_shared *shared;
	const struct stored_source *from; /* the source that is split */
	struct sources *out;
	size_t n_before; /* sources in out before the first part */
};

/*
 * Add a source with a query of the shared store. Its name is printed, so that a user can read it again.
 *
 * q        its last match, with its value, is owned by the source from now on if the matches are not those of from
 * is_part  one of several, which is not split again
 */
void stored_add_part(const struct stored_parts *to, const struct store_query *q, bool is_part);

/* Add the parts of a source; none if it is not to be split. */
int stored_split_runs(const struct stored_parts *to, struct stop *stop, struct err *err);
int stored_split_steps(const struct stored_parts *to, struct stop *stop, struct err *err);

/*
 * The span of a query, whose times may be open.
 *
 * Returns false if it has no profiles
 */
bool stored_span(const struct stored_source *s, struct stop *stop, int64_t *t0, int64_t *t1);

/* The step for a span: +step=D, else the longest usual step that gives at least 12. */
int64_t stored_step(const struct window *w, int64_t t0, int64_t t1);

/*
 * See struct source_type. A source is one or several if a command compares runs or steps; on a collector (store:https://...)
 * it becomes a URL. A line that says what was read is appended to the notes and to the comments of the profile.
 *
 * Fails    as store_read; missing lines are notes if the source has +partial
 */
source_resolve_fn stored_resolve;
source_read_fn stored_read;
void stored_free(void *state);

/*
 * Is a source a part of a store with a window?
 *
 * t0, t1  set to the window if it is
 */
bool stored_window(const struct source *s, int64_t *t0, int64_t *t1);

/*
 * Do two lists of sources cover mostly different hours of the day? Sources with times that are open, and files, cover all.
 */
bool stored_differ_in_hours(const struct sources *a, const struct sources *b);

/*
 * Append to the error "nothing of SERVICE" of store_read whether a collector runs on the store, and when its next profile of
 * the service and kind is due, if the window extends to the present.
 *
 * Returns the code of err
 */
int stored_explain_nothing(const struct stored_source *s, struct err *err);

/*
 * Append a note if counters are 0 because each series has had one snapshot: their increase needs two.
 *
 * types             names of the counters
 * profiles, series  their numbers in the window
 */
void stored_note_young(const struct stored_source *s, const char *types, uint64_t profiles, uint64_t series,
		       struct buf *notes);

/* The same for a profile that was read, if the type that is shown is such a counter. */
void stored_note_young_profile(const struct stored_source *s, const struct store_sum *sum, const struct profile *p,
			       const char *sample_index, struct buf *notes);

#endif
