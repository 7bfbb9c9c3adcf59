/*
 * server_int.h - what the files of the server share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * server.c waits; conn.c knows the states of a connection, conn_read.c takes requests, conn_write.c writes answers,
 * conn_work.c makes them. All of it belongs to the thread in server_run, but for the fields that are atomic, and the
 * job of a connection while a thread works on it.
 */
#ifndef LIBCPAPROF_ENDPOINT_SERVER_INT_H
#define LIBCPAPROF_ENDPOINT_SERVER_INT_H

#include "libcpaprof/endpoint/chunked.h"
#include "libcpaprof/endpoint/owned.h"
#include "libcpaprof/endpoint/server.h"

#include "libcpaprof/collector/clock.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum {
	CONN_LINE = 96,
	CONN_ROOM = 4096,           /* for a part of a body, behind a head */
	CONN_OUT = 2048,            /* status line and header lines of an answer */
	CONN_LINGER_MS = 500,       /* for a client to close, after the last answer; as long as Go's server waits */
	CONN_GRACE_MS = 250,        /* for a head or a body to come, before others who wait are let in */
	CONN_GRACE_WRITE_MS = 2000, /* for a client to read on, before that */
	CONN_DRAIN_MOST = 16 << 20  /* bytes that are thrown away meanwhile */
};

enum conn_state {
	CONN_FREE,
	CONN_HEAD,  /* waits for a request, or reads its head */
	CONN_BODY,  /* reads the body */
	CONN_DELAY, /* has an answer, which is to go later */
	CONN_WORK,  /* the answer is being made */
	CONN_LEFT,  /* the same, but nobody waits for it any more: the file is closed */
	CONN_WRITE,
	CONN_LINGER /* was told that we are done, and may have something on its way yet */
};

/* What the thread of a job is told; bits. */
enum { WORK_EOF = 1, WORK_HURRY = 2, WORK_GONE = 4 };

struct conn {
	struct server *server;
	enum conn_state state;
	struct owned file;
	bool is_unix;
	bool stranger;     /* it may not ask */
	bool eof;          /* nothing more comes */
	bool idle;         /* something was answered, and nothing came since */
	uint64_t delay_ns; /* the answer goes no sooner */
	uint64_t until_ns; /* monotonic: when the state ends by itself; CONN_WORK: when to come again; 0: never */

	/* The request. */
	struct request_head head; /* its texts are in in[] */
	bool takes_body;          /* else what comes of a body is thrown away */
	size_t n_head, n_in;
	struct chunked chunked;
	struct vec body; /* uint8_t */

	/* The answer. */
	struct serve_job *job;
	bool threaded;           /* a thread works on the job */
	_Atomic uint32_t told;   /* WORK_*; the thread waits on it */
	_Atomic bool ended;      /* the thread will touch nothing of this any more; job NULL: it ended it */
	struct serve_answer own; /* when it is not of the job */
	char line[CONN_LINE];    /* the status line after the version; "": as the status is called */
	const char *extra;       /* header lines */
	size_t n_out;
	uint64_t sent; /* of out and the body together */
	uint64_t drained;

	char out[CONN_OUT];
	char in[HEAD_MOST + CONN_ROOM];
};

struct server {
	struct server_options options;
	struct guard guard;
	struct listeners at;
	struct sockaddr_storage address[LISTEN_MOST]; /* as bound first; they stay */
	socklen_t n_address[LISTEN_MOST];
	unsigned n_addresses;
	struct owned wake[2]; /* a pipe: an eventfd cannot be told from others */
	/* wake[1], for others than the thread of the server; one that is half written is none of ours. */
	_Atomic int wake_fd;
	_Atomic dev_t wake_dev;
	_Atomic ino_t wake_ino;
	_Atomic uint32_t stop; /* enum of server.c */
	_Atomic bool looks;
	_Atomic uint32_t n_threads; /* that work on jobs; server_run waits on it */
	bool stopping;
	uint64_t last_ns;   /* monotonic: when it ends, once stopping */
	uint64_t accept_ns; /* not before: there are too many files */
	uint64_t place_ns;  /* all places are taken, and then one of them can be spared */
	uint64_t listen_ns; /* not before: where it was could not be listened at again */
	uint64_t rate_ns;   /* when the next request is due, were they evenly spread */
	struct conn conn[SERVER_CONNECTIONS];
};

/* From any thread, also in a signal handler. */
void server_wake(struct server *s);

/* Take over a connection; stranger: guard_peer said no. Gives 0 or -errno; then it is closed. */
int conn_open(struct server *s, struct conn *c, int fd, bool is_unix, bool stranger);

/* What poll shall look for; 0: nothing but its end. */
short conn_events(const struct conn *c);

/* Go on after poll saw something. */
void conn_ready(struct conn *c, short events);

/* Go on when the time of its state came, or its thread ended. */
void conn_look(struct conn *c, uint64_t now_ns);

/* Nobody waits for the answer any more: end what is under way and close. CONN_LEFT while a thread is at it. */
void conn_drop(struct conn *c);

/* The server stops: end what waits for requests, hurry what is being answered. */
void conn_hurry(struct conn *c);

/* What can be closed to make room for another; the first of these first, and of the same the one that waits longest. */
enum conn_spare {
	SPARE_STRANGER, /* may not ask */
	SPARE_IDLE,     /* was answered, and asks for nothing more */
	SPARE_LINGER,
	SPARE_DELAY,  /* guesses the secret */
	SPARE_SLOW,   /* does not come to the end of its request */
	SPARE_READER, /* does not read its answer */
	SPARE_NOT
};

/* from_ns: not before; monotonic. */
enum conn_spare conn_spare(const struct conn *c, uint64_t *from_ns);

/* Go on with what was read: requests, as far as they can be answered now. */
void conn_read(struct conn *c);
/* Read what came. False when the connection was dropped. */
bool conn_receive(struct conn *c);

/* Begin to answer the request that was read. */
void conn_work(struct conn *c);
/* Do what is due; then maybe write. */
void conn_step(struct conn *c);
/* Tell the thread of a job. */
void conn_tell(struct conn *c, uint32_t told);
/* End the job, which no thread works on; there may be none. */
void conn_end_work(struct conn *c);

/* Refuse a head as Go's server does, with why or NULL as of request_head_parse; the connection then ends. */
void conn_refuse(struct conn *c, int status, const char *why);
/* Answer with a sentence, when delay_ns has come; the connection then ends. */
void conn_say(struct conn *c, int status, const char *text);
/* Begin to write the answer. */
void conn_answer(struct conn *c);
/* Write what goes. */
void conn_write(struct conn *c);

#endif
