/*
 * serve.h - /debug/pprof of the program that cpa run runs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server has a thread of its own, and each request may have one. What they do with the collector they do between
 * run_serve_take and run_serve_leave, and so must the caller from run_serve_start to run_serve_close.
 */
#ifndef CLI_RUN_SERVE_H
#define CLI_RUN_SERVE_H

#include "base/err.h"
#include "cli/run/run.h"
#include "libcpaprof/endpoint/server.h"

#include <stdbool.h>
#include <sys/types.h>

struct run_serve_how {
	struct listen_how at; /* address NULL: the usual Unix socket of the program */
	struct guard *guard;  /* owned */
	struct serve_how serve;
};

struct run_serve;

/*
 * Listen, and say where. Nothing is answered yet.
 *
 * name    of the program, for the usual socket
 * Fails   ERR_IO, with a sentence
 */
int run_serve_open(const struct run_how *how, struct collect *c, const char *name, struct run_serve **out,
		   struct err *err);
/* Answer, now that the program has this id. What goes wrong is said. */
void run_serve_start(struct run_serve *s, pid_t pid);
/* Both take NULL. */
void run_serve_take(struct run_serve *s);
void run_serve_leave(struct run_serve *s);
/* The program ended: captures end now, and what is under way is written; now: it is dropped. Takes NULL. */
void run_serve_stop(struct run_serve *s, bool now);
/* Is all written, after run_serve_stop? True for NULL. */
bool run_serve_is_over(struct run_serve *s);
/* When it is over. The collector is the caller's alone again. Takes NULL. */
void run_serve_close(struct run_serve *s);

#endif
