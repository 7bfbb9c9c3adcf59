/*
 * history.h - history of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file is cpa/history in the XDG state folder, readable by its owner only. Shells that run at the same
 * time append to the same file. If it cannot be read or written, there is no history and no message.
 */
#ifndef FRONT_CLI_SHELL_HISTORY_H
#define FRONT_CLI_SHELL_HISTORY_H

#include "base/string_list.h"

enum { HISTORY_MAX = 1000 };

/* Append the last HISTORY_MAX lines, oldest first. */
void cmd_shell_history_load(struct string_list *out);

/* Add a line, unless it equals the last one, is blank, or contains control characters. */
void cmd_shell_history_add(const char *line);

#endif
