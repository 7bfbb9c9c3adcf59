/*
 * capture.h - fetch profiles from servers in the background
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Requests go only to servers that were added with captures_add_server, so a client of a web UI cannot choose the address.
 * One capture at a time runs per server. A CPU profile of more than CAPTURE_PIECE_SECONDS is fetched in pieces, one
 * after the other, so that the number of samples is known and a server that fails loses one of them. A capture that is
 * stopped early ends the current piece: its connection is half closed, and servers of Go and of cpa answer with the data
 * so far. Any thread may call these functions.
 */
#ifndef FRONT_WEB_JOBS_CAPTURE_H
#define FRONT_WEB_JOBS_CAPTURE_H

#include "base/err.h"
#include "front/web/jobs/jobs.h"
#include "session/workspace.h"
#include "sources/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CAPTURES_MAX = 32, /* captures in the list; the oldest finished one is dropped */
	CAPTURE_SERVERS_MAX = 16,
	CAPTURE_SECONDS_MAX = 300,
	CAPTURE_PIECE_SECONDS = 10,
	CAPTURE_HZ_MAX = 10000,
	CAPTURE_REPEAT_MINUTES_MAX = 24 * 60,
	CAPTURE_KIND_BYTES = 16,
	CAPTURE_NAME_BYTES = 192
};

struct captures;

struct capture_options {
	size_t server;           /* captures_n_servers for the sources of the command line */
	const char *kind;        /* "profile", "heap": one of captures_kind */
	unsigned seconds;        /* 0: the current state; for a CPU profile at least 1 */
	unsigned hz;             /* samples per second; 0: the default of the server */
	unsigned repeat_minutes; /* time from the start of one capture to the start of the next; 0: only one */
	bool compare;            /* should the result be compared with the previous capture of the same kind? */
};

enum capture_state { CAPTURE_RUNNING, CAPTURE_DONE, CAPTURE_FAILED, CAPTURE_DISCARDED };

/* A capture, as in the list. */
struct capture_status {
	unsigned number;                /* counted from 1 */
	struct capture_options options; /* kind is static */
	enum capture_state state;
	char name[CAPTURE_NAME_BYTES]; /* "localhost:6060 profile 30s" */
	int64_t started_ns;            /* time of day */
	uint64_t elapsed_ms;
	uint64_t n_bytes;   /* received so far */
	uint64_t n_samples; /* samples in the complete pieces, if their first sample type is a count; else 0 */
	unsigned n_pieces;  /* complete ones */
	char id[WORKSPACE_ID_LENGTH + 1]; /* of the open profile; after a failure that of the pieces before it, or "" */
	char previous[WORKSPACE_ID_LENGTH + 1]; /* of the previous capture from this server of this kind; "" if none */
	bool is_stopping;                       /* CAPTURE_RUNNING: stopped, but the answer of the server is awaited */
	char error[1024];                       /* CAPTURE_FAILED */
};

/*
 * Captures whose results are opened in a workspace.
 *
 * jobs    count the memory of captures; borrowed
 * q       options of requests and symbol names; borrowed
 * reload  the sources of the command line; NULL if they cannot be fetched again; borrowed
 */
struct captures *captures_new(struct workspace *w, struct jobs *jobs, const struct query *q,
			      const struct load_request *reload);

/* Stop all captures and wait until they have ended. NULL is allowed. */
void captures_free(struct captures *c);

/*
 * Add the server of a source, or a running process. One that was added before is not added again.
 *
 * Fails   as sources_server_parse; ERR_LIMIT
 */
int captures_add_server(struct captures *c, const char *source, struct err *err);

size_t captures_n_servers(const struct captures *c);
const char *captures_server_name(const struct captures *c, size_t i);

/* Is it a running process, of which only the first kind can be captured? */
bool captures_is_process(const struct captures *c, size_t i);

/* Does a CPU profile of the server end early when it is stopped? Not with TLS: then only complete pieces are kept. */
bool captures_can_end_early(const struct captures *c, size_t i);

/* Can the sources of the command line be fetched again? */
bool captures_can_reload(const struct captures *c);

/* The kinds of profiles, NULL after the last; title is shown to users. */
const char *captures_kind(size_t i, const char **title);

/*
 * Start a capture in another thread.
 *
 * number  set to its number
 * Fails   ERR_USAGE for invalid options, or if a capture from this server is running
 */
int captures_start(struct captures *c, const struct capture_options *options, unsigned *number, struct err *err);

/* Stop a running capture and its repetition: open what was received, or discard it. Returns false if it is not running. */
bool captures_stop(struct captures *c, unsigned number, bool keep);

/* The captures, newest first. Returns their number. */
size_t captures_list(struct captures *c, struct capture_status out[CAPTURES_MAX]);

/* Returns false if there is no capture with this number. */
bool captures_find(struct captures *c, unsigned number, struct capture_status *out);

/* Is a capture from this server running, or will one be repeated? */
bool captures_is_busy(struct captures *c, size_t server);

#endif
