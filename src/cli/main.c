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

const struct command commands[] = {
	{ "record", "[OPTION]... [--] PROGRAM [ARGUMENT]...",
	  "run a program, write one profile of it, print what took most; cpa record --help", cmd_run_record, NULL },
	{ "run", "[OPTION]... [--] PROGRAM [ARGUMENT]...",
	  "run a program and write profiles of it; cpa run --help tells more", cmd_run, NULL },
	{ "snapshot", "[OPTION]... -o DIR SERVER",
	  "capture all profiles of a server into a folder; cpa snapshot --help", cmd_snapshot, NULL },
	{ "threads", "[OPTION]... PID | SERVER | FILE", "show where each thread of a process is; cpa threads --help",
	  cmd_threads, NULL },
	{ "help", "[COMMAND | OPTION]", "explain a command or an option", NULL, cmd_help },
	{ "completion", "bash | zsh | fish", "print the completion script of a shell", NULL, cmd_completion },
	{ "version", "", "print the version", NULL, cmd_version },
};
const size_t n_commands = sizeof(commands) / sizeof(commands[0]);

static int dispatch(const struct args *a)
{
	static int (*const report[N_REPORT_INPUTS])(const struct args *a) = {
		[INPUT_PROFILE] = cmd_report,
		[INPUT_SIDES] = cmd_report_diff,
		[INPUT_SERIES] = cmd_report_trend,
		[INPUT_RUNS] = cmd_gate,
	};

	if (a->q.help)
		return cmd_help(a);
	if (a->q.version)
		return cmd_version(a);
	if (a->command && a->command->run)
		return say_error("%s has options of its own, so it comes first: cpa %s %s", a->command->name,
				 a->command->name, a->command->arguments);
	if (a->command)
		return a->command->run_with(a);
	return a->report ? report[a->report->input](a) : no_command(a);
}

/* The command that reads all of its words by itself; NULL when the first one names none. */
static const struct command *first_command(int argc, char **argv)
{
	const struct command *c = argc > 1 ? args_command(argv[1], strlen(argv[1])) : NULL;

	return c && c->run ? c : NULL;
}

int main(int argc, char **argv)
{
	const struct command *c = first_command(argc, argv);
	struct args a;
	struct err err;
	int status;

	say_set_color(say_color(STDERR_FILENO, "auto"));
	if (c)
		return c->run(argc - 1, argv + 1);
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
