/*
 * help.h - what the prompt says about itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SHELL_HELP_H
#define CLI_SHELL_HELP_H

#include "base/buf.h"
#include "profile/profile.h"
#include "session/settings.h"

/* Append what the profile says about itself, and how to go on. Like pprof internal/driver greetings. */
void cmd_shell_add_greeting(const struct profile *p, const struct settings *s, struct buf *out);

/* Append the options and their values: those of pprof as pprof lists them, then our own. */
void cmd_shell_add_options(const struct profile *p, const struct settings *s, struct buf *out);

/*
 * Append help.
 *
 * word    a command or an option; "" for all
 * Gives   false when it is neither; then nothing was appended
 */
bool cmd_shell_add_help(const char *word, const struct settings *s, struct buf *out);

#endif
