/*
 * missing.c - the full screen in a build without it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/shell.h"

#include "base/component.h"

/* Of front/shell/views. */
const struct pane_class *const shell_views[N_REPORT_VIEWS];

int shell_check_terminal(struct err *err)
{
	return component_missing("shell", err);
}

int shell_run(const struct shell_options *options, struct err *err)
{
	(void)options;
	return component_missing("shell", err);
}

int shell_play(const struct shell_options *options, const char *keys, int width, int height, bool with_styles,
	       struct buf *out, struct err *err)
{
	(void)options;
	(void)keys;
	(void)width;
	(void)height;
	(void)with_styles;
	(void)out;
	return component_missing("shell", err);
}
