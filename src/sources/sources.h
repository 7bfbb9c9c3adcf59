/*
 * sources.h - the table of kinds of sources, and the sources that arguments name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SOURCES_H
#define SOURCES_SOURCES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "engine/query.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* The sources into which a command needs its arguments split. */
enum source_split {
	SPLIT_NONE, /* one profile */
	SPLIT_RUNS, /* independent runs: instances, else slices of time */
	SPLIT_STEPS /* equal steps of time */
};

enum source_id {
	SOURCE_PROCESS,
	SOURCE_STORE,
	SOURCE_STDIN,
	SOURCE_PATTERN,
	SOURCE_SERVER,
	SOURCE_FILE,
	SOURCE_MEMORY
};

/* A source, found once. */
struct source {
	const struct source_type *type;
	void *state; /* owned: an open store, a URL, a process; NULL for files */
};

struct sources {
	const char **name; /* [n] owned; for users: without user and password, times are absolute */
	struct source *source;
	size_t n, cap, cap_source;
};

/* Add the sources of an argument with sources_append. Fails as sources_add. */
typedef int source_resolve_fn(struct sources *out, const char *word, enum source_split split, const struct query *q,
			      struct err *err);

/*
 * Read the profile.
 *
 * notes    lines about what was read are appended
 * missing  lines that say what the profile lacks are appended
 * Fails    the message names the source
 */
typedef int source_read_fn(struct source *s, const char *name, const struct query *q, struct profile **out,
			   struct buf *notes, struct buf *missing, struct err *err);

/* A kind of sources. */
struct source_type {
	bool (*is_kind)(const char *word); /* is the argument of this kind? The first kind in the table is taken */
	source_resolve_fn *resolve;        /* NULL: the argument itself is the source */
	source_read_fn *read;
	/* Record where a profile came from, when its binaries are known. NULL: nothing to do. */
	void (*record)(struct source *s, struct profile *p, struct buf *notes);
	void (*release)(void *state);
	bool (*can_repeat)(const char *name); /* does a second reading give the same? NULL: no */
	bool is_remote;                       /* the state is a struct remote_source, for remote_fetch */
	bool changes;                         /* may a second reading give new data? */
};

/* Can a source be read again, with the same result? Standard input cannot, and a server would send another profile. */
bool sources_can_repeat(const struct source *s, const char *name);

/*
 * Add the sources of n words. Patterns of file names that are not existing files are replaced by the files that match, in byte
 * order; a store: is split as the command needs it.
 *
 * q       --store, and labels to keep
 * out     zero-initialised or with sources from earlier calls; released with sources_release
 * Fails   ERR_IO when a pattern matches nothing; ERR_USAGE for an invalid URL or process; as store_open
 */
int sources_add(struct sources *out, const char *const *word, size_t n, enum source_split split, const struct query *q,
		struct err *err);
void sources_release(struct sources *s);

/* Add a source. The name is copied; state is owned by out. */
void sources_append(struct sources *out, enum source_id id, const char *name, size_t n, void *state);

/*
 * Fail if the report would overwrite a source, or if standard input is given more than once.
 *
 * kind     for messages: "source" or "base"
 * n_stdin  number of times that standard input was given so far; increased
 * Fails    ERR_USAGE
 */
int sources_check(const struct sources *s, const char *kind, const struct query *q, size_t *n_stdin, struct err *err);

/* Find a name in a sorted array of elements that begin with a const char *. at is its index, or the one where it belongs. */
bool sources_find_name(const void *array, size_t n, size_t size, const char *name, size_t *at);

/* Read a profile from bytes, which are consumed, within the limits of q. The message does not name the source. */
int sources_decode(struct bytes *bytes, const struct query *q, struct profile **out, struct err *err);

source_read_fn sources_read_file; /* also standard input */
bool sources_is_regular(const char *name);

/* As formats_stem, for front ends. */
size_t sources_stem(const char *name, size_t n);

#endif
