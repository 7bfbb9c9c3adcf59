/*
 * profile_server.h - servers of profiles and running processes, and the sources that they have
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_PROFILE_SERVER_H
#define SOURCES_PROFILE_SERVER_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

struct profile_server {
	char *name;   /* shown to users: "localhost:6060", without user and password */
	char *prefix; /* of its sources, up to the kind: "http://localhost:6060/debug/pprof/"; may contain a password */
	bool is_process; /* it is a source "pid:N", which has only the kind "profile"; prefix is the source */
};

/*
 * Find the server of a source.
 *
 * source  as on the command line: a URL, host:port, unix:SOCKET, pid:N
 * out     released with sources_server_release; zero-initialised on failure
 * Fails   ERR_UNKNOWN if the source is a file, ERR_USAGE if it is not a valid URL or process
 */
int sources_server_parse(const char *source, struct profile_server *out, struct err *err);

/* Free the strings; they are overwritten first. */
void sources_server_release(struct profile_server *s);

/*
 * Append a source of the server.
 *
 * kind     "profile", "heap"
 * seconds  0 for a profile of the current state
 * hz       samples per second; 0 for the default of the server
 */
void sources_server_add_source(const struct profile_server *s, const char *kind, unsigned seconds, unsigned hz,
			       struct buf *out);

/* Remove a source and the colon after it from the start of an error message, which a list shows beside the source. */
void sources_server_cut_source(const char *source, struct err *err);

#endif
