/*
 * snapshot.h - all profiles of a server at one time, as files beside each other
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SNAPSHOT_SNAPSHOT_H
#define CLI_SNAPSHOT_SNAPSHOT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "cli/snapshot/http_options.h"
#include "fetch/fetch.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAPSHOT_SCHEMA "cpa-snapshot/1"
#define SNAPSHOT_MANIFEST "manifest.json"

/* The command line. Texts are borrowed. */
struct snapshot_asked {
	struct asking asking;
	const char *source, *folder, *kinds, *version;
	struct opt_list comment;
	int64_t seconds;
	bool force, gc, dump, cmdline, help;
};

enum shot_state {
	SHOT_WRITTEN,
	SHOT_MISSING,     /* the server has none, and need not */
	SHOT_FAILED,      /* err says why */
	SHOT_INTERRUPTED, /* by Ctrl-C, before it was complete */
	N_SHOT_STATES
};

/* One file of a snapshot. */
struct shot {
	char *kind;       /* "heap": what it is called, and what the server is asked for, but profile for cpu */
	char *file;       /* "heap.pb.gz" */
	bool is_dump;     /* a text of threads one by one */
	bool is_optional; /* not every server has it */
	struct url url;
	struct fetch get; /* what came; without its bytes once it is written */
	enum shot_state state;
	struct err err;
	struct buf note;   /* what is odd about it, "" for nothing */
	struct profile *p; /* what was sent, as read back; NULL for dumps */
	struct buf packed; /* the bytes of the file */
	size_t n_bytes;    /* of the file */
};

struct snapshot {
	const struct snapshot_asked *asked;
	struct url folder; /* where the server has its profiles */
	char *host;        /* of the server: its name here when it is this machine */
	struct shot *shot; /* [n] in the order they are told */
	size_t n, cap;
	struct buf cmdline;       /* of the program: its words, a NUL behind each; empty when not known */
	int64_t begin_ns, end_ns; /* wall clock */
	bool interrupted;
};

/*
 * What is to be captured, from the names that the user gave; NULL for the usual ones.
 *
 * Fails   ERR_USAGE for a name that cannot be one, or stands there twice
 */
int snapshot_plan(struct snapshot *s, const char *kinds, struct err *err);

/* No file of that plan may be there. Fails with ERR_IO, naming the first that is. */
int snapshot_check_free(const struct snapshot *s, struct err *err);

/*
 * Ask the server. What it answers is in the shots, and whether it answers at all is found out first.
 *
 * Fails   ERR_IO when it does not; then nothing is to be written
 */
int snapshot_fetch(struct snapshot *s, struct err *err);

/*
 * Is this what was asked for? Then put the comments into it and pack it; else set err and state.
 */
void shot_make(const struct snapshot *s, struct shot *x);

/* Append a point in time as RFC 3339 has it, in UTC, to the second. */
void snapshot_add_time(struct buf *out, int64_t ns);

/* Append what the manifest is. */
void snapshot_manifest(const struct snapshot *s, struct buf *out);

/* Append what people are told: a line per file, at most 80 columns for plain names. */
void snapshot_table(const struct snapshot *s, struct buf *out);

void snapshot_release(struct snapshot *s);

#endif
