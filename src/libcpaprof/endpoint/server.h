/*
 * server.h - a small HTTP/1.1 server for few clients
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread waits for all connections; while nobody asks it does not wake. It takes no signal, keeps all memory
 * from mmap, and bounds everything: connections, heads, bodies, answers, times, requests a second.
 */
#ifndef LIBCPAPROF_ENDPOINT_SERVER_H
#define LIBCPAPROF_ENDPOINT_SERVER_H

#include "libcpaprof/endpoint/guard.h"
#include "libcpaprof/endpoint/listen.h"
#include "libcpaprof/endpoint/serve.h"

enum {
	SERVER_CONNECTIONS = 32,
	SERVER_HEAD_MS = 5000,   /* for a whole head, and a whole body */
	SERVER_IDLE_MS = 60000,  /* between requests; when others wait, none */
	SERVER_WRITE_MS = 30000, /* without any progress */
	SERVER_RATE = 10,        /* requests a second, twice as many at once: more are answered 429 */
	SERVER_LAST_MS = 5000    /* to write what is under way when it stops */
};

/* What may be otherwise than above; 0: the usual. */
struct server_limits {
	unsigned head_ms, idle_ms, write_ms, last_ms, rate;
};

struct server_options {
	struct serve *serve;             /* borrowed */
	const struct listen_options *at; /* borrowed */
	const struct guard *guard;       /* copied */
	/*
	 * Run fn in a thread of its own, with all signals blocked; it will not be joined. Then answers are made there, so
	 * that one which takes long keeps none waiting. NULL: the thread of the server makes them. Gives 0 or -errno.
	 */
	int (*spawn)(void *arg, void (*fn)(void *fn_arg), void *fn_arg);
	void *arg;
	/* Looked at each second while it is not NULL and the server is told (server_look) to: true ends server_run. */
	bool (*is_over)(void *arg);
	struct server_limits limits;
};

struct server;

/* Listen. Nothing is answered before server_run. why as of listen_open. Gives 0 or -errno. */
int server_open(const struct server_options *options, struct server **out, char *why, size_t n);
const struct listeners *server_listeners(const struct server *s);

/* Serve, until server_stop. */
void server_run(struct server *s);

/*
 * From any thread, also in a signal handler: take no more requests, end captures with what there is, write what is
 * ready within SERVER_LAST_MS, and let server_run return. now: drop all instead.
 */
void server_stop(struct server *s, bool now);

/* From any thread: look whether it is over, now and each second from here on. */
void server_look(struct server *s);

/* After server_run returned. Takes NULL. forked: in the child of fork, which has copies of everything. */
void server_close(struct server *s, bool forked);

#endif
