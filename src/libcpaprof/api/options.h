/*
 * options.h - options of the library, from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Read without getenv, which programs replace. Ignored by set-user-ID programs and others with more privileges than
 * their caller.
 */
#ifndef LIBCPAPROF_API_OPTIONS_H
#define LIBCPAPROF_API_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { ENGINE_TEXT_MAX = 16, LISTEN_TEXT_MAX = 512, HOSTS_TEXT_MAX = 1024 };
#define RATE_UNSET UINT64_MAX

struct options {
	char cpu[PATH_MAX], heap[PATH_MAX];   /* paths of profiles; empty: not requested */
	char engine[ENGINE_TEXT_MAX];         /* empty: the default */
	uint64_t hz, max_depth;               /* 0: the default */
	uint64_t heap_rate;                   /* bytes, 0 for none; or RATE_UNSET */
	uint64_t heap_allocated, heap_in_use; /* growth in bytes since the last dump that triggers another; 0: none */
	uint64_t block_rate, mutex_fraction;
	uint64_t sig, toggle; /* signal numbers; 0 (the default) for none */
	uint64_t only_self;   /* profile only this process, not those that it forks or executes */
	uint64_t no_label_inherit, heap_labels, flush_on_fatal, quiet;
	char listen[LISTEN_TEXT_MAX]; /* address of /debug/pprof; empty: not requested */
	const char *listen_name;      /* the variable that contains it */
	char secret_file[PATH_MAX], allow_host[HOSTS_TEXT_MAX];
	uint64_t any_user, any_address, hide_cmdline, max_seconds; /* 0: the default */
	bool gperf_names; /* files are numbered as in gperftools, and replaced */
};

/*
 * Read the environment. An invalid value is reported on stderr and ignored.
 *
 * o       zero-initialised; filled in
 * Returns whether any option is set
 */
bool api_options_read(struct options *o);

/*
 * Prepare the environment for programs that are executed. Paths without %p get one; otherwise those programs would
 * write to the files of this process. CPA_LISTEN is limited to this process, so that other processes silently ignore
 * it, unless its address contains %p or requests any free port.
 */
void api_options_export(const struct options *o);

/* Read a variable that is yes or no. unset: the result if it is not set, or invalid, which is reported. */
bool api_options_flag(const char *name, bool unset);

/* Print a line on stderr, unless CPA_LOG forbids it. */
void api_options_complain(const char *what);

/* Print a line on stderr, unless quiet. error: an errno whose text is appended, 0 for none. */
void api_options_report(const struct options *o, const char *what, int error);

#endif
