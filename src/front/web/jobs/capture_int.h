/*
 * capture_int.h - state of captures, shared by its files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_JOBS_CAPTURE_INT_H
#define FRONT_WEB_JOBS_CAPTURE_INT_H

#include "front/web/jobs/capture.h"

#include "sources/profile_server.h"

#include <pthread.h>
#include <stdatomic.h>

/* Captures from one server, or from the sources of the command line: at most one runs. */
struct capture_runner {
	struct captures *captures;
	pthread_t thread;
	bool is_started;  /* thread must be joined */
	bool is_running;  /* thread has not ended */
	atomic_bool keep; /* when stop is set: is the data opened, or discarded? */
	unsigned number;  /* of the running capture, else of the last one */
	struct capture_options options;
	struct stop stop;             /* of the requests to the server, and of the repetition */
	struct stop load_stop;        /* of reading what was received; set if it is discarded */
	atomic_uint_fast64_t n_bytes; /* of the running capture */
};

struct captures {
	struct workspace *workspace;
	struct jobs *jobs;
	const struct query *q;
	const struct load_request *reload;
	pthread_mutex_t lock;   /* guards everything below except the servers, which are added before any capture */
	pthread_cond_t stopped; /* signalled when a stop was set */
	struct profile_server server[CAPTURE_SERVERS_MAX];
	size_t n_servers;
	struct capture_runner runner[CAPTURE_SERVERS_MAX + 1]; /* by server; the last one is for the command line */
	struct capture_status status[CAPTURES_MAX];            /* [n] oldest first */
	uint64_t start_ms[CAPTURES_MAX];
	size_t n;
	unsigned n_numbers;
};

/* Monotonic time in ms. */

/* The status of a capture; NULL if it is not in the list. The lock is held. */
struct capture_status *capture_of(struct captures *c, unsigned number);

/* Add a capture to the list. The lock is held. */
struct capture_status *capture_add(struct captures *c, const struct capture_options *options);

/* Body of the thread of a runner. */
void *capture_run(void *runner);

#endif
