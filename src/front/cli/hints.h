/*
 * hints.h - suggestions for commands and options that do not exist
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_HINTS_H
#define FRONT_CLI_HINTS_H

#include "base/err.h"
#include "front/cli/args.h"

#include <stdbool.h>

/* The command or option most similar to a word, or the equivalent of a word of another program; "" if there is none. */
const char *hint_word(const char *word, bool with_commands, bool with_options);

/*
 * Fail for a first word that is neither a command nor a file, a command after its sources, and -o without a report
 * (-output is the file for commands on standard input).
 *
 * Fails   ERR_USAGE, suggesting a command line
 */
int hint_check(const struct args *a, struct err *err);

/*
 * Fail for an option that does not exist.
 *
 * name    without dashes
 * value   text after =; NULL without =
 * next    the next argument; NULL at the end
 * Returns ERR_USAGE
 */
int hint_option(const char *name, const char *value, const char *next, struct err *err);

/* Fail if an option has no effect on this command line, and name the commands to which it applies. */
int hint_foreign_option(const struct args *a, struct err *err);

/* Fail for a topic that is neither a command nor an option. Returns ERR_USAGE. */
int hint_help(const char *word, struct err *err);

/* Print commands that show a recording. */
void hint_next(const char *path);

#endif
