/*
 * editor.h - edit a line on a terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SHELL_EDITOR_H
#define CLI_SHELL_EDITOR_H

#include "base/buf.h"
#include "profile/profile.h"

struct editor;

/*
 * Be ready to edit lines on the terminal that standard input is. There is one editor at a time.
 *
 * p       completes words; must live longer
 * Gives   NULL when the terminal cannot do it, or libedit is not there, which is said
 */
struct editor *cmd_shell_editor_open(const struct profile *p);
void cmd_shell_editor_close(struct editor *e); /* takes NULL */

enum editor_end { EDITOR_LINE, EDITOR_CLEARED, EDITOR_END };

/*
 * Read a line. It is kept in the history.
 *
 * out     set to it, without its end
 * Gives   EDITOR_CLEARED after Ctrl-C, EDITOR_END at the end of input
 */
enum editor_end cmd_shell_editor_read(struct editor *e, struct buf *out);

#endif
