/*
 * options.h - options of cpa run and cpa record
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_RUN_OPTIONS_H
#define FRONT_CLI_RUN_OPTIONS_H

#include "attach/exec.h"
#include "attach/program.h"
#include "attach/run.h"
#include "attach/server.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Options of the server of cpa run, as given; texts are NULL if not given. */
struct run_server_args {
	bool enable, any_user, any_address, hide_cmdline;
	const char *port, *socket, *address, *secret;
	struct opt_list allow_host;
	int64_t max_seconds;
};

/* Options of cpa record for running processes, as given; texts are NULL if not given. */
struct run_sample_args {
	const char *pids, *cgroup, *events;
	int64_t seconds; /* 0: until the processes end */
	bool all_cpus, off_cpu, wall;
};

/* The options as given. */
struct run_args {
	int64_t hz, max_depth, mutex_fraction;
	const char *heap_rate, *block_rate, *engine, *signal, *follow;
	bool labels_inherit, heap_labels, no_symbolize, help;
	/* cpa run */
	const char *file[N_SNAP_KINDS], *every;
	struct opt_list custom;
	bool symbolize, quiet;
	bool has_block_rate, has_mutex_rate, has_follow; /* was --block-rate, --mutex-fraction, --follow given? */
	bool has_symbolize;
	struct run_server_args server;
	/* cpa record */
	int kind; /* enum snap_kind */
	const char *output, *flame;
	int64_t top;
	bool call_graph_flag;   /* -g; stacks are always recorded */
	const char *call_graph; /* the method of perf record; NULL if not given */
	struct opt_list report; /* options for the report, as given */
	struct run_sample_args sample;
	const char *for_program;   /* an option that only programs have, as given; NULL: none */
	const char *for_processes; /* an option that only running processes have, as given; NULL: none */
};

/* The options, parsed. */
struct run_options {
	struct run_args args;
	struct attach_options attach;
	struct attach_file *file;             /* [attach.n_files] */
	struct attach_server_options *server; /* attach.server, or NULL */
};

enum run_command { COMMAND_RUN, COMMAND_RECORD };

/*
 * Parse the options before the program.
 *
 * out     released by cmd_run_options_release, also after a failure; borrows from argv
 * Returns the index of the program in argv, argc if there is none
 * Fails   ERR_USAGE
 */
int cmd_run_options_read(enum run_command which, int argc, char **argv, struct run_options *out, struct err *err);
/*
 * Drop profiles that cannot be measured for a program, with a message.
 *
 * Fails   ERR_USAGE when no profile remains
 */
int cmd_run_options_drop_unsupported(struct run_options *o, const struct program *p, const char *name, struct err *err);
void cmd_run_options_release(struct run_options *o);

/*
 * Run a program and write its profiles; messages go to standard error.
 *
 * Returns the exit status of cpa: as attach_run; STATUS_TROUBLE if the program could not be run
 */
int cmd_run_program(struct attach_options *o, const struct program *program, const char *path, char **argv,
		    struct attach_result *out);
/* Say how much of the CPU time of a recording has stacks, and how many of the stacks are complete. */
void cmd_run_print_totals(const struct collect_totals *t);

/* Does cpa record sample running processes, instead of a program that it starts? */
bool cmd_run_samples_processes(const struct run_args *a);

/* Is what is recorded only sampled from outside, also of a program that can load our library? */
bool cmd_run_samples_outside(const struct run_args *a);

/*
 * Sample running processes until they end, the given time has passed, the command has ended, or Ctrl-C or SIGTERM
 * arrives. Prints what was sampled.
 *
 * command  a program that is executed meanwhile, with its arguments; [0] NULL: none. It is not sampled, and is ended by
 *          SIGTERM if sampling ends first
 * out      the profile; unchanged on failure
 * Fails    as attach_sample; ERR_USAGE
 */
int cmd_run_sample(const struct run_options *o, char **command, struct buf *out, struct err *err);

/* Check the options of samples. Fails: ERR_USAGE. */
int cmd_run_sample_check(const struct run_args *a, struct err *err);

/*
 * Sample a program from outside, and the programs that it starts. Otherwise like cmd_run_sample, but out
 * is also unchanged if the program could not be executed, which attach_child reports.
 */
int cmd_run_sample_child(const struct run_options *o, struct attach_child *child, struct buf *out, struct err *err);

/* The option of cpa record to use instead of one of another profiler, of n bytes; NULL: not known. */
const char *cmd_run_foreign_option(const char *name, size_t n);
/* Check the value of --call-graph. */
int cmd_run_check_call_graph(const char *mode, struct err *err);

/* The messages of a program that is started. */
struct attach_messages cmd_run_messages(void);

/* The usage line. */
const char *cmd_run_options_usage(enum run_command which);

#endif
