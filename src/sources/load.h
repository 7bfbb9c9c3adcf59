/*
 * load.h - load a profile from the names of its sources
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All front ends load with sources_load: the command line once, shells repeatedly. Nothing is printed here;
 * messages and progress are passed to the callbacks of a struct load_events.
 */
#ifndef SOURCES_LOAD_H
#define SOURCES_LOAD_H

#include "base/buf.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/io.h"
#include "base/stop.h"
#include "profile/profile.h"
#include "report/side.h"
#include "sources/read.h"
#include "sources/remote.h"
#include "sources/sources.h"

#include <stdbool.h>
#include <stddef.h>

/* Callbacks of a front end while sources are loaded. Each may be NULL. All except progress are called by the loading
   thread. */
struct load_events {
	void *arg;
	/* A step that can take a long time starts, such as "reading"; NULL: the step has ended. */
	void (*step)(void *arg, const char *what);
	/* Number of sources read and merged so far; called by any thread, but not concurrently. */
	void (*progress)(size_t done, size_t n);
	/* A line for the user. is_error: the line reports an error or a missing source. */
	void (*note)(void *arg, bool is_error, const char *line, size_t n);
	/* Fetch the sources of r with remote_fetch. NULL: the default, which reports no progress and stops on q->stop. */
	void (*fetch)(void *arg, struct remote *r, const struct query *q, struct buf *notes);
};

/* Sources as given on a command line. Everything is borrowed. */
struct load_request {
	const struct query *q;
	const char *const *word; /* [n_words] a binary, files, patterns, URLs */
	size_t n_words;
	const char *const *base; /* [n_bases] files, patterns, URLs of -base or -diff_base; NULL for none */
	size_t n_bases;
	bool keep_sides;   /* also load the profile in which the samples of the base are separate */
	bool add_sources;  /* add source lines to the profile */
	bool is_reload;    /* fail if any source is unreadable or is standard input; save nothing */
	struct stop *stop; /* replaces q->stop; NULL: use q->stop */
	const struct load_events *events;
};

struct load_result {
	struct profile *profile; /* sealed; NULL if no source was given */
	struct profile *sides; /* the profile with separate samples of the base, for flame graphs; NULL without a base.
				    It lives longer than profile, which borrows from it. */
	struct side_sources from[N_SIDES]; /* the sources that were read */
	struct query *q;                   /* of the sets: that of the request, with its stop */
	struct source_set set[N_SIDES];
	struct sources source[N_SIDES]; /* names from the request, with patterns expanded */
	struct remote *remote;          /* fetched sources; NULL: none */
};

/*
 * Find, fetch and read the sources, subtract the bases, look up names, drop frames. Save fetched profiles.
 *
 * out     released with load_result_release, also after a failure
 * Fails   ERR_USAGE for sources that cannot be combined; ERR_IO; as sides_read; ERR_STOPPED
 */
int sources_load(const struct load_request *r, struct load_result *out, struct err *err);

/*
 * Load a profile whose content is in memory. Only local binaries and debug files are searched for names.
 *
 * data    consumed
 * name    shown in messages; it is never opened
 * q       must outlive out
 * stop    NULL: cannot be stopped
 * Fails   as sides_read
 */
int sources_load_data(struct bytes *data, const char *name, const struct query *q, struct stop *stop,
		      struct load_result *out, struct err *err);
void load_result_release(struct load_result *l);

/* Is a source on a server, so that reloading may return new data? Bases are ignored. */
bool sources_can_reload(const struct load_request *r);

/*
 * Fetch the sources on servers and sample those that are processes, of n lists, in parallel.
 *
 * events  as in struct load_request
 * Returns NULL if there are none; freed with remote_free. A source that could not be fetched fails later, when it is read.
 */
struct remote *sources_fetch(const struct sources *s, size_t n, const struct query *q,
			     const struct load_events *events);

/* Pass each line to the note callback; skip a line that equals the previous one. */
void load_events_notes(const struct load_events *e, const struct buf *notes);

/* One profile, read from one source or merged from several. */
struct source_run {
	struct source_set set;
	struct profile *profile; /* NULL if it could not be read */
	struct err err;          /* the reason */
};

/* Load n items in parallel, and save the profiles that were fetched. */
void sources_runs_read(struct source_run *item, size_t n, const struct load_events *events);

/*
 * Pass the notes of an item to events; each line names its source.
 *
 * Fails   when there is no profile. If only some of its sources are missing, set.n_failed counts them.
 */
int sources_run_report(const struct source_run *item, const struct load_events *events, struct err *err);

/* Called with a profile and its only source. Fails to end the reading. */
typedef int source_run_fn(void *arg, const struct source_run *run, struct err *err);

/*
 * Read each source as a profile of its own and pass it on, in order. Several are read in parallel, and few are in memory at
 * once. One that cannot be read is reported to events and skipped.
 *
 * remote    fetched sources (sources_fetch); NULL: none
 * n_failed  set to the number of profiles that could not be read, or only in part
 * Fails     as fn
 */
int sources_runs_each(const struct sources *s, struct remote *remote, const struct query *q,
		      const struct load_events *events, source_run_fn *fn, void *arg, size_t *n_failed,
		      struct err *err);

/* Free the profile and the notes. */
void sources_run_release(struct source_run *item);

/* Report the notes of a set: sources that could not be read, and messages about names. */
void load_events_report(const struct load_events *e, const struct source_set *l);

#endif
