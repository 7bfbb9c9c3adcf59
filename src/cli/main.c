/*
 * main.c - argv in, exit status out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/pool.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/messages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Without a command: the shell, unless something else was probably meant. */
static int no_command(const struct args *a)
{
	const char *near;

	if (a->n_words == 0) {
		say_error("no profile source specified");
		fputs("Try: cpa top -cum cpu.pb.gz\n     cpa flame -o cpu.svg cpu.pb.gz\n     cpa --help\n", stderr);
		return STATUS_TROUBLE;
	}
	if (args_not_yet(a->word[0]) && access(a->word[0], F_OK) != 0)
		return say_error("pprof's %s is not in this version of cpa", a->word[0]);
	near = args_suggest(a->word[0], true, false);
	if (*near && access(a->word[0], F_OK) != 0)
		return say_error("unknown command \"%s\"; did you mean %s?", a->word[0], near);
	return cmd_shell(a);
}

static int dispatch(const struct args *a)
{
	if (a->q.help || (a->command && strcmp(a->command->name, "help") == 0))
		return cmd_help(a);
	if (a->q.version || (a->command && strcmp(a->command->name, "version") == 0))
		return cmd_version();
	if (!a->command)
		return no_command(a);
	if (strcmp(a->command->name, "completion") == 0)
		return cmd_completion(a);
	if (a->command->report == REPORT_DIFF)
		return cmd_report_diff(a);
	if (a->command->report == REPORT_TREND)
		return cmd_report_trend(a);
	if (a->command->report == REPORT_GATE)
		return cmd_gate(a);
	return cmd_report(a);
}

int main(int argc, char **argv)
{
	struct args a;
	struct err err;
	int status;

	say_set_color(say_color(STDERR_FILENO, "auto"));
	if (argc > 1 && strcmp(argv[1], "run") == 0)
		return cmd_run(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "threads") == 0)
		return cmd_threads(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "snapshot") == 0)
		return cmd_snapshot(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "record") == 0)
		return cmd_record(argc - 1, argv + 1);
	if (args_parse(argc, argv, &a, &err) < 0)
		return say_error("%s", err.msg);
	say_set_color(say_color(STDERR_FILENO, a.q.color));
	pool_set_size((unsigned)a.q.threads);
	a.q.waiting = progress_asking;
	status = dispatch(&a);
	args_release(&a);
	if (fflush(stdout) != 0)
		status = say_error("standard output: %s", strerror(errno));
	return status;
}
