/*
 * run.h - run a program with our library in it, and write the profiles of its processes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing here prints: what the user should know goes to the functions of struct attach_messages.
 */
#ifndef ATTACH_RUN_H
#define ATTACH_RUN_H

#include "attach/program.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/regex.h"
#include "base/texts.h"
#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/endpoint/serve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called in the thread that called attach_run. text is a sentence, in which parts may be hostile. */
struct attach_messages {
	void *arg;
	void (*note)(void *arg, const char *text);
	void (*error)(void *arg, const char *text); /* something went wrong; the program runs all the same, if it can */
	/* In the child that could not become the program: errno. The next thing that the child does is to end. */
	void (*exec_failed)(void *arg, const char *path, int error);
};

/* A profile that is to be written of each process. */
struct attach_file {
	enum snap_kind kind;
	const char *custom; /* SNAP_CUSTOM: the name of the profile; else NULL */
	const char *name;   /* of the file, with %p, %t and %h */
};

struct attach_server_options; /* of attach/server.h */

struct attach_options {
	struct collector_options collect;
	const struct attach_file *file; /* [n_files] */
	size_t n_files;
	uint64_t every_ns;    /* write them all again and again, numbered; 0: at the end of each process */
	struct regex *follow; /* paths of the programs, beside the one that is run, that have files; NULL: all */
	unsigned files_max;   /* more are not written */
	const struct attach_server_options *server; /* NULL: none */
	struct serve_cpu cpu;                       /* how CPU time is sampled when a client asks for it */
	struct attach_messages messages;
};

/* Zero-initialised; released by attach_result_release. */
struct attach_result {
	struct texts written; /* paths, in the order in which they were written */
	bool is_profiled;     /* the program was profiled */
};

/*
 * Run a program until it ends, and write the profiles of it.
 *
 * path    what to execute
 * Gives   the exit status of the program, 128 + N after signal N; ERR_IO when it could not be run, after a call of
 *         messages.error
 */
int attach_run(const struct attach_options *o, const struct program *program, const char *path, char **argv,
	       struct attach_result *out);
void attach_result_release(struct attach_result *r);

/* "timer", "perf" or "itimer" as struct collector_options has it. False when it is none of them. */
bool attach_engine_named(const char *name, uint32_t *out);

/* A signal that timers may have, by its name or number. False when it is none. */
bool attach_signal_named(const char *name, uint32_t *out);

#endif
