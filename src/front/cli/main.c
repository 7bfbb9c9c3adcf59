/*
 * main.c - argv in, exit status out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/flame.h"
#include "base/pool.h"
#include "front/cli/args.h"
#include "front/cli/cmd.h"
#include "front/cli/hints.h"
#include "front/cli/messages.h"
#include "front/cli/pager.h"
#include "front/cli/report/report.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Run the shell, which has no command name. */
static int no_command(const struct args *a)
{
	if (a->n_words == 0) {
		say_error("no profile source specified");
		fputs("Try: cpa top -cum cpu.pb.gz\n     cpa flame -o cpu.svg cpu.pb.gz\n     cpa --help\n", stderr);
		return STATUS_TROUBLE;
	}
	return cmd_shell(a);
}

const struct command commands[] = {
	{ "record", "[OPTION]... [--] PROGRAM [ARGUMENT]... | -p PID[,PID]...",
	  "profile a program or running processes, print the top functions", cmd_record_option_at, cmd_run_record,
	  NULL },
	{ "run", "[OPTION]... [--] PROGRAM [ARGUMENT]...", "run a program and write profiles of it", cmd_run_option_at,
	  cmd_run, NULL },
	{ "collect", "[OPTION]... [FILE.cpa | TARGET]...", "collect profiles of servers over time, in a store",
	  cmd_collect_option_at, cmd_collect, NULL },
	{ "doctor", "[OPTION]... slow | memory | threads TARGET | DIR [DIR]", "capture evidence and explain it",
	  cmd_doctor_option_at, cmd_doctor, NULL },
	{ "snapshot", "[OPTION]... -o DIR | --to-store SERVER", "save all profiles of a server into a folder",
	  cmd_snapshot_option_at, cmd_snapshot, NULL },
	{ "store", "COMMAND [OPTION]... [ARGUMENT]...", "list, copy, import and remove stored profiles",
	  cmd_store_option_at, cmd_store, NULL },
	{ "push", "--to=URL [OPTION]... SOURCE...", "send profiles to another system", cmd_push_option_at, cmd_push,
	  NULL },
	{ "threads", "[OPTION]... PID | SERVER | FILE", "print the stacks of all threads of a process",
	  cmd_threads_option_at, cmd_threads, NULL },
	{ "watch", "[OPTION]... store:SERVICE... [-- GATE_OPTION...]", "report stored functions that became slower",
	  cmd_watch_option_at, cmd_watch, NULL },
	{ "help", "[COMMAND | -OPTION | shell | formats | sinks | all]...", "explain a command or an option", NULL,
	  NULL, cmd_help },
	{ "completion", "bash | zsh | fish", "print a completion script for a shell", NULL, NULL, cmd_completion },
	{ "version", "[--verbose]", "print the version, and with --verbose what was built", cmd_version_option_at,
	  cmd_version, NULL },
};
const size_t n_commands = sizeof(commands) / sizeof(commands[0]);

/* Without a source, a report and the shell read the last recording in this folder. */
static void add_recording(struct args *a)
{
	bool reads_one = !a->report || a->report->input == INPUT_PROFILE;
	bool lacks_pattern = a->report && reports_takes_pattern(a->report) && !*a->q.pattern;

	if (a->n_words || a->command || !reads_one || lacks_pattern || a->q.help || a->q.version || *a->q.http ||
	    a->q.base.n || a->q.diff_base.n || access(cmd_record_file, R_OK) < 0)
		return;
	if (a->report && cmd_report_has_input())
		return; /* the user wants to read that, not the recording */
	a->word[a->n_words++] = cmd_record_file;
	say("reading %s", cmd_record_file);
}

/* gate checks its options itself, because its outputs report the error. */
static bool runs_gate(const struct args *a)
{
	return a->report && a->report->input == INPUT_RUNS && !*a->q.http;
}

/* Check the options of pictures, which the shell and the web UI draw later. */
static int check_pictures(const struct args *a, struct err *err)
{
	struct query q = a->q;

	q.output = "";
	q.mean = false;
	q.base.n = q.diff_base.n = 0;
	return answer_flame_check(&q, err);
}

static int dispatch(const struct args *a)
{
	static int (*const report[N_REPORT_INPUTS])(const struct args *a) = {
		[INPUT_PROFILE] = cmd_report, [INPUT_SIDES] = cmd_report_diff,    [INPUT_SERIES] = cmd_report_trend,
		[INPUT_RUNS] = cmd_gate,      [INPUT_STORED] = cmd_report_series,
	};

	struct err err;

	if (a->q.help)
		return cmd_help(a);
	if (a->q.version)
		return cmd_version_print();
	if (a->command && a->command->run)
		return say_error("%s must come first: cpa %s %s", a->command->name, a->command->name,
				 a->command->arguments);
	if (!runs_gate(a) && hint_foreign_option(a, &err) < 0)
		return say_error("%s", err.msg);
	if (a->command)
		return a->command->run_with(a);
	if (a->q.no_browser && !*a->q.http)
		return say_error("-no_browser only makes sense with -http");
	if (hint_check(a, &err) < 0 || (!a->report && check_pictures(a, &err) < 0))
		return say_error("%s", err.msg);
	if (*a->q.http)
		return cmd_web(a);
	return a->report ? report[a->report->input](a) : no_command(a);
}

/* The command that parses its own arguments; NULL if the first word is not such a command. */
static const struct command *first_command(int argc, char **argv)
{
	const struct command *c = argc > 1 ? args_command(argv[1], strlen(argv[1])) : NULL;

	return c && c->run ? c : NULL;
}

static void ignore_sig(int sig)
{
	(void)sig;
}

/*
 * Let writing beyond the maximum file size (ulimit -f) be an error, instead of a signal that ends cpa. A handler is not
 * inherited by the programs that cpa starts; SIG_IGN would be.
 */
static void handle_file_size(void)
{
	const struct sigaction act = { .sa_handler = ignore_sig, .sa_flags = SA_RESTART };
	struct sigaction before;

	if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &act, NULL);
}

/* Write the rest of standard output. Returns the exit status, which is trouble if that fails. */
static int finish_output(int status)
{
	return fflush(stdout) == 0 ? status : say_error("standard output: %s", strerror(errno));
}

/*
 * Keep up to 8 MiB of freed memory, so that a small report does not return its pages to the kernel and fault them in
 * again: 36 of 480 page faults. Both values are within the range in which malloc adapts them itself. Reserve address space
 * of 1 MiB at once, which saves five system calls.
 */
static void keep_freed_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 8 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
}

int main(int argc, char **argv)
{
	const struct command *c = first_command(argc, argv);
	struct args a;
	struct err err;
	int status;

	keep_freed_memory();
	handle_file_size();
	say_set_color(say_wants_color(STDERR_FILENO, "auto"));
	if (c)
		return finish_output(c->run(argc - 1, argv + 1));
	if (args_parse(argc, argv, &a, &err) < 0) {
		cmd_gate_discard(argc, argv);
		return say_error("%s", err.msg);
	}
	say_set_color(say_wants_color(STDERR_FILENO, a.q.color));
	pool_set_size((unsigned)a.q.threads);
	a.q.waiting = progress_debuginfod;
	a.q.columns = pager_columns(&a.q);
	add_recording(&a);
	status = dispatch(&a);
	args_release(&a);
	return finish_output(status);
}
