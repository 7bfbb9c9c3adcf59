/*
 * options.h - what the environment asks for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Read without getenv, which programs replace. Not read at all when the program has more rights than who started it.
 */
#ifndef LIBCPAPROF_API_OPTIONS_H
#define LIBCPAPROF_API_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { ENGINE_TEXT_MAX = 16, LISTEN_TEXT_MAX = 512, HOSTS_TEXT_MAX = 1024 };
#define RATE_UNSAID UINT64_MAX

struct options {
	char cpu[PATH_MAX], heap[PATH_MAX];   /* where profiles go; empty: not asked for */
	char engine[ENGINE_TEXT_MAX];         /* empty: the usual */
	uint64_t hz, max_depth;               /* 0: the usual */
	uint64_t heap_rate;                   /* bytes, 0 for none; RATE_UNSAID */
	uint64_t heap_allocated, heap_in_use; /* bytes more than at the last dump that make another; 0: none */
	uint64_t block_rate, mutex_fraction;
	uint64_t sig, toggle; /* signals; 0: the usual, none */
	uint64_t alone;       /* only this process: none that it forks or executes */
	uint64_t labels_stay, heap_labels, fatal, quiet;
	char listen[LISTEN_TEXT_MAX]; /* where /debug/pprof is served; empty: not asked for */
	char secret_file[PATH_MAX], allow_host[HOSTS_TEXT_MAX];
	uint64_t any_user, any_address, hide_cmdline, max_seconds; /* 0: the usual */
	bool like_gperf; /* names of files are numbered as theirs, and files are replaced */
};

/*
 * Read the environment. A value that is none of its variable is told once on stderr, and left.
 *
 * o       zeros; out
 * Gives   whether any is set
 */
bool api_options_read(struct options *o);

/*
 * For programs that are executed: paths without %p get one, for those would write into the file of this process. What
 * we listen on is said to be of this process alone, unless it has %p or a free port: others are quiet about it.
 */
void api_options_pass_on(const struct options *o);

/* Say something of ours on stderr, as one line; errno is of error, 0 for none. */
void api_options_say(const struct options *o, const char *what, int error);

#endif
