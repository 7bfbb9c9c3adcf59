/*
 * cmd.h - the commands
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each command returns the exit status: see STATUS_* in front/cli/messages.h.
 */
#ifndef FRONT_CLI_CMD_H
#define FRONT_CLI_CMD_H

#include "front/cli/args.h"

#include <stddef.h>

/* Groups of options of commands that are not reports; the help has a heading for each. */
enum command_group {
	COMMAND_GROUP_MAIN,
	COMMAND_GROUP_PROCESSES,
	COMMAND_GROUP_FILES,
	COMMAND_GROUP_SAMPLING,
	COMMAND_GROUP_SERVER,
	COMMAND_GROUP_FETCH,
	N_COMMAND_GROUPS
};

/* A command that is not a report. */
struct command {
	const char *name;
	const char *arguments; /* "[OPTION]... [--] PROGRAM [ARGUMENT]..." */
	const char *help;      /* one line; front/cli/help_text.c has the rest */
	/* Returns option i of the command, NULL after the last. NULL: the command has no options. */
	const struct opt *(*option)(size_t i);
	/* Either run or run_with is set. run parses the command line, which starts with the name of the command;
	   run_with gets the parsed command line. */
	int (*run)(int argc, char **argv);
	int (*run_with)(const struct args *a);
};

extern const struct command commands[];
extern const size_t n_commands;

/* Read the sources, make the report and write it. */
int cmd_report(const struct args *a);

/* Make and write a report that compares two sides. */
int cmd_report_diff(const struct args *a);

/* Make and write a report on a series of profiles. */
int cmd_report_trend(const struct args *a);

/* Make and write totals of stored profiles over time. */
int cmd_report_series(const struct args *a);

/* Read two sides and decide whether the new one is slower. */
int cmd_gate(const struct args *a);

/* Remove the output files of an earlier run of gate when the command line cannot be parsed. */
void cmd_gate_discard(int argc, char **argv);

/* cpa help [WORD]..., cpa --help, cpa REPORT --help. */
int cmd_help(const struct args *a);

/* Print the help of a command that is not a report, as cpa help NAME does. */
void cmd_help_command(const char *name);

/* Print the completion script of a shell; cpa completion words WORD... completes the last WORD of a command line. */
int cmd_completion(const struct args *a);

/* Run a program and profile it. The arguments begin with the name of the command. */
int cmd_run(int argc, char **argv);

/* The same, with one profile at the end and a report. */
int cmd_run_record(int argc, char **argv);
/* The file that it writes by default, and that reports without a source read. */
extern const char cmd_record_file[];

/* Print the stack of each thread of a process; arguments as for cmd_run. */
int cmd_threads(int argc, char **argv);

/* Save all profiles of a server into a folder; arguments as for cmd_run. */
int cmd_snapshot(int argc, char **argv);

/* Send profiles to another system; arguments as for cmd_run. */
int cmd_push(int argc, char **argv);

/* Manage a store of profiles; arguments as for cmd_run. */
int cmd_store(int argc, char **argv);

/* Subcommand i of cpa store and its arguments, such as "NAME SELECTOR"; NULL after the last. */
const char *cmd_store_subcommand_at(size_t i, const char **arguments);

/* Scrape servers at intervals, receive pushed profiles, and store them; arguments as for cmd_run. */
int cmd_collect(int argc, char **argv);

/* Compare stored windows with earlier ones, and report what became slower; arguments as for cmd_run. */
int cmd_watch(int argc, char **argv);

/* Check the arguments of cpa watch that never ends, which begin with the name of the command. Fails with ERR_USAGE. */
int cmd_watch_check_line(int argc, char **argv, struct err *err);

/* Capture evidence of a program, and explain why it is slow, needs memory or is stuck; arguments as for cmd_run. */
int cmd_doctor(int argc, char **argv);

/* Functions for struct command.option. */
const struct opt *cmd_run_option_at(size_t i);
const struct opt *cmd_record_option_at(size_t i);
const struct opt *cmd_snapshot_option_at(size_t i);
const struct opt *cmd_collect_option_at(size_t i);
const struct opt *cmd_doctor_option_at(size_t i);
const struct opt *cmd_threads_option_at(size_t i);
const struct opt *cmd_push_option_at(size_t i);
const struct opt *cmd_store_option_at(size_t i);
const struct opt *cmd_version_option_at(size_t i);
const struct opt *cmd_watch_option_at(size_t i);

/* Print the version; with --verbose also the parts that were built. Arguments as for cmd_run. */
int cmd_version(int argc, char **argv);
int cmd_version_print(void);

/* Serve the web UI until a signal. */
int cmd_web(const struct args *a);

/* Run the interactive shell. */
int cmd_shell(const struct args *a);

#endif
