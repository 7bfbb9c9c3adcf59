/*
 * loop.h - many requests beside the other events of a program, with epoll
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * fetch_all waits for its requests; a loop has a descriptor that the caller waits for. All functions belong to one thread,
 * except fetch_loop_release.
 */
#ifndef FETCH_LOOP_H
#define FETCH_LOOP_H

#include "base/buf.h"
#include "base/err.h"
#include "fetch/fetch.h"
#include "fetch/url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fetch_loop;

/* Requests with the same options and secrets. */
struct fetch_group;

/* A request that has not ended. */
struct fetch_open;

/*
 * The request has ended: with bytes, which the callee owns and counts with fetch_loop_release, or with an error. It may start
 * other requests.
 */
typedef void fetch_done_fn(void *arg, struct fetch_request *request);

/* A request to start. Everything but url is copied; url is copied too. */
struct fetch_start {
	struct fetch_group *group;
	const struct url *url;
	int64_t capture_ms; /* the server answers after this time */
	int64_t extra_ms;   /* time for the response beside 1.1 times the capture */
	bool closes;        /* close the connection after the response */
	fetch_done_fn *done;
	void *arg;
};

/*
 * bytes_max    bytes of responses in memory, arriving or not released; above it requests are paused
 * connections  above this number, in use or idle, libcurl searches all for an idle one to close, at each response
 * Fails        ERR_IO
 */
int fetch_loop_new(uint64_t bytes_max, long connections, struct fetch_loop **out, struct err *err);

/* Cancel all requests without calling their functions. Takes NULL. */
void fetch_loop_free(struct fetch_loop *l);

/* Readable when fetch_loop_run has something to do. */
int fetch_loop_fd(const struct fetch_loop *l);

/* Do what can be done without waiting, and call the functions of requests that have ended. */
void fetch_loop_run(struct fetch_loop *l);

/*
 * Make a group. The strings of options are copied.
 *
 * notes  warnings for the user are appended, a line each
 * Fails  ERR_USAGE, ERR_IO for the files of certificates and secrets
 */
int fetch_group_new(const struct fetch_options *options, struct fetch_group **out, struct buf *notes, struct err *err);

/* Free a group, after the last of its requests has ended. Takes NULL. */
void fetch_group_free(struct fetch_group *g);

/* Start a request. NULL if it cannot be started: done was called with the error. */
struct fetch_open *fetch_loop_start(struct fetch_loop *l, const struct fetch_start *start);

/* End a request with this error message; calls its function. */
void fetch_loop_cancel(struct fetch_loop *l, struct fetch_open *o, const char *message);

/* End all requests with this error message; calls their functions. */
void fetch_loop_cancel_all(struct fetch_loop *l, const char *message);

/* Count n bytes of responses as no longer in memory. Any thread may call it. */
void fetch_loop_release(struct fetch_loop *l, size_t n);

/* Requests that have not ended; bytes of responses in memory. */
size_t fetch_loop_n_open(const struct fetch_loop *l);
uint64_t fetch_loop_n_bytes(const struct fetch_loop *l);

#endif
