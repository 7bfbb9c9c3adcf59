/*
 * options.h - the command lines of cpa run and cpa record
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "base/err.h"
#include "base/opt.h"
#include "cli/run/run.h"

#include <stdbool.h>
#include <stdint.h>

/* Options of the server of cpa run, as they stand; texts are NULL when not given. */
struct run_profile_asked {
	bool enable, any_user, any_address, hide_cmdline;
	const char *port, *socket, *address, *secret;
	struct opt_list allow_host;
	int64_t max_seconds;
};

/* As they stand on the command line. */
struct run_asked {
	int64_t hz, max_depth, mutex_fraction;
	const char *heap_rate, *block_rate, *engine, *signal, *follow;
	bool labels_inherit, heap_labels, help;
	/* cpa run */
	const char *file[N_SNAP_KINDS], *every;
	struct opt_list custom;
	bool symbolize;
	bool block_given, mutex_given; /* their rates */
	struct run_profile_asked profile;
	/* cpa record */
	int kind; /* enum snap_kind */
	const char *output, *flame;
	int64_t top;
	struct opt_list report; /* words for the report: its options, as they stand */
};

/* What they come to. */
struct run_options {
	struct run_asked asked;
	struct run_how how;
	struct run_file *file;       /* [how.n_files] */
	struct run_serve_how *serve; /* how.serve, or NULL */
};

enum run_command { COMMAND_RUN, COMMAND_RECORD };

/*
 * Read the options, which stand before the program.
 *
 * out     released by run_options_release, also after a failure; borrows from argv
 * Gives   where the program is in argv, argc when there is none
 * Fails   ERR_USAGE
 */
int run_options_read(enum run_command which, int argc, char **argv, struct run_options *out, struct err *err);
/*
 * Leave out what cannot be measured of a program, and say so.
 *
 * Fails   ERR_USAGE when nothing is left
 */
int run_options_fit(struct run_options *o, const struct program *p, const char *name, struct err *err);
void run_options_release(struct run_options *o);

/*
 * run_profile.c: what the options of the server come to. The secret is read.
 *
 * out     NULL when there is to be none; freed by run_profile_free
 * Fails   ERR_USAGE, ERR_IO
 */
int run_profile_read(const struct run_profile_asked *a, struct run_serve_how **out, struct err *err);
/* Overwrites the secret. Takes NULL. */
void run_profile_free(struct run_serve_how *how);

/* The usage line, and all about the options. */
const char *run_options_usage(enum run_command which);
void run_options_help(enum run_command which);

/* The names of all options, with two dashes, = behind those that take a value, and a blank. */
void run_options_print_words(enum run_command which);

#endif
