/*
 * run.c - run a program, write the profiles that are asked for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/files.h"
#include "attach/program.h"
#include "attach/run.h"
#include "base/io.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/messages.h"
#include "cli/report/events.h"
#include "cli/run/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(void *arg, const char *text)
{
	(void)arg;
	say("%s", text);
}

static void error(void *arg, const char *text)
{
	(void)arg;
	say_error("%s", text);
}

static void exec_failed(void *arg, const char *path, int number)
{
	(void)arg;
	fprintf(stderr, "cpa: %s: %s\n", path, strerror(number));
}

int cmd_run_program(struct attach_options *o, const struct program *program, const char *path, char **argv,
		    struct attach_result *out)
{
	int status;

	o->messages = (struct attach_messages){ .note = note, .error = error, .exec_failed = exec_failed };
	status = attach_run(o, program, path, argv, out);
	return status < 0 ? STATUS_TROUBLE : status;
}

/* Put names into each of these files. One that cannot be read stays as it is. */
static void symbolize(const struct texts *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		size_t n;
		const char *at = texts_at(paths, i, &n);
		char *path = mem_strndup(at, n);
		struct err err;

		if (answer_files_symbolize(path, &cmd_report_events, &err) < 0)
			say_error("%s", err.msg);
		free(path);
	}
}

static int run(struct run_options *o, char **argv)
{
	struct attach_result result = { 0 };
	struct buf path = { 0 };
	struct err err;
	struct program program;
	int status;

	if (attach_program_check(argv[0], &path, &program, &err) < 0 ||
	    cmd_run_options_fit(o, &program, argv[0], &err) < 0) {
		status = say_error("%s", err.msg);
	} else {
		status = cmd_run_program(&o->attach, &program, buf_text(&path), argv, &result);
		if (o->args.symbolize)
			symbolize(&result.written);
	}
	attach_result_release(&result);
	buf_release(&path);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct run_options o;
	struct err err;
	int status = STATUS_FINE, at = cmd_run_options_read(COMMAND_RUN, argc, argv, &o, &err);

	if (at < 0)
		status = say_error("%s", err.msg);
	else if (o.args.help)
		cmd_run_options_help(COMMAND_RUN);
	else if (at == argc)
		status = say_error("%s", cmd_run_options_usage(COMMAND_RUN));
	else
		status = run(&o, argv + at);
	cmd_run_options_release(&o);
	return status;
}
