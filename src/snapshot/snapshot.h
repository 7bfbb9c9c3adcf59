/*
 * snapshot.h - all profiles of a server at one time, as files beside each other
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SNAPSHOT_SNAPSHOT_H
#define SNAPSHOT_SNAPSHOT_H

#include "base/buf.h"
#include "base/err.h"
#include "fetch/fetch.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAPSHOT_SCHEMA "cpa-snapshot/1"
#define SNAPSHOT_MANIFEST "manifest.json"

/*
 * Ask for all n, side by side.
 *
 * what    shown while it takes long
 * Gives   whether it was interrupted; what has arrived then stays
 */
typedef bool snapshot_fetch_fn(void *arg, struct fetch *get, size_t n, const char *what);

/* Texts are borrowed. */
struct snapshot_options {
	const char *folder;         /* where the files go; made if it is not there */
	const char *kinds;          /* "cpu,heap"; "" or NULL for the default ones */
	const char *version;        /* of the program; "" for none */
	const char *const *comment; /* [n_comments] more comments of each profile */
	size_t n_comments;
	int64_t seconds;       /* of the CPU profile */
	bool force;            /* replace files that are there */
	bool gc;               /* the server collects garbage before it takes the heap profile */
	bool dump;             /* all stacks one by one, too */
	bool cmdline;          /* the command line of the program is a comment, too */
	uint64_t max_inflated; /* bytes of one answer, unpacked; 0: no limit */
	snapshot_fetch_fn *fetch;
	void *arg; /* of fetch */
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
	const struct snapshot_options *options;
	struct url folder; /* where the server has its profiles; owned */
	char *host;        /* of the server: its name here when it is this machine */
	struct shot *shot; /* [n] in the order they are told */
	size_t n, cap;
	struct buf cmdline;       /* of the program: its words, a NUL behind each; empty when not known */
	int64_t begin_ns, end_ns; /* wall clock */
	bool interrupted;
};

/*
 * Choose what is to be captured from a folder of a server (fetch/folder.h), by the options. Nothing is fetched or written.
 *
 * folder  taken over, also on failure
 * out     released with snapshot_release, also on failure
 * Fails   ERR_USAGE for a kind that cannot be one or is named twice; ERR_IO when there is a file of that name
 */
int snapshot_plan(const struct snapshot_options *o, struct url *folder, struct snapshot *out, struct err *err);

/*
 * Ask the server. What it answers is in the shots. Whether it answers at all is checked first.
 *
 * Fails   ERR_IO when it does not; then nothing is to be written
 */
int snapshot_fetch(struct snapshot *s, struct err *err);

/* Make the folder and those above it. Gives 1 when it was not there, else 0. Fails with ERR_IO. */
int snapshot_make_folder(const struct snapshot *s, struct err *err);

/*
 * Check that a fetched shot is what was asked for, put the comments into it, pack it, and write it into the folder. Sets
 * its state, and err when that is SHOT_FAILED. Nothing is done for one that did not arrive.
 */
void snapshot_write_shot(const struct snapshot *s, struct shot *x);

/* Write the manifest into the folder. Fails as io_out_open_made. */
int snapshot_write_manifest(const struct snapshot *s, struct err *err);

/* Append a table for people: a line per file, at most 80 columns for plain names. */
void snapshot_table(const struct snapshot *s, struct buf *out);

void snapshot_release(struct snapshot *s);

/*
 * Is a shot what was asked for? Then put the comments into it and pack it; else set err and state. Part of
 * snapshot_write_shot.
 */
void snapshot_check_shot(const struct snapshot *s, struct shot *x);

/* Append a point in time as RFC 3339 has it, in UTC, to the second. */
void snapshot_add_time(struct buf *out, int64_t ns);

#endif
