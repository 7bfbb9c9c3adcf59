/*
 * ask.h - one request to the API of a server of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_ASK_H
#define FETCH_ASK_H

#include "base/err.h"
#include "base/io.h"
#include "base/stop.h"
#include "fetch/fetch.h"

#include <stddef.h>

/* A request. Strings are borrowed. */
struct fetch_ask {
	const char *server; /* URL; a path in it comes before path */
	const char *path;   /* "/api/profiles/query?mode=MODE_MERGE" */
	const char *body;   /* [n_body] for POST; NULL: GET */
	size_t n_body;
	const char *content_type;  /* of the body */
	const char *const *header; /* [n_headers] more lines */
	size_t n_headers;
};

/*
 * Send a request, again after 429, 502, 503 and 504, at most three times.
 *
 * out     the response, which may be empty; owned by the caller; data is NULL after a failure
 * status  the HTTP status; 0 if there was no response
 * Fails   ERR_IO for another status than 200, with the text of the response; ERR_USAGE; ERR_STOPPED. The message has the URL
 */
int fetch_ask(const struct fetch_ask *a, const struct fetch_options *options, struct stop *stop, struct bytes *out,
	      long *status, struct err *err);

#endif
