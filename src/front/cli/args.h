/*
 * args.h - parse the command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_ARGS_H
#define FRONT_CLI_ARGS_H

#include "answer/reports.h"
#include "base/err.h"
#include "engine/query.h"

#include <stdbool.h>
#include <stddef.h>

/* Additional output files of gate: --json=FILE and so on. */
enum args_file { ARGS_TEXT, ARGS_JSON, ARGS_MARKDOWN, ARGS_FLAME, N_ARGS_FILES };

struct command;

struct args {
	int argc;    /* number of arguments of main; 0 for a line of the shell */
	char **argv; /* [argc] */
	struct query q;
	const struct report_type *report; /* NULL if none was given */
	const struct command *command;    /* a command that is not a report; NULL if none was given */
	const char **word;                /* [n_words] sources, or arguments of the command */
	size_t n_words;
	size_t n_before_dashes;         /* number of words before --; 0 without -- */
	bool is_shell_line;             /* was a line of the shell parsed? */
	const char *file[N_ARGS_FILES]; /* NULL: none */
	const struct opt *foreign;      /* an option that does not apply to the report or command, or NULL */
	const char *overruled_type;     /* a sample type flag that another one overrides, or NULL */
};

/*
 * Parse argv: "cpa top -cum f", "cpa -top -cum f" and "cpa f -top --cum" mean the same. Flags follow the rules of
 * Go's flag package, but they may also follow sources.
 *
 * out     texts are borrowed from argv; args_release frees the rest
 * Fails   ERR_USAGE, with a suggestion if a similar option exists
 */
int args_parse(int argc, char **argv, struct args *out, struct err *err);
void args_release(struct args *a);

/* Does the report write a profile, and is the ending of -o that of a format which another report writes? */
bool args_has_other_ending(const struct args *a);

/* The command of this name that is not a report (front/cli/cmd.h); NULL if there is none. */
const struct command *args_command(const char *name, size_t n);

#endif
