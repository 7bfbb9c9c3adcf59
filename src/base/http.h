/*
 * http.h - an HTTP request and its response, independent of the server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server (src/httpd) fills in the request and sends the response; pages (src/front/web) compute the response. Neither
 * includes the other, so tests and the fuzzer compute responses without sockets.
 */
#ifndef BASE_HTTP_H
#define BASE_HTTP_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Untrusted, without line breaks. */
struct http_header {
	const char *name, *value;
};

/* The other end of a connection, and the connection itself. */
struct http_peer {
	bool is_unix;     /* a Unix socket, where Host has no meaning */
	bool is_loopback; /* the peer has a loopback address */
	bool is_user;     /* this user or root; false also if the user of a local peer is unknown */
	char address[64]; /* address without port, such as "127.0.0.1" or "::1"; "" for a Unix socket */
};

/* Everything is borrowed and untrusted. */
struct http_request {
	const char *method; /* "GET" */
	const char *path;   /* as sent: starts with a slash, is not decoded, and has no query */
	const char *query;  /* as sent, after the first question mark; "" if there is none */
	const struct http_header *header;
	size_t n_headers;
	const char *body; /* [n_body] of a POST that is not an upload; ends with NUL; "" if there is none */
	size_t n_body;
	int upload; /* descriptor of an unlinked file with the body of an upload; -1 for other requests */
	struct http_peer peer;
};

/* Bytes that several responses and the cache share; immutable after blob_new. */
struct blob;

/* Take over the bytes of b, which is emptied. Returns a blob with one reference. */
struct blob *blob_new(struct buf *b);
struct blob *blob_ref(struct blob *b);
/* Release a reference. NULL is allowed. Callable by any thread. */
void blob_unref(struct blob *b);
const char *blob_data(const struct blob *b);
size_t blob_size(const struct blob *b);
/*
 * The compressed form of b, which a server keeps with it so that a blob that is sent often is compressed once.
 * blob_get_packed returns a reference, or NULL if there is none. blob_set_packed takes over a reference.
 */
struct blob *blob_get_packed(const struct blob *b);
void blob_set_packed(struct blob *b, struct blob *packed);
/* Does b have more than one reference? */
bool blob_is_shared(const struct blob *b);

/* Zero-initialised: no status yet, no body. Released with http_response_release. */
struct http_response {
	int status;        /* 200 */
	const char *type;  /* value of Content-Type; static; NULL: no such header */
	struct buf header; /* other header lines, each ending in \r\n; values contain no line breaks */
	struct buf body;
	struct blob *blob; /* one reference; replaces body if it is not NULL */
	unsigned delay_ms; /* time to wait before the response is sent */
	bool can_compress; /* may the body be sent compressed? Not for pages with a token (BREACH) */
	bool closes;       /* close the connection after the response */
};

void http_response_release(struct http_response *r);

/*
 * Make a second response with the status, type, headers and body of the first, which both share from now on.
 *
 * to      its header lines are kept; the rest is replaced
 */
void http_response_share(struct http_response *r, struct http_response *to);

/* Add a header line. Bytes of the value that are not allowed in a header become a question mark. */
void http_response_add(struct http_response *r, const char *name, const char *value);

/* The value of the first header with this name, in upper or lower case; NULL if there is none. */
const char *http_request_header(const struct http_request *q, const char *name);

/* Is there more than one header with this name? */
bool http_request_repeats(const struct http_request *q, const char *name);

#endif
