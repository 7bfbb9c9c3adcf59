/*
 * missing.c - cpa -http of a build without the web UI
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/component.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"

int cmd_web(const struct args *a)
{
	struct err err;

	(void)a;
	component_missing("web", &err);
	return say_error("%s", err.msg);
}
