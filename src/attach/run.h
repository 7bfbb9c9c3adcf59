/*
 * run.h - run a program with our library, and write the profiles of its processes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * No function prints: messages go to the callbacks of struct attach_messages.
 */
#ifndef ATTACH_RUN_H
#define ATTACH_RUN_H

#include "attach/program.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/regex.h"
#include "base/string_list.h"
#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/endpoint/serve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called in the thread that called attach_run. text may contain untrusted parts, such as file names. */
struct attach_messages {
	void *arg;
	void (*note)(void *arg, const char *text);
	void (*error)(void *arg, const char *text); /* report an error; the program still runs if possible */
	/* Called in the child if exec failed with this errno. The child exits afterwards. */
	void (*exec_failed)(void *arg, const char *path, int error);
};

struct attach_result;

/* A profile to write for each process. */
struct attach_file {
	enum snap_kind kind;
	const char *custom; /* SNAP_CUSTOM: the name of the profile; else NULL */
	const char *name;   /* name of the file, with %p, %t and %h */
};

struct attach_server_options; /* see attach/server.h */

struct attach_options {
	struct collector_options collect;
	const struct attach_file *file; /* [n_files] */
	size_t n_files;
	uint64_t every_ns;    /* interval of numbered profiles; 0: write profiles only at the end of each process */
	struct regex *follow; /* paths of child programs that get files, besides the program itself; NULL: all */
	bool suggests_follow; /* suggest --follow if child processes used most CPU time and are not profiled */
	bool samples_others; /* sample programs that cannot load our library with perf events; needs a CPU profile first */
	unsigned files_max;                         /* max number of files */
	const struct attach_server_options *server; /* NULL: no server */
	struct serve_cpu cpu;                       /* settings of CPU profiles requested by clients */
	struct attach_messages messages;
	/* Stop after this time, write the files, call recorded, and wait for the end of the program; 0: at its end */
	uint64_t duration_ns;
	void (*recorded)(void *arg, const struct attach_result *result);
	void *recorded_arg;
};

/* Zero-initialised; released by attach_result_release. */
struct attach_result {
	struct string_list written; /* paths of the files, in the order in which they were written */
	struct collect_totals totals;
	bool is_profiled; /* has the program loaded our library? */
};

/*
 * Run a program until it ends, and write its profiles.
 *
 * path    the executable
 * Returns the exit status of the program, or 128 + N after signal N; ERR_IO if it could not be run, after a call of
 *         messages.error
 */
int attach_run(const struct attach_options *o, const struct program *program, const char *path, char **argv,
	       struct attach_result *out);
void attach_result_release(struct attach_result *r);

/* Parse "timer", "perf" or "itimer" for struct collector_options. Returns false for any other name. */
bool attach_engine_named(const char *name, uint32_t *out);

/* Parse the name or number of a signal for timers. Returns false for any other signal. */
bool attach_signal_named(const char *name, uint32_t *out);

#endif
