/*
 * record.c - run a program or sample running processes, write one profile, print the top functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each process writes its profile to a temporary folder when it ends, and the profiles are merged at the end. So
 * profiles of processes that ended early are not lost.
 */
#include "config.h"

#include "answer/answer.h"
#include "answer/flame.h"
#include "answer/reports.h"
#include "attach/program.h"
#include "attach/run.h"
#include "attach/sample.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "front/cli/args.h"
#include "front/cli/cmd.h"
#include "front/cli/hints.h"
#include "front/cli/messages.h"
#include "front/cli/report/events.h"
#include "front/cli/run/options.h"
#include "sources/rewrite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAITING_SHARE = 10, WAITING_NS = 100000000 };

const char cmd_record_file[] = "cpa-record.pb.gz";

/* Create the folder for the profiles of the processes. */
static int record_make_folder(struct buf *out, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *name;

	buf_addf(out, "%s/cpa-record-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	name = mem_strndup(buf_text(out), out->len);
	if (!mkdtemp(name)) {
		free(name);
		return err_set(err, ERR_IO, "%s: %s", buf_text(out), strerror(errno));
	}
	out->len = 0;
	buf_addz(out, name);
	free(name);
	return 0;
}

static void record_remove_folder(const char *folder, const struct string_list *written)
{
	for (size_t i = 0; i < written->n; i++) {
		size_t n;
		const char *at = string_list_get(written, i, &n);
		char *path = mem_strndup(at, n);

		unlink(path);
		free(path);
	}
	rmdir(folder);
}

/* Rename an earlier profile to .old. A file named by the user is replaced without this. */
static int rename_old(const char *name, struct err *err)
{
	struct buf old = { 0 };
	int rc = 0;

	buf_addf(&old, "%s.old", name);
	if (access(name, F_OK) == 0 && rename(name, buf_text(&old)) != 0)
		rc = err_set(err, ERR_IO, "%s: %s", buf_text(&old), strerror(errno));
	buf_release(&old);
	return rc;
}

/* Make the command line of the report without the file: cpa top -nodecount=20 OPTION... */
static size_t report_words(const struct run_args *args, char **to, char rows[32])
{
	size_t n = 0;
	bool has_report = false;

	to[n++] = (char *)(uintptr_t) "cpa";
	for (size_t i = 0; i < args->report.n; i++) {
		const char *word = args->report.item[i], *name = word + strspn(word, "-");

		has_report |= *word == '-' && reports_find(name, strcspn(name, "="));
	}
	if (*args->flame) {
		to[n++] = (char *)(uintptr_t) "flame";
		to[n++] = (char *)(uintptr_t) "-o";
		to[n++] = (char *)(uintptr_t)args->flame;
	} else {
		snprintf(rows, 32, "-nodecount=%lld", (long long)args->top);
		if (!has_report) {
			to[n++] = (char *)(uintptr_t) "top";
			to[n++] = rows;
		}
	}
	for (size_t i = 0; i < args->report.n; i++)
		to[n++] = (char *)(uintptr_t)args->report.item[i];
	return n;
}

/* Print the report of a file. NULL: only check the options. Returns the exit status. */
static int record_report(const struct run_args *args, const char *path)
{
	enum { WORDS = 8 };
	char **argv = mem_zalloc(args->report.n + WORDS, sizeof(*argv)), rows[32];
	size_t n = report_words(args, argv, rows);
	int rc, status = STATUS_FINE;
	struct args a;
	struct err err;

	if (path)
		argv[n++] = (char *)(uintptr_t)path;
	if (args_parse((int)n, argv, &a, &err) < 0) {
		free(argv);
		return say_error("%s", err.msg);
	}
	rc = hint_foreign_option(&a, &err);
	if (rc == 0 && a.report)
		rc = answer_check(a.report, &a.q, &err);
	if (rc < 0) {
		status = say_error("%s", err.msg);
	} else if (path) {
		a.q.waiting = progress_debuginfod;
		status = cmd_report(&a);
	}
	args_release(&a);
	free(argv);
	return status;
}

/* Print the report on standard error: standard output belongs to the program, and is left alone for processes too. */
static int print_report(const struct run_args *args, const char *path)
{
	int status = STATUS_FINE;

	if (args->top > 0 || *args->flame || args->report.n)
		status = dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? record_report(args, path) : STATUS_FINE;
	if (args->top > 0)
		hint_next(path);
	return status;
}

static const char *record_output_of(const struct run_args *args)
{
	return *args->output ? args->output : cmd_record_file;
}

/* Explain a CPU profile without stacks. */
static void explain_no_stacks(const struct collect_totals *t, int64_t duration_ns)
{
	if (duration_ns > WAITING_NS && t->cpu_ns < (uint64_t)duration_ns / WAITING_SHARE)
		say("no stacks: the program waits nearly all the time; cpa record --off-cpu shows where");
	else
		say("no stacks: the program was shorter than the interval between samples; --hz=1000 samples more "
		    "often");
}

/* Merge the profiles of all processes, and print the report. Returns true if the originals can be removed. */
static bool record_finish(const struct run_args *args, const struct attach_result *result, int64_t duration)
{
	const char *to = record_output_of(args);
	char comment[80];
	struct rewrite_options merge = { .comment = comment,
					 .duration = duration,
					 .wants_names = !args->no_symbolize,
					 .waiting = progress_debuginfod };
	struct err err;

	if (result->written.n == 0)
		return true;
	snprintf(comment, sizeof(comment), "cpa %s: %zu processes", PACKAGE_VERSION, result->written.n);
	if ((!*args->output && rename_old(to, &err) < 0) ||
	    rewrite_merge(&result->written, &merge, to, &cmd_report_events, &err) < 0) {
		say_error("%s", err.msg);
		return false;
	}
	say("wrote %s", to);
	cmd_run_print_totals(&result->totals);
	if (args->kind == SNAP_CPU && result->totals.n_stacks == 0)
		explain_no_stacks(&result->totals, duration);
	print_report(args, to);
	return true;
}

/* Check that the files can be written. */
static int check_outputs(const struct run_args *args, struct err *err)
{
	int rc = io_out_check(record_output_of(args), true, err);

	return rc == 0 && *args->flame ? io_out_check(args->flame, false, err) : rc;
}

static int record_write_profile(const struct run_args *args, const struct buf *profile, struct err *err)
{
	const char *to = record_output_of(args);
	int rc = *args->output ? 0 : rename_old(to, err);
	struct stat st;

	rc = rc < 0 ? rc : io_write_file_private(to, profile->data, profile->len, err);
	if (rc == 0 && !args->no_symbolize && stat(to, &st) == 0 && S_ISREG(st.st_mode))
		rc = rewrite_symbolize(to, progress_debuginfod, &cmd_report_events, err);
	if (rc == 0)
		say("wrote %s", to);
	return rc;
}

/* Sample running processes while a command runs, if there is one, write the profile, and print the report. Returns the
   exit status. */
static int record_processes(const struct run_options *o, char **command)
{
	struct buf profile = { 0 };
	struct err err;
	int rc = check_outputs(&o->args, &err);

	rc = rc < 0 ? rc : cmd_run_sample(o, command, &profile, &err);
	rc = rc < 0 ? rc : record_write_profile(&o->args, &profile, &err);
	buf_release(&profile);
	if (rc < 0)
		return say_error("%s", err.msg);
	return print_report(&o->args, record_output_of(&o->args));
}

/* Write the profile of a program that was sampled from outside, and print the report. */
static int finish_sampled(const struct run_options *o, const struct buf *profile, struct err *err)
{
	int rc = record_write_profile(&o->args, profile, err);

	if (rc == 0)
		print_report(&o->args, record_output_of(&o->args));
	return rc;
}

/* Run a program, and sample it from outside. Returns the exit status. */
static int record_sampled(const struct run_options *o, const char *path, char **argv)
{
	const struct attach_messages messages = cmd_run_messages();
	struct attach_child child;
	struct buf profile = { 0 };
	struct err err;
	int rc = check_outputs(&o->args, &err), status;
	bool is_first;

	rc = rc < 0 ? rc : attach_child_create(path, argv, &messages, &child, &err);
	if (rc < 0)
		return say_error("%s", err.msg);
	rc = cmd_run_sample_child(o, &child, &profile, &err);
	is_first = rc == 0 && profile.len && o->args.sample.seconds;
	if (is_first) /* the program may run for long */
		rc = finish_sampled(o, &profile, &err);
	status = attach_child_wait(&child);
	if (rc == 0 && profile.len && !is_first)
		rc = finish_sampled(o, &profile, &err);
	buf_release(&profile);
	return rc < 0 ? say_error("%s", err.msg) : status;
}

/* A recording of a program that has our library. */
struct recording {
	const struct run_args *args;
	const char *folder; /* of the profiles of the processes */
	int64_t start_ns;
	bool is_finished;
};

/* Sampling has ended: write the profile. Called at the end, or after --seconds. */
static void on_recorded(void *arg, const struct attach_result *result)
{
	struct recording *r = arg;

	if (r->is_finished)
		return;
	r->is_finished = true;
	if (record_finish(r->args, result, clock_mono_ns() - r->start_ns))
		record_remove_folder(r->folder, &result->written);
	else
		say("the recorded profiles are kept: cpa top '%s/*'", r->folder);
}

/* Run a program with our library, and merge the profiles in this folder. Returns the exit status. */
static int record_loaded(struct run_options *o, const struct program *program, const char *path, char **argv,
			 const char *folder)
{
	struct recording r = { .args = &o->args, .folder = folder, .start_ns = clock_mono_ns() };
	struct attach_result result = { 0 };
	struct buf name = { 0 };
	int status;

	for (const char *c = folder; *c; c++)
		buf_addf(&name, *c == '%' ? "%%%%" : "%c", *c);
	buf_addz(&name, "/%p.pb.gz");
	o->file[0].name = buf_text(&name);
	o->attach.samples_others = o->args.kind == SNAP_CPU && o->attach.collect.follow;
	o->attach.duration_ns = (uint64_t)o->args.sample.seconds * NS_PER_S;
	o->attach.recorded = on_recorded;
	o->attach.recorded_arg = &r;
	status = cmd_run_program(&o->attach, program, path, argv, &result);
	on_recorded(&r, &result);
	attach_result_release(&result);
	buf_release(&name);
	return status;
}

/* Is it a program that profiles itself, and can be sampled from outside meanwhile? Options of the library need it. */
static bool keeps_own_profiles(const struct run_options *o, const struct program *program)
{
	return program->profiles_itself && o->args.kind == SNAP_CPU && !o->args.for_program && !o->attach.follow &&
	       attach_sample_is_permitted();
}

static int record(struct run_options *o, char **argv)
{
	struct buf path = { 0 }, folder = { 0 };
	struct err err;
	struct program program;
	bool is_outside;
	int status, rc = attach_program_check(argv[0], false, &path, &program, &err);

	is_outside = cmd_run_samples_outside(&o->args) || keeps_own_profiles(o, &program);

	if (rc < 0 && program.can_be_sampled && o->args.kind != SNAP_CPU) {
		status = say_error("%s: only CPU time can be recorded of a program that cannot load the library of cpa",
				   argv[0]);
	} else if (rc < 0 ? program.can_be_sampled : is_outside) {
		status = record_sampled(o, buf_text(&path), argv);
	} else if (rc < 0 || cmd_run_sample_check(&o->args, &err) < 0 ||
		   cmd_run_options_drop_unsupported(o, &program, argv[0], &err) < 0 ||
		   check_outputs(&o->args, &err) < 0 || record_make_folder(&folder, &err) < 0) {
		status = say_error("%s", err.msg);
	} else {
		status = record_loaded(o, &program, buf_text(&path), argv, buf_text(&folder));
	}
	buf_release(&path);
	buf_release(&folder);
	return status;
}

int cmd_run_record(int argc, char **argv)
{
	struct run_options o;
	struct err err;
	int status = STATUS_FINE, at = cmd_run_options_read(COMMAND_RECORD, argc, argv, &o, &err);

	if (at < 0)
		status = say_error("%s", err.msg);
	else if (o.args.help)
		cmd_help_command("record");
	else if (at == argc && !cmd_run_samples_processes(&o.args))
		status = say_error("%s", cmd_run_options_usage(COMMAND_RECORD));
	else
		status = record_report(&o.args, NULL);
	if (at >= 0 && !o.args.help && status == STATUS_FINE)
		status = cmd_run_samples_processes(&o.args) ? record_processes(&o, argv + at) : record(&o, argv + at);
	cmd_run_options_release(&o);
	return status;
}
