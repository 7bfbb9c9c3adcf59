/*
 * doctor.c - run cpa doctor
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/doctor/doctor_int.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/time.h"
#include "fetch/url.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "session/settings.h"
#include "snapshot/snapshot.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS_MAX = S_PER_DAY, PID_DIGITS = 9 };

#define AT(field) offsetof(struct doctor_args, field)

/* clang-format off */
static const struct opt options[] = {
	{ "output", OPT_TEXT, AT(directory), 0, "", "DIR", 0, true, "folder for the evidence, created if needed; -o for short (default cpa-RUNBOOK-TIME)" },
	{ "o", OPT_TEXT, AT(directory), 0, "", "DIR", 0, true, "same as --output" },
	{ "seconds", OPT_INT, AT(seconds), 0, "30", "N", 0, true, "slow: length of the CPU profile" },
	{ "wait", OPT_TEXT, AT(wait), 0, "", "TIME", 0, true, "memory, threads: time from the first to the last capture (default 30m, 10s); Ctrl-C captures now" },
	{ "baseline", OPT_TEXT, AT(baseline), 0, "", "SOURCE", 0, true, "earlier profile to compare with: a file, or a window of a store" },
	{ "store", OPT_TEXT, AT(store), 0, "", "STORE", 0, true, "store with earlier profiles of the program (default $CPA_STORE)" },
	{ "json", OPT_BOOL, AT(json), 0, "false", NULL, 0, true, "print JSON" },
	{ "force", OPT_BOOL, AT(force), 0, "false", NULL, 0, true, "replace existing files" },
	{ "help", OPT_BOOL, AT(help), 0, "false", NULL, 0, true, "print this help" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

static const char short_usage[] = "usage: cpa doctor [OPTION]... slow | memory | threads TARGET | DIR [DIR]";

const struct opt *cmd_doctor_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : cmd_http_option_at(i - N_OPTIONS);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int doctor_read_runbook(const char *word, struct doctor_args *a, struct err *err)
{
	for (int i = 0; i < N_DOCTOR_RUNBOOKS; i++)
		if (strcmp(word, doctor_runbook_name[i]) == 0) {
			a->runbook = (enum doctor_runbook)i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "%.40s: not a runbook; %s", word, short_usage);
}

/* Is the target a process: a number, or pid: and a number? */
static int doctor_read_pid(struct doctor_args *a, struct err *err)
{
	const char *digits = a->target + (url_is_process(a->target) ? strlen("pid:") : 0);
	size_t n = strspn(digits, "0123456789");

	if (n == 0 || (digits[n] && digits == a->target))
		return 0;
	if (digits[n] || n > PID_DIGITS || atoi(digits) == 0)
		return err_set(err, ERR_USAGE, "%.100s: not a process ID", a->target);
	a->pid = atoi(digits);
	if (a->runbook == DOCTOR_MEMORY)
		return err_set(err, ERR_USAGE,
			       "a process has no heap profile; give a server of profiles, or record one: cpa run "
			       "--heap=heap.pb.gz --every=10s -- PROGRAM");
	return 0;
}

static int doctor_check_options(struct doctor_args *a, int n_words, struct err *err)
{
	const char *wait = *a->wait ? a->wait : a->runbook == DOCTOR_MEMORY ? "30m" : "10s";

	if (n_words < 2)
		return err_set(err, ERR_USAGE, "%s", short_usage);
	if (a->second && (!is_directory(a->target) || !is_directory(a->second)))
		return err_set(err, ERR_USAGE, "two targets must be folders of evidence");
	if (a->seconds < 1 || a->seconds > SECONDS_MAX)
		return err_set(err, ERR_USAGE, "--seconds must be 1 to %d", (int)SECONDS_MAX);
	if (amount_parse_duration("--wait", wait, &a->wait_ns, err) < 0)
		return err->code;
	if (a->wait_ns > (int64_t)SECONDS_MAX * NS_PER_S)
		return err_set(err, ERR_USAGE, "--wait must be at most 1d");
	return is_directory(a->target) ? 0 : doctor_read_pid(a, err);
}

static int doctor_read_options(int argc, char **argv, struct doctor_args *a, struct err *err)
{
	const struct opt_table tables[] = { { options, N_OPTIONS, a }, cmd_http_options(&a->http) };
	int n_words = 0;

	opt_set_defaults(options, N_OPTIONS, a);
	cmd_http_set_defaults(&a->http);
	for (int i = 1, used = 1; i < argc; i += used) {
		used = 1;
		if (argv[i][0] == '-' && argv[i][1]) {
			used = opt_read("doctor", tables, 2, argc - i, argv + i, err);
			if (used < 0)
				return used;
			continue;
		}
		if (n_words == 0 && doctor_read_runbook(argv[i], a, err) < 0)
			return err->code;
		if (n_words == 1)
			a->target = argv[i];
		else if (n_words == 2)
			a->second = argv[i];
		else if (n_words > 2)
			return err_set(err, ERR_USAGE, "%s", short_usage);
		n_words++;
	}
	return a->help ? 0 : doctor_check_options(a, n_words, err);
}

/* Save report.md and print the findings. */
static int doctor_write(const struct doctor_args *a, const char *directory, const struct doctor_evidence *e,
			const struct doctor_result *r)
{
	struct buf report = { 0 }, text = { 0 };
	char *path = *directory ? cmd_doctor_path(directory, DOCTOR_REPORT_FILE) : NULL;
	struct err err;
	int status = STATUS_FINE;

	doctor_add_markdown(e, r, &report);
	if (path && io_write_file(path, report.data, report.len, &err) < 0)
		status = say_error("%s", err.msg);
	if (a->json)
		doctor_add_json(e, r, &text);
	else
		doctor_add_text(e, r, &text);
	if (path && !a->json && status == STATUS_FINE)
		buf_addf(&text, "Evidence and report: %s\n", path);
	if (io_write_fd(STDOUT_FILENO, text.data, text.len, &err) < 0)
		status = say_error("standard output: %s", err.msg);
	free(path);
	buf_release(&report);
	buf_release(&text);
	return status;
}

/* Is there evidence of the kind that the runbook is about? If not, an empty list of findings means nothing. */
static bool doctor_has_evidence(const struct doctor_args *a, const struct doctor_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		const struct doctor_capture *c = &files->capture[i];

		if (a->runbook == DOCTOR_SLOW     ? c->cpu != NULL
		    : a->runbook == DOCTOR_MEMORY ? c->heap != NULL
						  : c->stacks != NULL)
			return true;
	}
	return false;
}

static int doctor_explain(const struct doctor_args *a, const char *directory, struct doctor_files *files)
{
	struct buf target = { 0 }, word = { 0 };
	struct doctor_result result;
	const char **missing = mem_alloc(files->missing.n + 1, sizeof(*missing));
	struct doctor_evidence e = { .runbook = a->runbook,
				     .is_process = a->pid != 0,
				     .capture = files->capture,
				     .n = files->n,
				     .comparison = files->comparison,
				     .n_comparisons = files->n_comparisons,
				     .missing = missing,
				     .n_missing = files->missing.n,
				     .lock_holder = buf_text(&files->holder) };
	size_t length;
	int status;

	for (size_t i = 0; i < files->missing.n; i++)
		missing[i] = string_list_get(&files->missing, i, &length);
	url_redact(a->target, &target);
	settings_add_word(*directory ? directory : a->target, &word);
	e.target = buf_text(&target);
	e.directory = buf_text(&word);
	doctor_examine(&e, &result);
	status = doctor_write(a, directory, &e, &result);
	if (!doctor_has_evidence(a, files))
		status = say_error("there is no %s, so these findings are incomplete",
				   a->runbook == DOCTOR_SLOW     ? "profile of CPU time"
				   : a->runbook == DOCTOR_MEMORY ? "profile of the heap"
								 : "list of stacks");
	doctor_release(&result);
	free(missing);
	buf_release(&target);
	buf_release(&word);
	return status;
}

/* Check that the folder has no report, which would be replaced. */
static int doctor_check_absent(const struct doctor_args *a, const char *directory, struct err *err)
{
	char *path = cmd_doctor_path(directory, DOCTOR_REPORT_FILE),
	     *manifest = cmd_doctor_path(directory, SNAPSHOT_MANIFEST);
	int rc = 0;

	if (!a->force && (access(path, F_OK) == 0 || (!is_directory(a->target) && access(manifest, F_OK) == 0)))
		rc = err_set(err, ERR_IO, "%s: has evidence already; replace it with --force", directory);
	free(path);
	free(manifest);
	return rc;
}

static int doctor_run(const struct doctor_args *a, struct buf *directory, struct doctor_files *files, struct err *err)
{
	bool is_saved = is_directory(a->target);
	int rc;

	buf_addz(directory, a->directory);
	if (!is_saved && !directory->len) {
		buf_addf(directory, "cpa-%s-", doctor_runbook_name[a->runbook]);
		time_add_utc(directory, clock_wall_ns(), "%Y%m%dT%H%M%SZ");
	}
	rc = directory->len ? doctor_check_absent(a, directory->data, err) : 0;
	if (rc == 0 && !is_saved)
		rc = cmd_doctor_capture(a, directory->data, files, err);
	rc = rc < 0 ? rc : cmd_doctor_read(is_saved ? a->target : directory->data, files, err);
	if (rc == 0 && a->second)
		rc = cmd_doctor_read(a->second, files, err);
	if (rc == 0 && is_saved && directory->len) {
		const struct snapshot_options o = { .folder = directory->data };
		const struct snapshot s = { .options = &o };

		rc = snapshot_make_folder(&s, err) < 0 ? err->code : 0;
	}
	if (rc == 0)
		cmd_doctor_compare(a, files);
	return rc;
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_args a = { 0 };
	struct doctor_files *files;
	struct buf directory = { 0 };
	struct err err;
	int status;

	if (doctor_read_options(argc, argv, &a, &err) < 0)
		return say_error("%s", err.msg);
	if (a.help) {
		cmd_help_command("doctor");
		return STATUS_FINE;
	}
	files = mem_zalloc(1, sizeof(*files));
	status = doctor_run(&a, &directory, files, &err) < 0 ? say_error("%s", err.msg)
							     : doctor_explain(&a, buf_text(&directory), files);
	cmd_doctor_release(files);
	free(files);
	buf_release(&directory);
	return status;
}
