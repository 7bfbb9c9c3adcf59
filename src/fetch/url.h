/*
 * url.h - parse URLs of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_URL_H
#define FETCH_URL_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A parsed URL. Strings are owned. host, path and query are escaped for a request; user and password are secret. */
struct url {
	char *scheme;    /* http or https */
	char *host;      /* with port, if given */
	char *path;      /* begins with / */
	char *query;     /* sorted by key; "" for none */
	char *socket;    /* path of the Unix socket to connect to; NULL to connect to the host */
	char *user;      /* NULL when there is none */
	char *password;  /* NULL when there is none */
	bool insecure;   /* https+insecure: certificates are not verified */
	int64_t seconds; /* duration in the query; 0 if it has none */
};

/*
 * Parse a source: a URL; host:port with or without a path; unix:SOCKET or unix:SOCKET:PATH. Without a
 * path, the URL is that of a CPU profile.
 *
 * seconds  replaces the duration in the query; below 1 to keep the duration in the query
 * out      released with url_release; unchanged on failure
 * Fails    ERR_UNKNOWN when source can only be a file, ERR_USAGE when it is not a valid URL or a process; the message
 *          contains neither the source nor secrets
 * Like     go tool pprof, cmd/pprof adjustURL, and Go's net/url
 */
int url_parse(const char *source, int64_t seconds, struct url *out, struct err *err);

/* Does the source name running processes: "pid:" and a digit? It is never the address of a server with the name pid. */
bool url_is_process(const char *source);

/* Free the strings; user and password are overwritten first. */
void url_release(struct url *u);

/* Copy a URL; the copy is released with url_release. */
void url_copy(const struct url *u, struct url *out);

/* Append the URL for messages, without user and password. */
void url_add_redacted(const struct url *u, struct buf *out);

/* Append the URL for libcurl: without user and password, and https for https+insecure. */
void url_add_request(const struct url *u, struct buf *out);

/* Append a source for messages, without the user and password before an @. It need not be a URL. */
void url_redact(const char *source, struct buf *out);

/* Is the server on this machine: localhost, a loopback address, or a Unix socket? */
bool url_is_local(const struct url *u);

/* Is the text an absolute URL, which has a scheme? Like net/url URL.IsAbs. */
bool url_is_absolute(const char *text);

#endif
