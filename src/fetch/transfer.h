/*
 * transfer.h - one request with libcurl, independent of the loop that runs it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * fetch_all runs requests until all have ended; fetch/loop.h runs them beside other events. Both add t->easy to a multi handle
 * after transfer_begin, and remove it before transfer_end.
 */
#ifndef FETCH_TRANSFER_H
#define FETCH_TRANSFER_H

#include "base/buf.h"
#include "base/err.h"
#include "fetch/curl.h"
#include "fetch/fetch.h"
#include "fetch/secrets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State shared by requests with the same options. */
struct transfers {
	const struct curl *curl;
	const struct fetch_options *options; /* borrowed */
	struct secrets secrets;
	uint64_t n_bytes; /* bytes of responses that are held or were returned */
};

struct transfer;

/* Has the loop room for n more bytes of a response? If not, the transfer is paused. */
typedef bool transfer_room_fn(struct transfer *t, size_t n);

/* Additional limits of a request in a loop; zero-initialised: none. */
struct transfer_limits {
	int64_t connect_ms; /* to connect; 0: libcurl's */
	int64_t all_ms;     /* replaces the limit from fetch_options.timeout if it is not 0 */
	long buffer_bytes;  /* size of the receive buffer; 0: libcurl's */
	bool closes;        /* close the connection after the response */
	transfer_room_fn *has_room;
};

struct transfer {
	struct transfers *shared;
	struct fetch_request *request;
	struct transfer_limits limits;
	CURL *easy;                 /* NULL while no request is running */
	struct curl_slist *headers; /* header lines of the request */
	char *url;                  /* current URL, after redirects */
	unsigned redirects;
	bool is_redirected_away; /* redirected to another server: no secrets are sent */
	int64_t start_ms, limit_ms;

	uint8_t *data;
	size_t n, cap;
	uint64_t n_dropped; /* bytes of an error page that were not stored */
	long status;
	char reason[96]; /* the status line, for example "404 Not Found" */
	bool is_go_pprof, is_plain;
	bool too_long, too_long_all;
	bool is_paused;
	curl_socket_t socket; /* the newest one of the request, or CURL_SOCKET_BAD; only with fetch_options.keeps */
	bool is_ended_early;  /* our side of the connection was closed */
	char error[CURL_ERROR_SIZE];
};

/*
 * Load libcurl, check the TLS options, and read the secrets.
 *
 * options  borrowed until transfers_release
 * notes    warnings are appended, a line each
 * Fails    ERR_USAGE, ERR_IO; nothing has to be released
 */
int transfers_init(struct transfers *s, const struct fetch_options *options, struct buf *notes, struct err *err);
void transfers_release(struct transfers *s);

/* Does a request to this URL send a secret over the network without encryption? */
bool transfers_are_plain(const struct transfers *s, const struct url *u);

/* Monotonic clock in milliseconds. */

/* Start the request; the caller then runs t->easy. On failure the message is in the err of the request. */
int transfer_begin(struct transfer *t);

/*
 * Finish a request with libcurl's result code.
 *
 * Returns true when a redirect was followed: the caller must then run the new t->easy. Otherwise the request has its
 *         bytes or its error.
 */
bool transfer_end(struct transfer *t, CURLcode code);

/*
 * Ask the server to end a capture and to answer with the data so far: close our side of the connection. Servers of Go and of cpa do so;
 * others answer later, or not at all. Does nothing with TLS, where libcurl may still have to send.
 */
void transfer_end_early(struct transfer *t);

/* Cancel a request with this error message. t->easy is in no multi handle. */
void transfer_cancel(struct transfer *t, const char *message);

#endif
