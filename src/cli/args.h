/*
 * args.h - the command line, understood
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "answer/reports.h"
#include "base/err.h"
#include "engine/query.h"

#include <stdbool.h>
#include <stddef.h>

/* What a gate writes to files besides its answer: --json=FILE. */
enum args_file { ARGS_TEXT, ARGS_JSON, ARGS_MARKDOWN, ARGS_FLAME, N_ARGS_FILES };

struct command;

struct args {
	struct query q;
	const struct report_type *report; /* NULL when none was given */
	const struct command *command;    /* one that is no report; NULL when none was given */
	const char **word;                /* [n_words] sources, or what a command takes */
	size_t n_words;
	size_t n_left;                  /* of these, how many stand before --; 0 without -- */
	bool in_shell;                  /* a line of the shell asks */
	const char *file[N_ARGS_FILES]; /* NULL for none */
	const char *ignored;            /* a sample type flag that another one overrules, or NULL */
};

/*
 * Understand argv: "cpa top -cum f", "cpa -top -cum f", "cpa f -top --cum" are one. Flags as Go's
 * flag package has them, but that they may stand behind sources too.
 *
 * out     texts are borrowed from argv; args_release frees the rest
 * Fails   ERR_USAGE, with a suggestion where one is near
 */
int args_parse(int argc, char **argv, struct args *out, struct err *err);
void args_release(struct args *a);

/* The command or option nearest to a mistyped word, "" when none is near. */
const char *args_suggest(const char *word, bool commands, bool options);

/* Is this a command or option of pprof that this version does not have? */
bool args_not_yet(const char *word);

/* The command of this name that is no report (cli/cmd.h); NULL when there is none. */
const struct command *args_command(const char *name, size_t n);

#endif
