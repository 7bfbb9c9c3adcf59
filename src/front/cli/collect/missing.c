/*
 * missing.c - cpa collect of a build without it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/component.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"

const struct opt *cmd_collect_option_at(size_t i)
{
	(void)i;
	return NULL;
}

int cmd_collect(int argc, char **argv)
{
	struct err err;

	(void)argc;
	(void)argv;
	component_missing("collect", &err);
	return say_error("%s", err.msg);
}
