/*
 * httpd_int.h - internals shared by the files of the server
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef HTTPD_HTTPD_INT_H
#define HTTPD_HTTPD_INT_H

#include "httpd/httpd.h"
#include "httpd/microhttpd.h"

#include "access/listen.h"

#include <netinet/in.h>
#include <pthread.h>

/* A connection; fields after `next` are protected by the lock of the server. */
struct httpd_conn {
	struct httpd *h;
	int fd; /* owned by libmicrohttpd, and open until the connection is removed from the list */
	bool is_unix;
	bool has_peer; /* peer is filled in by the first request, in the thread of the connection */
	struct http_peer peer;
	struct in6_addr ip; /* of the client, IPv4 as mapped */
	struct httpd_conn *next;
	unsigned n_same;      /* connections of the same client address, with this one; of a Unix socket: 1 */
	uint64_t number;      /* of all connections so far */
	uint64_t deadline_ns; /* the connection is closed then; UINT64_MAX: never */
	uint64_t idle_ns;     /* start of the wait for the next request; 0 while there is a request */
	uint64_t receive_ns;  /* when a part of the request arrived last; 0: it is complete, or there is none */
	uint64_t slow_ns;     /* time from which a request that is still incomplete arrives too slowly */
	struct stop *stop;    /* of the running answer; NULL: none */
	bool is_gone;         /* has the client disconnected, or was the connection shut down? */
};

struct httpd {
	struct httpd_options options;
	const struct microhttpd *lib;
	struct MHD_Daemon *daemon;
	struct listeners at;
	char url[LISTEN_URL_MAX + 64];
	int wake; /* eventfd that wakes the watcher */
	pthread_t watcher;
	bool has_watcher;
	pthread_mutex_t lock;
	struct httpd_conn *conns;
	uint64_t n_accepted;
	unsigned n_conns, n_gone; /* gone: in the list, but shut down or disconnected */
	unsigned n_pending;       /* accepted, not in the list yet */
	unsigned n_running;       /* requests between the end of their head and the end of their response */
	uint64_t last_ns;         /* end of the last request */
	bool is_stopping;
};

/* A request; created when the request line has been received. */
struct httpd_request {
	struct httpd_conn *conn;
	char *target; /* request line: path, and query after the question mark */
	bool has_head, is_running;
	uint64_t body_since_ns;
	uint64_t n_received;
	struct http_request q;
	struct http_header *header;
	size_t cap_headers, head_bytes;
	struct buf body;
	bool is_upload;
	bool is_refused; /* refusal is the response; the body is received and discarded */
	struct http_response refusal;
	struct stop stop;
};

/* Change the time limit of a connection; ms from now, and time for n bytes at HTTPD_RATE_MIN. */
void httpd_set_deadline(struct httpd_conn *c, uint64_t from_ns, unsigned ms, uint64_t n_bytes);

/* Callbacks of libmicrohttpd. */
void *httpd_begin_request(void *h, const char *uri, struct MHD_Connection *mc);
enum MHD_Result httpd_handle(void *h, struct MHD_Connection *mc, const char *url, const char *method,
			     const char *version, const char *data, size_t *n, void **request);
void httpd_end_request(void *h, struct MHD_Connection *mc, void **request, enum MHD_RequestTerminationCode code);

/* Pass a response to libmicrohttpd, compressed if the client accepts it. The response is emptied. */
enum MHD_Result httpd_send(struct httpd_request *r, struct MHD_Connection *mc, struct http_response *out);

/* An error that the server detects itself, as plain text. */
void httpd_set_error(const struct httpd *h, int status, const char *text, struct http_response *out);

#endif
