/*
 * profile_server.h - servers of profiles and running processes, and the sources that they have
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_PROFILE_SERVER_H
#define ANSWER_PROFILE_SERVER_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

struct answer_server {
	char *name;   /* shown to users: "localhost:6060", without user and password */
	char *prefix; /* of its sources, up to the kind: "http://localhost:6060/debug/pprof/"; may contain a password */
	bool is_process; /* it is a source "pid:N", which has only the kind "profile"; prefix is the source */
};

/*
 * Find the server of a source.
 *
 * source  as on the command line: a URL, host:port, unix:SOCKET, pid:N
 * out     released with answer_server_release; zero-initialised on failure
 * Fails   ERR_UNKNOWN if the source is a file, ERR_USAGE if it is not a valid URL or process
 */
int answer_server_parse(const char *source, struct answer_server *out, struct err *err);

/* Free the strings; they are overwritten first. */
void answer_server_release(struct answer_server *s);

/*
 * Append a source of the server.
 *
 * kind     "profile", "heap"
 * seconds  0 for a profile of the current state
 * hz       samples per second; 0 for the default of the server
 */
void answer_server_add_source(const struct answer_server *s, const char *kind, unsigned seconds, unsigned hz,
			      struct buf *out);

/* Remove a source and the colon after it from the start of an error message, which a list shows beside the source. */
void answer_server_cut_source(const char *source, struct err *err);

#endif
