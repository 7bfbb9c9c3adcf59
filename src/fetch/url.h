/*
 * url.h - what a source that is not a file asks for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_URL_H
#define FETCH_URL_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* All texts are owned and ready for a request; user and password are secret. */
struct url {
	char *scheme;    /* http or https */
	char *host;      /* with its port, if one was given */
	char *path;      /* begins with / */
	char *query;     /* sorted by key; "" for none */
	char *socket;    /* of the Unix socket to connect to, NULL for the host */
	char *user;      /* NULL when there is none */
	char *password;  /* NULL when there is none */
	bool insecure;   /* whoever answers is believed: https+insecure */
	int64_t seconds; /* that its query asks for; 0 when it does not say */
};

/*
 * Take a source apart: a URL; host:port with or without a path; unix:SOCKET or unix:SOCKET:PATH.
 * Without a path it asks for a CPU profile.
 *
 * seconds  to ask for in place of what the query says; below 1 leaves that
 * out      released with url_release; untouched on failure
 * Fails    ERR_UNKNOWN when it can only be a path, ERR_USAGE when it is no URL that can be asked;
 *          the sentence has neither source nor secrets in it
 * Like     go tool pprof, cmd/pprof adjustURL, and what net/url makes of it
 */
int url_parse(const char *source, int64_t seconds, struct url *out, struct err *err);

/* Overwrites user and password before they go. */
void url_release(struct url *u);

/* The same once more; released with url_release. */
void url_copy(const struct url *u, struct url *out);

/* Append the URL for people and messages: without user and password. */
void url_show(const struct url *u, struct buf *out);

/* Append the URL that goes to the server: without user and password, https for https+insecure. */
void url_request(const struct url *u, struct buf *out);

/* Append a source with what stands before the @ of its host taken out, for messages about it. */
void url_redact(const char *source, struct buf *out);

/* Is this the name of this machine, or one of its loopback addresses, or a Unix socket? */
bool url_is_local(const struct url *u);

/* Has text a scheme and colon in front, as an absolute URL does? Like net/url, URL.IsAbs. */
bool url_is_absolute(const char *text);

#endif
