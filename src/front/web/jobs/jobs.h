/*
 * jobs.h - requests of a server that are being answered
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Requests are answered on the threads that call jobs_run. Only a few run at the same time; the others wait. A job stops
 * when the last client that waits for its response is gone.
 */
#ifndef FRONT_WEB_JOBS_JOBS_H
#define FRONT_WEB_JOBS_JOBS_H

#include "base/err.h"
#include "base/http.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stdint.h>

struct jobs;

enum { JOBS_RUNNING_MAX = 4 };

/* The client of a request. */
struct jobs_client {
	const char *tab;         /* name that a browser tab chose; "": none */
	const char *slot;        /* part of the tab that the response is for, such as "flame" */
	const struct stop *stop; /* set when the client is gone */
};

/* Compute a response. stop is that of the job; not the client's. */
typedef void (*jobs_make_fn)(void *arg, struct stop *stop, struct http_response *out);

struct jobs_progress {
	const char *activity; /* NULL while the job waits for others */
	int percent;          /* -1: unknown */
	uint64_t elapsed_ms;
};

struct jobs *jobs_new(void);
/* No job may be running. NULL is allowed. */
void jobs_free(struct jobs *j);

/*
 * Limit the memory of the process to about this number of bytes: while it is exceeded, or an allocation fails, the
 * running job that has allocated most is stopped. To be called before the first job.
 */
void jobs_limit_memory(struct jobs *j, uint64_t bytes);

/*
 * Compute a response with make(arg, ...) on this thread, or wait for the same response computed by another thread. The
 * older job of the same part of the same tab stops. While n jobs run, pool_size is an n-th of the threads.
 *
 * key     requests with the same key have the same response; NULL: the response is not shared
 * out     see http_response_share
 * Fails   ERR_STOPPED if the client is gone or sent a newer request; ERR_MEMORY if it was stopped for its memory
 */
int jobs_run(struct jobs *j, const struct jobs_client *client, const char *key, jobs_make_fn make, void *arg,
	     struct http_response *out, struct err *err);

/*
 * Do work beside the jobs, such as loading a capture: it needs no place among those that run, but its memory counts.
 *
 * stop    set if its memory is too large
 * Fails   as work; ERR_MEMORY if it was stopped for its memory
 */
typedef int (*jobs_work_fn)(void *arg, struct err *err);
int jobs_run_beside(struct jobs *j, struct stop *stop, jobs_work_fn work, void *arg, struct err *err);

/* The progress of the newest job of a tab. Returns false if the tab has no job. */
bool jobs_find_progress(struct jobs *j, const char *tab, struct jobs_progress *out);

#endif
