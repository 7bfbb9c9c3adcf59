/*
 * server_int.h - internals shared by the files of the server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * server.c contains the loop around poll, conn.c the states of a connection. Everything belongs to the thread in
 * server_run, except atomic fields, and the job of a connection while a thread works on it.
 */
#ifndef LIBCPAPROF_ENDPOINT_SERVER_INT_H
#define LIBCPAPROF_ENDPOINT_SERVER_INT_H

#include "libcpaprof/endpoint/chunked.h"
#include "access/owned.h"
#include "libcpaprof/endpoint/server.h"

#include "libcpaprof/collector/read/clock.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum {
	CONN_LINE = 96,
	CONN_ROOM = 4096,           /* room for a part of a body after a head */
	CONN_OUT = 2048,            /* status line and header lines of an answer */
	CONN_LINGER_MS = 500,       /* time for a client to close after the last answer; as in Go's server */
	CONN_GRACE_MS = 250,        /* time to receive a head or a body before the connection may be evicted */
	CONN_GRACE_WRITE_MS = 2000, /* time for a client to read before the connection may be evicted */
	CONN_DRAIN_MAX = 16 << 20   /* max bytes to discard while lingering */
};

enum conn_state {
	CONN_FREE,
	CONN_HEAD,      /* waits for a request, or reads its head */
	CONN_BODY,      /* reads the body */
	CONN_DELAY,     /* has a delayed answer */
	CONN_WORK,      /* makes the answer */
	CONN_ABANDONED, /* makes the answer, but the client is gone and the descriptor is closed */
	CONN_WRITE,
	CONN_LINGER /* our side is closed; the client may still be sending */
};

/* Events for the thread of a job; bits. */
enum { WORK_EOF = 1, WORK_HURRY = 2, WORK_GONE = 4 };

struct conn {
	struct server *server;
	enum conn_state state;
	struct owned_fd file;
	bool is_unix;
	bool is_untrusted; /* peer_is_user refused it */
	bool is_eof;       /* the client has closed its side */
	bool is_idle;      /* a request was answered, and nothing was received since */
	uint64_t delay_ns; /* time before which the answer is not sent */
	uint64_t until_ns; /* monotonic time at which the state times out; CONN_WORK: time of the next step; 0: none */

	/* The request. */
	struct request_head head; /* texts of the head are in in[] */
	bool takes_body;          /* is the body of this request stored? Otherwise it is discarded */
	size_t n_head, n_in;
	struct chunked chunked;
	struct vec body; /* uint8_t */

	/* The answer. */
	struct serve_job *job;
	bool has_thread;                /* does a thread work on the job? */
	_Atomic uint32_t events;        /* WORK_* events; the thread waits on this futex */
	_Atomic bool has_ended;         /* the thread no longer uses this struct; job is NULL if it has ended the job */
	struct serve_answer own_answer; /* the answer if job is NULL */
	char status_line[CONN_LINE];    /* status line after the version; "": status and its reason phrase */
	const char *extra;              /* extra header lines */
	size_t n_out;
	uint64_t sent; /* number of bytes sent of out and body together */
	uint64_t drained;

	char out[CONN_OUT];
	char in[HEAD_MAX + CONN_ROOM];
};

struct server {
	struct server_options options;
	struct endpoint_access access;
	struct listeners listeners;
	struct sockaddr_storage address[LISTEN_MAX]; /* addresses bound at first; they do not change */
	socklen_t n_address[LISTEN_MAX];
	unsigned n_addresses;
	struct owned_fd wake[2]; /* a socket pair, because eventfds have no unique inode */
	/* Copy of wake[1] for other threads. A half-written copy fails the inode check. */
	_Atomic int wake_fd;
	_Atomic dev_t wake_dev;
	_Atomic ino_t wake_ino;
	_Atomic uint32_t stop; /* stop request, an enum of server.c */
	_Atomic bool is_watching;
	_Atomic uint32_t n_threads; /* number of threads of jobs; server_run waits until it is 0 */
	bool stopping;
	uint64_t stop_ns;   /* monotonic deadline while stopping */
	uint64_t accept_ns; /* no accept before this time, because there were too many open files */
	uint64_t slot_ns;   /* time when a connection can be evicted, if all are in use */
	uint64_t listen_ns; /* no retry to listen before this time */
	uint64_t rate_ns;   /* due time of the next request, if requests were evenly spaced */
	struct conn conn[SERVER_CONNECTIONS];
};

/* Wake the thread in server_run, from any thread or a signal handler. */
void server_wake(struct server *s);

/* Take over a connection. untrusted: peer_is_user refused it. Returns 0, or -errno and closes it. */
int conn_open(struct server *s, struct conn *c, int fd, bool is_unix, bool is_untrusted);

/* The events to poll for; 0: only errors. */
short conn_events(const struct conn *c);

/* Continue after poll returned events. */
void conn_ready(struct conn *c, short events);

/* Continue if the state has timed out, or the thread has ended. */
void conn_check_time(struct conn *c, uint64_t now_ns);

/* Cancel the job and close the connection. The state is CONN_ABANDONED until its thread has ended. */
void conn_drop(struct conn *c);

/* Prepare for the stop of the server: close connections without a request, and finish answers quickly. */
void conn_stop(struct conn *c);

/* Classes of connections that are closed for new ones, in this order; in a class, the earliest timeout comes first. */
enum eviction_class {
	EVICT_UNTRUSTED, /* connection of a refused peer */
	EVICT_IDLE,      /* the last request was answered; no further request so far */
	EVICT_LINGER,
	EVICT_DELAY,  /* client that sent a wrong secret */
	EVICT_SLOW,   /* client that sends its request slowly */
	EVICT_READER, /* client that reads its answer slowly */
	EVICT_NEVER
};

/* The class of a connection. from_ns out: the monotonic time before which it must not be evicted. */
enum eviction_class eviction_class(const struct conn *c, uint64_t *from_ns);

/* Process received data, up to the first request that cannot be answered yet. */
void conn_read(struct conn *c);
/* Receive data. Returns false if the connection was dropped. */
bool conn_receive(struct conn *c);

/* Start the job of the received request. */
void conn_start_job(struct conn *c);
/* Do the next step of the job, and write the answer if it is ready. */
void conn_run_job(struct conn *c);
/* Send events to the thread of a job. */
void conn_notify(struct conn *c, uint32_t events);
/* End the job, if any. It must have no thread. */
void conn_end_job(struct conn *c);

/* Refuse a head as Go's server does, then close. why: from request_head_parse, or NULL. */
void conn_refuse(struct conn *c, int status, const char *why);
/* Answer with an error message, not before delay_ns, then close. */
void conn_answer_error(struct conn *c, int status, const char *text);
/* Start to write the answer. */
void conn_answer(struct conn *c);
/* Write as much as possible. */
void conn_write(struct conn *c);

#endif
