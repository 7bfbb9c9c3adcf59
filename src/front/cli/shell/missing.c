/*
 * missing.c - the prompt in a build without line editing
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/shell/editor.h"

struct shell_editor *cmd_shell_editor_open(const struct profile *p)
{
	(void)p;
	return NULL;
}

void cmd_shell_editor_close(struct shell_editor *e)
{
	(void)e;
}

enum line_result cmd_shell_editor_read(struct shell_editor *e, struct buf *out)
{
	(void)e;
	(void)out;
	return EDITOR_END;
}
