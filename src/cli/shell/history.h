/*
 * history.h - the lines that were typed, kept for later sessions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * They are in cpa/history in the XDG state folder, which only its owner can read. Shells that run at
 * the same time add to the same file. Where it cannot be read or written, there is no history, silently.
 */
#ifndef CLI_SHELL_HISTORY_H
#define CLI_SHELL_HISTORY_H

#include "base/texts.h"

enum { HISTORY_MAX = 1000 };

/* Append the last HISTORY_MAX lines, the oldest first. */
void cmd_shell_typed_load(struct texts *out);

/* Keep a line, unless it is the last one already, blank, or holds what a terminal shall not see. */
void cmd_shell_typed_add(const char *line);

#endif
