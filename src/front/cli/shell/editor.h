/*
 * editor.h - edit a line on a terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_SHELL_EDITOR_H
#define FRONT_CLI_SHELL_EDITOR_H

#include "base/buf.h"
#include "profile/profile.h"

struct shell_editor;

/*
 * Create the line editor. Standard input must be a terminal that can move its cursor. Only one editor can exist.
 *
 * p       for completion; must outlive the editor
 * Returns NULL if neither standard error nor output is a terminal, or, with a message, if libedit is missing
 */
struct shell_editor *cmd_shell_editor_open(const struct profile *p);
void cmd_shell_editor_close(struct shell_editor *e); /* takes NULL */

enum line_result { EDITOR_LINE, EDITOR_CLEARED, EDITOR_END };

/*
 * Read a line and add it to the history.
 *
 * out     set to the line without newline
 * Returns EDITOR_CLEARED after Ctrl-C, EDITOR_END at the end of input
 */
enum line_result cmd_shell_editor_read(struct shell_editor *e, struct buf *out);

#endif
