/*
 * run.h - run a program, profile it and what it starts, and write the profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RUN_RUN_H
#define CLI_RUN_RUN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/regex.h"
#include "base/texts.h"
#include "cli/run/program.h"
#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/endpoint/serve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A profile that is to be written of each process. */
struct run_file {
	enum snap_kind kind;
	const char *custom; /* SNAP_CUSTOM: the name of the profile; else NULL */
	const char *name;   /* of the file, with %p, %t and %h */
};

struct run_serve_how; /* of run_serve.h */

/* What is to be done. */
struct run_how {
	struct collect_how collect;
	const struct run_file *file; /* [n_files] */
	size_t n_files;
	uint64_t every_ns;    /* write them all again and again, numbered; 0: at the end of each process */
	struct regex *follow; /* paths of the programs, beside the one that is run, that have files; NULL: all */
	unsigned files_most;  /* more are not written */
	const struct run_serve_how *serve; /* NULL: none */
	struct serve_cpu cpu;              /* how CPU time is sampled when a client asks for it */
};

/* What came of it. Zero-initialised; released by run_result_release. */
struct run_result {
	struct texts written; /* paths, in the order in which they were written */
	bool seen;            /* the program was profiled */
};

/*
 * Run a program until it ends, and write the profiles of it. What goes wrong with them is said.
 *
 * path    what to execute
 * Gives   the exit status for cpa: the program's, 128 + N after signal N; STATUS_TROUBLE when it could not be run
 */
int run_program(const struct run_how *how, const struct program *program, const char *path, char **argv,
		struct run_result *out);
void run_result_release(struct run_result *r);

/* run_files.c: the profiles of processes, as they are written. */
struct run_files {
	const struct run_how *how;
	struct run_result *result;
	unsigned n_written, n_replaced, n_every;
	bool is_full; /* it was said that no more are written */
};

/* Write what is to be written of a process that ended, or executed another program. Fits collect_done_fn. */
void run_files_write(void *files, struct process *p);

/* Write what is to be written of a process that goes on, with the number n_every. Fits collect_done_fn. */
void run_files_write_numbered(void *files, struct process *p);

/*
 * Append the name of a file: %p is the process, %t seconds since 1970, %h this host, %% one %.
 *
 * more    put in front of the suffix
 */
void run_file_name(const char *name, pid_t pid, const char *more, struct buf *out);

/* Has this process files, and is it to be seen? Of the program itself always. */
bool run_files_follow(const struct run_how *how, const struct process_facts *f);

/* run_env.c: the environment of the program, ours and what brings our library into it. */
struct run_env {
	char **env; /* ends with NULL */
	struct buf preload, asan;
	char segment[COLLECT_ENV_MAX];
};

/* asan    the program has the library of the address sanitizer, which would else want to be the first */
void run_env_make(const struct collect *c, const char *library, bool asan, struct run_env *e);
void run_env_release(struct run_env *e);

/* Append the path of our library: beside the program where it is built, else where it is installed. */
int run_env_library(struct buf *out, struct err *err);

#endif
