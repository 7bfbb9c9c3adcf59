/*
 * server.h - a small HTTP/1.1 server for few clients
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread waits for all connections, and does not wake up without requests. It blocks all signals and allocates with
 * mmap. Everything is limited: connections, heads, bodies, answers, times, requests per second.
 */
#ifndef LIBCPAPROF_ENDPOINT_SERVER_H
#define LIBCPAPROF_ENDPOINT_SERVER_H

#include "libcpaprof/endpoint/access.h"
#include "access/listen.h"
#include "libcpaprof/endpoint/serve.h"

enum {
	SERVER_CONNECTIONS = 32,
	SERVER_HEAD_MS = 5000,   /* max time to receive a head, and to receive a body */
	SERVER_IDLE_MS = 60000,  /* max time between requests; 0 if other clients wait */
	SERVER_WRITE_MS = 30000, /* max time without progress while writing */
	SERVER_RATE = 10,        /* max requests per second, in bursts of twice as many; others are answered with 429 */
	SERVER_STOP_MS = 5000    /* max time to finish answers when the server stops */
};

/* Other values for the limits above; 0: default. */
struct server_limits {
	unsigned head_ms, idle_ms, write_ms, stop_ms, rate;
};

struct server_options {
	struct serve *serve;                  /* borrowed */
	const struct listen_options *at;      /* borrowed */
	const struct endpoint_access *access; /* copied */
	/*
	 * Run fn in a new detached thread with all signals blocked. The thread makes one answer, so that a slow answer
	 * does not block others. NULL: the server's thread makes all answers. Returns 0 or -errno.
	 */
	int (*spawn)(void *arg, void (*fn)(void *fn_arg), void *fn_arg);
	void *arg;
	/* Polled every second after a call of server_watch_program, unless NULL; server_run ends when it returns true. */
	bool (*is_over)(void *arg);
	struct server_limits limits;
};

struct server;

/* Listen. Requests are answered after server_run is called. why as for listen_open. Returns 0 or -errno. */
int server_open(const struct server_options *options, struct server **out, char *why, size_t n);
const struct listeners *server_listeners(const struct server *s);

/* Answer requests until server_stop. */
void server_run(struct server *s);

/*
 * Stop the server, from any thread or a signal handler: accept no more requests, end captures with the data so far,
 * write answers for up to SERVER_STOP_MS, then server_run returns. now: drop everything instead.
 */
void server_stop(struct server *s, bool now);

/* Poll is_over now and every second from now on. Can be called from any thread. */
void server_watch_program(struct server *s);

/*
 * Release the server, after server_run returned. Takes NULL. forked: this is a fork child, which has copies of
 * everything.
 */
void server_close(struct server *s, bool forked);

#endif
