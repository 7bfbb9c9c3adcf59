/*
 * httpd.h - an HTTP server for few clients, based on libmicrohttpd
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each connection has a thread, so callbacks run in parallel. One more thread accepts connections, closes those that
 * exceed a time limit, and stops the answers of clients that have disconnected.
 */
#ifndef HTTPD_HTTPD_H
#define HTTPD_HTTPD_H

#include "base/err.h"
#include "base/http.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	HTTPD_CONNECTIONS_DEFAULT = 64, /* others wait until one is closed, idle or stalled */
	HTTPD_CONNECTIONS_MAX = 256,
	HTTPD_HEAD_MAX = 16384, /* bytes of a request line with its header lines; more: 431 */
	HTTPD_FORM_MAX = 65536, /* bytes of a body that is not an upload; more: 413 */
	HTTPD_HEAD_MS = 10000,  /* time to receive a head */
	HTTPD_IDLE_MS = 60000,  /* time between requests */
	HTTPD_STALLED_MS = 100, /* without a request, or a part of one; closed if there are too many connections */
	HTTPD_SLOW_MS = 500, /* for a request, plus size / HTTPD_RATE_MIN; closed if there are too many connections */
	HTTPD_SHARE =
		4, /* an address with more than this part of the connections loses its newest requests that are incomplete */
	HTTPD_BODY_MS = 10000,         /* time to receive a body or to send a response, plus size / HTTPD_RATE_MIN */
	HTTPD_RATE_MIN = 16384,        /* bytes per second */
	HTTPD_COMPRESS_MIN = 1024,     /* shorter bodies are not compressed */
	HTTPD_FAST_COMPRESS = 1 << 20, /* longer bodies are compressed less */
};

struct httpd;

/* Check the head of a request, before the body is received. Returns false with a response if the request is refused. */
typedef bool httpd_check_fn(void *arg, const struct http_request *q, struct http_response *out);

/* Compute the response. stop is set when the client disconnects or the server stops; the response is then discarded. */
typedef void httpd_answer_fn(void *arg, const struct http_request *q, struct stop *stop, struct http_response *out);

/* Other values for the limits above, times in ms; 0: default. */
struct httpd_limits {
	unsigned head_ms, idle_ms, body_ms, connections;
};

struct httpd_options {
	const char *address;        /* as for listen_open; borrowed */
	bool has_secret;            /* without a secret only loopback and Unix sockets are allowed */
	const char *secret_options; /* options that set a secret, for messages */
	const char
		*tls; /* certificate chain and private key in PEM, for HTTPS; NULL: HTTP. Borrowed during httpd_start */
	uint64_t upload_max;                             /* bytes of an upload; more: 413 */
	httpd_check_fn *check;                           /* NULL: no request is refused */
	bool (*is_upload)(const struct http_request *q); /* NULL: no request is an upload */
	httpd_answer_fn *answer;
	void *arg;                 /* first argument of check and answer */
	const char *error_headers; /* header lines of errors that the server detects; each ends in \r\n; NULL: none */
	struct httpd_limits limits;
};

/*
 * Listen, and answer requests in other threads.
 *
 * Fails   ERR_IO when the address is not available or libmicrohttpd is missing, ERR_USAGE when the address is invalid,
 *         other machines could connect without a secret, or the certificate cannot be used
 */
int httpd_start(const struct httpd_options *options, struct httpd **out, struct err *err);

/* The address for browsers, with the host as given and the real port: "http://localhost:8080", "unix:/run/x.sock". */
const char *httpd_url(const struct httpd *h);

/* The port; 0 for a Unix socket. */
unsigned httpd_port(const struct httpd *h);

/* Can other machines connect? */
bool httpd_is_public(const struct httpd *h);

/* The number of requests that are being received, answered or sent. */
unsigned httpd_n_running(struct httpd *h);

/* Time since the last request in ns; 0 while a request is running. */
uint64_t httpd_idle_ns(struct httpd *h);

/* Stop running answers, wait for them, close all connections and sockets. Takes NULL. */
void httpd_stop(struct httpd *h);

#endif
