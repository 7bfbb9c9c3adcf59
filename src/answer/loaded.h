/*
 * loaded.h - the one way from the names of sources to a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every front end loads with answer_load: the command line once, shells again and again. Nothing is printed here;
 * what the user should see meanwhile goes to the callbacks of a struct load_events.
 */
#ifndef ANSWER_LOADED_H
#define ANSWER_LOADED_H

#include "answer/load.h"
#include "answer/remote.h"
#include "answer/sources.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "engine/query.h"
#include "profile/profile.h"
#include "report/side.h"

#include <stdbool.h>
#include <stddef.h>

/* What a front end does while sources are loaded. Each may be NULL; all are called by the loading thread but progress. */
struct load_events {
	void *arg;
	/* Something that may take long begins, "reading"; NULL: it has ended. */
	void (*step)(void *arg, const char *what);
	/* So many of n sources have been read and added; by any thread, but not by two at once. */
	void (*progress)(size_t done, size_t n);
	/* A line for the user. is_error: a source is missing from the result. */
	void (*note)(void *arg, bool is_error, const char *line, size_t n);
	/* Fetch what r has to fetch, with remote_fetch; NULL: without progress, until the stop of the query is set. */
	void (*fetch)(void *arg, struct remote *r, const struct query *q, struct buf *notes);
};

/* Sources as a command line names them. All is borrowed. */
struct load_request {
	const struct query *q;
	const char *const *word; /* [n_words] a binary, files, patterns, URLs */
	size_t n_words;
	const char *const *base; /* [n_bases] likewise, of -base or -diff_base; NULL for none */
	size_t n_bases;
	bool keep_sides;   /* also load the profile in which samples of the base stay apart */
	bool add_sources;  /* put source lines into the profile */
	bool is_reload;    /* every source has to be readable, and none may be standard input; nothing is saved */
	struct stop *stop; /* counts instead of q->stop; NULL: q->stop counts */
	const struct load_events *events;
};

struct loaded {
	struct profile *profile; /* sealed; NULL when no source was named */
	struct profile *sides; /* samples of the base apart, for flame graphs; NULL without a base. It lives longer than
				    profile, which borrows from it. */
	struct side_sources from[N_SIDES]; /* the sources that were read */
	struct load load[N_SIDES];
	struct sources source[N_SIDES]; /* and as they were named, patterns replaced */
	struct remote *remote;          /* what was fetched; NULL for nothing */
};

/*
 * Find, fetch and read the sources, take the bases off, look up names, drop frames; save what was fetched.
 *
 * out     released with loaded_release, also after a failure
 * Fails   ERR_USAGE for sources that make no sense together; ERR_IO; as compare_load; ERR_STOPPED
 */
int answer_load(const struct load_request *r, struct loaded *out, struct err *err);
void loaded_release(struct loaded *l);

/* Is a source on a server, so that loading it again may give something new? Bases do not count. */
bool answer_can_reload(const struct load_request *r);

/*
 * Fetch the sources of n lists that are on servers, side by side.
 *
 * s       [n] names may change: see remote_add
 * events  as in struct load_request
 * out     NULL when all are files; freed with remote_free, after the last use of s
 * Fails   ERR_USAGE for URLs that cannot be asked. What could not be fetched fails when it is loaded.
 */
int answer_fetch(struct sources *s, size_t n, const struct query *q, const struct load_events *events,
		 struct remote **out, struct err *err);

/* Pass each line to the events; one that is the same as the line before only once. */
void load_events_notes(const struct load_events *e, const struct buf *notes);

/* Pass on what there is to say of a load: sources that could not be read, and lines about names. */
void load_events_report(const struct load_events *e, const struct load *l);

/* Pass on why something could not be read. */
void load_events_error(const struct load_events *e, const char *sentence);

/* What takes long begins, or with NULL ends. */
void load_events_step(const struct load_events *e, const char *what);

#endif
