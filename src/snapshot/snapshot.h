/*
 * snapshot.h - save all profiles of a server at one time, as files in a folder
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
 * Run n requests in parallel.
 *
 * what  the activity, displayed if it takes a long time
 * Returns true if interrupted; finished requests then keep their results
 */
typedef bool snapshot_fetch_fn(void *arg, struct fetch_request *get, size_t n, const char *what);

/* Strings are borrowed. */
struct snapshot_options {
	const char *folder;         /* output folder; created if it does not exist */
	const char *kinds;          /* "cpu,heap"; "" or NULL for the default */
	const char *version;        /* version of the program; "" for none */
	const char *const *comment; /* [n_comments] additional comments for each profile */
	size_t n_comments;
	int64_t seconds;       /* duration of the CPU profile */
	bool force;            /* replace existing files */
	bool gc;               /* request a garbage collection before the heap profile */
	bool dump;             /* also save the stacks of all threads as text */
	bool cmdline;          /* also add the command line of the program as a comment */
	uint64_t max_inflated; /* max bytes of a decompressed response; 0: no limit */
	snapshot_fetch_fn *fetch;
	void *arg; /* argument of fetch */
};

enum snapshot_state {
	SNAPSHOT_WRITTEN,
	SNAPSHOT_MISSING,     /* optional, and not available on the server */
	SNAPSHOT_FAILED,      /* err is set */
	SNAPSHOT_INTERRUPTED, /* interrupted by Ctrl-C before the response was complete */
	N_SNAPSHOT_STATES
};

/* A file of a snapshot. */
struct snapshot_entry {
	/* name of the profile, for example "heap"; it ends the URL, except that the URL of cpu ends in profile */
	char *kind;
	char *file;       /* "heap.pb.gz" */
	bool is_dump;     /* stacks of all threads as text */
	bool is_optional; /* not available on some servers */
	struct url url;
	struct fetch_request request; /* the response is freed once it is written */
	enum snapshot_state state;
	struct err err;
	struct buf note;   /* note for the user, "" for none */
	struct profile *p; /* the profile; NULL for dumps */
	struct buf packed; /* content of the file */
	size_t n_bytes;    /* size of the file */
};

struct snapshot {
	const struct snapshot_options *options;
	struct url folder;            /* folder of the profiles on the server; owned */
	char *host;                   /* host of the server; the host name if it is this machine */
	struct snapshot_entry *entry; /* [n] in output order */
	size_t n, cap;
	struct buf cmdline;       /* command line of the program, each argument followed by NUL; empty if unknown */
	int64_t begin_ns, end_ns; /* wall clock */
	bool interrupted;
};

/*
 * Decide what to fetch from a folder of a server (fetch/folder.h). Nothing is fetched or written yet.
 *
 * folder  ownership passes to out, even on failure
 * out     released with snapshot_release, even on failure
 * Fails   ERR_USAGE for an invalid or duplicate kind; ERR_IO when a file exists already
 */
int snapshot_plan(const struct snapshot_options *o, struct url *folder, struct snapshot *out, struct err *err);

/*
 * Fetch all entries. Errors of an entry are stored in it.
 *
 * Fails   ERR_IO when the server does not respond; the caller must then write nothing
 */
int snapshot_fetch(struct snapshot *s, struct err *err);

/* Create the output folder and its parents. Returns 1 if it did not exist, else 0. Fails with ERR_IO. */
int snapshot_make_folder(const struct snapshot *s, struct err *err);

/*
 * Check that the response is a profile of the requested kind, add comments, compress it, and write the file. Sets the
 * state, and err if it is SNAPSHOT_FAILED. Does nothing if the request failed.
 */
void snapshot_write_entry(const struct snapshot *s, struct snapshot_entry *x);

/* Write the manifest to the folder. Fails like io_out_open_replace. */
int snapshot_write_manifest(const struct snapshot *s, struct err *err);

/* Append a table for the user: a line per file, at most 80 columns for short names. */
void snapshot_table(const struct snapshot *s, struct buf *out);

void snapshot_release(struct snapshot *s);

/*
 * The first part of snapshot_write_entry: check the response, add comments, compress it. On failure set err and
 * state.
 */
void snapshot_check_entry(const struct snapshot *s, struct snapshot_entry *x);

#endif
