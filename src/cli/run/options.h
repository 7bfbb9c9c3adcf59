/*
 * options.h - the command lines of cpa run and cpa record
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "attach/program.h"
#include "attach/run.h"
#include "attach/server.h"
#include "base/err.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Options of the server of cpa run, as they were given; texts are NULL when not given. */
struct run_server_args {
	bool enable, any_user, any_address, hide_cmdline;
	const char *port, *socket, *address, *secret;
	struct opt_list allow_host;
	int64_t max_seconds;
};

/* The options as they were given. */
struct run_args {
	int64_t hz, max_depth, mutex_fraction;
	const char *heap_rate, *block_rate, *engine, *signal, *follow;
	bool labels_inherit, heap_labels, help;
	/* cpa run */
	const char *file[N_SNAP_KINDS], *every;
	struct opt_list custom;
	bool symbolize;
	bool block_given, mutex_given; /* their rates */
	struct run_server_args server;
	/* cpa record */
	int kind; /* enum snap_kind */
	const char *output, *flame;
	int64_t top;
	struct opt_list report; /* words for the report: its options, as they stand */
};

/* The meaning of the options. */
struct run_options {
	struct run_args args;
	struct attach_options attach;
	struct attach_file *file;             /* [attach.n_files] */
	struct attach_server_options *server; /* attach.server, or NULL */
};

enum run_command { COMMAND_RUN, COMMAND_RECORD };

/*
 * Read the options, which stand before the program.
 *
 * out     released by cmd_run_options_release, also after a failure; borrows from argv
 * Gives   where the program is in argv, argc when there is none
 * Fails   ERR_USAGE
 */
int cmd_run_options_read(enum run_command which, int argc, char **argv, struct run_options *out, struct err *err);
/*
 * Leave out what cannot be measured of a program, and tell the user.
 *
 * Fails   ERR_USAGE when nothing is left
 */
int cmd_run_options_fit(struct run_options *o, const struct program *p, const char *name, struct err *err);
void cmd_run_options_release(struct run_options *o);

/*
 * Run a program, and write the profiles that are asked for; messages go to standard error.
 *
 * Gives   the exit status for cpa: as attach_run; STATUS_TROUBLE when the program could not be run
 */
int cmd_run_program(struct attach_options *o, const struct program *program, const char *path, char **argv,
		    struct attach_result *out);

/* The usage line, and all about the options. */
const char *cmd_run_options_usage(enum run_command which);
void cmd_run_options_help(enum run_command which);

/* The option of this name (n bytes), NULL when the command has none. */
const struct opt *cmd_run_option(enum run_command which, const char *name, size_t n);

/* "run", "record" */
const char *cmd_run_command_name(enum run_command which);

/* The names of all options, with two dashes, = behind those that take a value, and a blank. */
void cmd_run_options_print_words(enum run_command which);

#endif
