/*
 * loaded.h - load a profile from the names of its sources
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All front ends load with answer_load: the command line once, shells repeatedly. Nothing is printed here;
 * messages and progress are passed to the callbacks of a struct load_events.
 */
#ifndef ANSWER_LOADED_H
#define ANSWER_LOADED_H

#include "answer/load.h"
#include "answer/remote.h"
#include "answer/sources.h"
#include "base/buf.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/io.h"
#include "base/stop.h"
#include "profile/profile.h"
#include "report/side.h"

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

struct loaded {
	struct profile *profile; /* sealed; NULL if no source was given */
	struct profile *sides; /* the profile with separate samples of the base, for flame graphs; NULL without a base.
				    It lives longer than profile, which borrows from it. */
	struct side_sources from[N_SIDES]; /* the sources that were read */
	struct query *q;                   /* of the loads: that of the request, with its stop */
	struct load load[N_SIDES];
	struct sources source[N_SIDES]; /* names from the request, with patterns expanded */
	struct remote *remote;          /* fetched sources; NULL: none */
};

/*
 * Find, fetch and read the sources, subtract the bases, look up names, drop frames. Save fetched profiles.
 *
 * out     released with loaded_release, also after a failure
 * Fails   ERR_USAGE for sources that cannot be combined; ERR_IO; as compare_load; ERR_STOPPED
 */
int answer_load(const struct load_request *r, struct loaded *out, struct err *err);

/*
 * Load a profile whose content is in memory. Only local binaries and debug files are searched for names.
 *
 * data    consumed
 * name    shown in messages; it is never opened
 * q       must outlive out
 * stop    NULL: cannot be stopped
 * Fails   as compare_load
 */
int answer_load_data(struct bytes *data, const char *name, const struct query *q, struct stop *stop, struct loaded *out,
		     struct err *err);
void loaded_release(struct loaded *l);

/* Is a source on a server, so that reloading may return new data? Bases are ignored. */
bool answer_can_reload(const struct load_request *r);

/*
 * Fetch the sources on servers, of n lists, in parallel.
 *
 * s       [n] names may change, see remote_add
 * events  as in struct load_request
 * out     NULL if all are files; freed with remote_free, after the last use of s
 * Fails   ERR_USAGE for invalid URLs. A source that could not be fetched fails later, when it is loaded.
 */
int answer_fetch(struct sources *s, size_t n, const struct query *q, const struct load_events *events,
		 struct remote **out, struct err *err);

/* Pass each line to the note callback; skip a line that equals the previous one. */
void load_events_notes(const struct load_events *e, const struct buf *notes);

/* Report the notes of a load: sources that could not be read, and messages about names. */
void load_events_report(const struct load_events *e, const struct load *l);

/* Report an error message. */
void load_events_error(const struct load_events *e, const char *sentence);

/* Report that a step which can take a long time has started; NULL: that it has ended. */
void load_events_step(const struct load_events *e, const char *what);

#endif
