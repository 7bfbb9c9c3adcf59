/*
 * cmd.h - the commands
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each gives the exit status: see STATUS_* in cli/messages.h.
 */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "cli/args.h"

#include <stddef.h>

/* A command that is no report. */
struct command {
	const char *name;
	const char *arguments; /* "[OPTION]... [--] PROGRAM [ARGUMENT]..." */
	const char *help;      /* one line */
	/* One of these two: with the words from its name on, which it reads by itself; with options of reports read. */
	int (*run)(int argc, char **argv);
	int (*run_with)(const struct args *a);
};

extern const struct command commands[];
extern const size_t n_commands;

/* Read the sources, make the report, write it where it shall go. */
int cmd_report(const struct args *a);

/* The same for a report of two sides. */
int cmd_report_diff(const struct args *a);

/* The same for a report of profiles in a row. */
int cmd_report_trend(const struct args *a);

/* Read two sides, say whether the new one is slower. */
int cmd_gate(const struct args *a);

/* cpa help [WORD], cpa --help: examples first. */
int cmd_help(const struct args *a);

/* The completion script of a shell, made from the option table. */
int cmd_completion(const struct args *a);

/* Run a program and profile it: the words behind "cpa", which are not the options of a report. */
int cmd_run(int argc, char **argv);

/* The same, with one profile at the end and a report of it. */
int cmd_run_record(int argc, char **argv);

/* Print where each thread of a process is; the words as of cmd_run. */
int cmd_threads(int argc, char **argv);

/* Capture all profiles of a server into a folder; the words as of cmd_run. */
int cmd_snapshot(int argc, char **argv);

/* The names of its options, for a completion. */
void cmd_snapshot_print_words(void);

/* Print the version. */
int cmd_version(const struct args *a);

/* Read the profile and answer lines about it until they end. */
int cmd_shell(const struct args *a);

/* Is it the full screen that shall do so? */
bool cmd_shell_wants_screen(const struct args *a);

#endif
