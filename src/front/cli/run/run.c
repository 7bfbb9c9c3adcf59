/*
 * run.c - run a program and write its profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/files.h"
#include "attach/program.h"
#include "attach/run.h"
#include "base/io.h"
#include "base/mem.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "front/cli/report/events.h"
#include "front/cli/run/options.h"
#include "sources/process.h"
#include "sources/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void run_note(void *arg, const char *text)
{
	(void)arg;
	say("%s", text);
}

static void run_error(void *arg, const char *text)
{
	(void)arg;
	say_error("%s", text);
}

static void exec_failed(void *arg, const char *path, int number)
{
	(void)arg;
	fprintf(stderr, "cpa: %s: %s\n", path, strerror(number));
}

struct attach_messages cmd_run_messages(void)
{
	return (struct attach_messages){ .note = run_note, .error = run_error, .exec_failed = exec_failed };
}

int cmd_run_program(struct attach_options *o, const struct program *program, const char *path, char **argv,
		    struct attach_result *out)
{
	int status;

	o->messages = cmd_run_messages();
	status = attach_run(o, program, path, argv, out);
	return status < 0 ? STATUS_TROUBLE : status;
}

void cmd_run_print_totals(const struct collect_totals *t)
{
	struct buf text = { 0 };

	if (t->cpu_ns == 0)
		return;
	sources_process_add_totals(t, &text);
	say("%s", buf_text(&text));
	buf_release(&text);
}

/* Does the folder of the file depend on the process or the time (%p, %t)? */
static bool has_variable_folder(const char *name)
{
	const char *slash = strrchr(name, '/');

	for (const char *c = name; slash && c < slash; c++)
		if (*c == '%' && (*++c == 'p' || *c == 't'))
			return true;
	return false;
}

static bool run_wants_names(const struct run_options *o)
{
	return o->args.symbolize && !o->args.no_symbolize;
}

/* Check that a profile can be written and, if names are demanded, read again. */
static int run_check_file(const struct run_options *o, const char *path, struct err *err)
{
	struct stat st;

	if (o->args.has_symbolize && run_wants_names(o) && stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "%s: --symbolize needs a file, not a pipe or device", path);
	return io_out_check(path, true, err);
}

/* Check that the profiles of the program can be written. */
static int run_check_files(const struct run_options *o, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < o->attach.n_files && rc == 0; i++) {
		struct buf path = { 0 };

		if (has_variable_folder(o->file[i].name))
			continue;
		attach_file_name(o->file[i].name, getpid(), "", &path);
		rc = run_check_file(o, buf_text(&path), err);
		buf_release(&path);
	}
	return rc;
}

/* Add function names to these files, except to pipes. A file that cannot be read is left unchanged. */
static void run_symbolize(const struct string_list *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		size_t n;
		const char *at = string_list_get(paths, i, &n);
		char *path = mem_strndup(at, n);
		struct stat st;
		struct err err;

		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		    rewrite_symbolize(path, progress_debuginfod, &cmd_report_events, &err) < 0)
			say_error("%s", err.msg);
		free(path);
	}
}

/* Print on one line which files were written. If there are many, print the last ones, which are those of the program
   itself. */
static void print_written(const struct string_list *paths)
{
	enum { NAMES_MAX = 6, NAMES_OF_MANY = 3 };
	size_t first = paths->n > NAMES_MAX ? paths->n - NAMES_OF_MANY : 0;
	struct buf line = { 0 };

	for (size_t i = first; i < paths->n; i++) {
		size_t n;
		const char *path = string_list_get(paths, i, &n);

		buf_addz(&line, i > first ? ", " : "");
		buf_add(&line, path, n);
	}
	if (first)
		say("wrote %zu files, the last ones %s", paths->n, buf_text(&line));
	else if (paths->n)
		say("wrote %s", buf_text(&line));
	buf_release(&line);
}

static int run_all(struct run_options *o, char **argv)
{
	struct attach_result result = { 0 };
	struct buf path = { 0 };
	struct err err;
	struct program program;
	int status;

	if (attach_program_check(argv[0], o->attach.collect.follow, &path, &program, &err) < 0 ||
	    cmd_run_options_drop_unsupported(o, &program, argv[0], &err) < 0 || run_check_files(o, &err) < 0) {
		status = say_error("%s", err.msg);
	} else {
		status = cmd_run_program(&o->attach, &program, buf_text(&path), argv, &result);
		if (run_wants_names(o))
			run_symbolize(&result.written);
		if (!o->args.quiet) {
			print_written(&result.written);
			if (result.written.n)
				cmd_run_print_totals(&result.totals);
		}
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
		cmd_help_command("run");
	else if (at == argc)
		status = say_error("%s", cmd_run_options_usage(COMMAND_RUN));
	else
		status = run_all(&o, argv + at);
	cmd_run_options_release(&o);
	return status;
}
