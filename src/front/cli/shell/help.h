/*
 * help.h - greeting, options and help of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_SHELL_HELP_H
#define FRONT_CLI_SHELL_HELP_H

#include "base/buf.h"
#include "profile/profile.h"
#include "session/settings.h"

/* Append the header of the profile and a hint. Like pprof internal/driver greetings. */
void cmd_shell_add_greeting(const struct profile *p, const struct settings *s, struct buf *out);

/* Append the options and their values: those of pprof in its format, then the others. */
void cmd_shell_add_options(const struct profile *p, const struct settings *s, struct buf *out);

/*
 * Append help.
 *
 * word    a command or an option, with or without dashes; "": all
 * Returns false, appending nothing, if the word is neither
 */
bool cmd_shell_add_help(const char *word, const struct settings *s, struct buf *out);

#endif
