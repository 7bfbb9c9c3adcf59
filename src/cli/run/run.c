/*
 * run.c - run a program, write the profiles that are asked for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/io.h"
#include "cli/cmd.h"
#include "cli/messages.h"
#include "cli/run/naming.h"
#include "cli/run/options.h"
#include "cli/run/program.h"
#include "cli/run/run.h"

#include <stdio.h>

static int run(struct run_options *o, char **argv)
{
	struct run_result result = { 0 };
	struct buf path = { 0 };
	struct err err;
	struct program program;
	int status;

	if (program_check(argv[0], &path, &program, &err) < 0 || run_options_fit(o, &program, argv[0], &err) < 0) {
		status = say_error("%s", err.msg);
	} else {
		status = run_program(&o->how, &program, buf_text(&path), argv, &result);
		if (o->asked.symbolize)
			naming_put(&result.written);
	}
	run_result_release(&result);
	buf_release(&path);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct run_options o;
	struct err err;
	int status = STATUS_FINE, at = run_options_read(COMMAND_RUN, argc, argv, &o, &err);

	if (at < 0)
		status = say_error("%s", err.msg);
	else if (o.asked.help)
		run_options_help(COMMAND_RUN);
	else if (at == argc)
		status = say_error("%s", run_options_usage(COMMAND_RUN));
	else
		status = run(&o, argv + at);
	run_options_release(&o);
	return status;
}
