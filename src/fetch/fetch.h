/*
 * fetch.h - fetch profiles from servers: http, https and Unix sockets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libcurl is loaded only for the first URL, since it would make every start of cpa three times as long.
 * Messages never contain secrets.
 */
#ifndef FETCH_FETCH_H
#define FETCH_FETCH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/stop.h"
#include "fetch/url.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Options for requests. Strings are borrowed; "" if not set. */
struct fetch_options {
	const char *tls_cert, *tls_key, *tls_ca; /* PEM files */
	const char *header_file, *bearer_file;
	const char *netrc;    /* "" for none, "true" for ~/.netrc, else a file */
	int64_t timeout;      /* seconds, as -timeout; below 1 to derive it from the duration of the profile */
	uint64_t max;         /* max bytes of a response (--max-input); 0 for no limit */
	uint64_t max_all;     /* max bytes of all responses together; 0 for no limit */
	bool stays_on_server; /* a redirect to another server is an error */
	atomic_uint_fast64_t *n_received; /* increased by the bytes of responses while they arrive; may be NULL */
	/* While it is true when the stop is set, servers are asked to answer early, and their answers are awaited; may be NULL */
	const atomic_bool *keeps;
};

/* Set the limits from the value of --max-input: -1 for a default that depends on memory size, 0 for no limit. */
void fetch_set_limits(struct fetch_options *options, int64_t max_input);

/* A request and its result. */
struct fetch_request {
	const struct url *url;
	const char *body; /* body of a POST request; NULL for GET */
	size_t n_body;
	const char *content_type; /* of the body; NULL: application/octet-stream */
	const char *method;       /* NULL: GET, or POST with a body */
	const char *const *
		header; /* [n_headers] more lines, "X-Scope-OrgID: shop"; after a redirect to another server they are not sent */
	size_t n_headers;
	bool uses_http2;    /* as gRPC needs it; over http without an upgrade */
	bool accepts_2xx;   /* every status from 200 to 299 is a success; else only 200 */
	bool takes_any;     /* the response is not a profile: its content is not checked, and may be empty */
	bool keeps_headers; /* return the lines of the response's header and trailer */
	bool (*take)(
		void *arg, const void *data,
		size_t n); /* gets a response of success while it arrives, without limit, and bytes remains empty; NULL: none.
				   The request fails if it returns false */
	void *take_arg;
	bool keeps_refusal;  /* keep the body of a response that is not 200 in bytes, without a shorter limit */
	struct bytes bytes;  /* the response, owned; data is NULL on failure, but see keeps_refusal */
	struct buf headers;  /* with keeps_headers: a line each, without CR; the caller releases it */
	long status;         /* HTTP status; 0 if there was no response */
	int64_t retry_after; /* seconds from the header Retry-After; 0 without one */
	bool is_go_pprof;    /* did the response have the header X-Go-Pprof? */
	bool has_answer;     /* did a part of a response arrive? */
	int rc;              /* 0, or ERR_* */
	struct err err;      /* set if rc < 0; the message does not begin with the source */
};

/*
 * Called about once per second with the number of unfinished requests, and the minimum number of seconds that they will
 * take.
 */
typedef void (*fetch_progress_fn)(size_t n_remaining, int64_t seconds);

/*
 * Run all requests in parallel, at most 128 at a time.
 *
 * request   [n] with url and, for POST, body; rc must be 0
 * progress  callback, may be NULL
 * stop      may be NULL; when set, unfinished requests fail, but see keeps. Its progress is the elapsed time
 * notes     warnings for the user are appended, a line each
 * Like      pprof internal/driver/fetch.go, fetchURL
 */
void fetch_all(struct fetch_request *request, size_t n, const struct fetch_options *options, fetch_progress_fn progress,
	       struct stop *stop, struct buf *notes);

/*
 * Refuse responses that are typical of a wrong URL: empty responses, web pages, execution traces. All other content
 * is checked by the reader.
 *
 * data    [n]
 * Fails   ERR_FORMAT
 */
int fetch_check_content(const uint8_t *data, size_t n, struct err *err);

#endif
