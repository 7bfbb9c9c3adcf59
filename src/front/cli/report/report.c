/*
 * report.c - load sources, make a report, write it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/answer.h"
#include "answer/draw.h"
#include "answer/explain.h"
#include "answer/flame.h"
#include "base/io.h"
#include "base/str.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "front/cli/pager.h"
#include "front/cli/report/events.h"
#include "front/cli/report/open.h"
#include "front/cli/report/report.h"
#include "profile/sums.h"
#include "report/labels.h"
#include "sources/stored.h"
#include "sources/stored_labels.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool cmd_report_to_stdout(const struct query *q)
{
	return !*q->output || strcmp(q->output, "-") == 0;
}

bool cmd_report_color(const struct query *q)
{
	return cmd_report_to_stdout(q) && say_wants_color(STDOUT_FILENO, q->color);
}

void cmd_report_say_notes(const struct buf *notes)
{
	load_events_notes(&cmd_report_events, notes);
}

struct load_request cmd_report_request(const struct args *a)
{
	const struct opt_list *bases = a->q.diff_base.n ? &a->q.diff_base : &a->q.base;

	return (struct load_request){ .q = &a->q,
				      .word = a->word,
				      .n_words = a->n_words,
				      .base = bases->item,
				      .n_bases = bases->n,
				      .add_sources = a->report && a->report->flags & REPORT_ADDS_SOURCES,
				      .events = &cmd_report_events };
}

/* If all values of the sample type are 0, suggest another sample type. Otherwise filters removed everything, and
   their notes say so. */
static void explain_empty(const struct profile *p, const struct args *a)
{
	const struct query *q = &a->q;
	struct buf reason = { 0 };
	const char *type = answer_explain_empty(p, q, q->base.n + q->diff_base.n, &reason);

	if (type)
		say("%s; try %ssample_index=%s", buf_text(&reason), a->is_shell_line ? "" : "-", type);
	else if (reason.len)
		say("%s", buf_text(&reason));
	buf_release(&reason);
}

/* Write to the first of profile001.SUFFIX, profile002.SUFFIX ... that does not exist yet. */
static int write_numbered(const struct buf *text, const char *suffix)
{
	enum { LAST = 999 };
	struct err err;
	char name[64];
	int fd = -1;

	for (int i = 1; fd < 0 && i <= LAST; i++) {
		snprintf(name, sizeof(name), "profile%03d.%s", i, suffix);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			return say_error("%s: %s", name, strerror(errno));
	}
	if (fd < 0)
		return say_error("profile001.%s to %s exist; use -o to name a file", suffix, name);
	say("Generating report in %s", name);
	if (io_write_fd(fd, buf_text(text), text->len, &err) < 0) {
		close(fd);
		unlink(name);
		return say_error("%s: %s", name, err.msg);
	}
	return close(fd) < 0 ? say_error("%s: %s", name, strerror(errno)) : STATUS_FINE;
}

/* Report that standard output cannot be written. A closed pipe of the shell is not an error. */
static int report_write_error(const struct args *a, const struct err *err)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (a->is_shell_line && poll(&out, 1, 0) == 1 && (out.revents & POLLERR))
		return STATUS_FINE;
	return say_error("standard output: %s", err->msg);
}

/* Lines of the prompt are not paged: they have | less. */
static int write_stdout(const struct buf *text, const struct args *a, struct err *err)
{
	return a->is_shell_line ? io_write_fd(STDOUT_FILENO, buf_text(text), text->len, err)
				: pager_write(buf_text(text), text->len, &a->q, err);
}

static int write_answer_pieces(const struct answer *answer, const struct args *a, struct err *err)
{
	return a->is_shell_line ? answer_write(answer, STDOUT_FILENO, err) : pager_write_answer(answer, &a->q, err);
}

/* Say that a file was written, and if its ending is that of another format. */
static void report_say_written(const struct args *a)
{
	const char *path = a->q.output, *suffix = reports_suffix(a->report, &a->q);

	say("Generating report in %s", path);
	if (suffix && !ends_with(path, suffix) && args_has_other_ending(a))
		say("%s is in the format .%s, in spite of its ending; cpa convert writes the format of the ending",
		    path, suffix);
}

int cmd_report_write(const struct buf *text, const struct args *a)
{
	const struct query *q = &a->q;
	const char *suffix = reports_suffix(a->report, q);
	struct err err;

	if (suffix && !*q->output && (a->is_shell_line || isatty(STDOUT_FILENO)))
		return write_numbered(text, suffix);
	if (cmd_report_to_stdout(q))
		return write_stdout(text, a, &err) < 0 ? report_write_error(a, &err) : STATUS_FINE;
	if (io_write_file(q->output, buf_text(text), text->len, &err) < 0)
		return say_error("%s", err.msg);
	report_say_written(a);
	return STATUS_FINE;
}

static int show_picture(const struct answer *answer, const struct args *a)
{
	const void *text = buf_text(&answer->text);
	struct err err;
	int rc = a->is_shell_line ? cmd_report_open_start(a->report, text, answer->text.len, &err)
				  : cmd_report_open_show(a->report, text, answer->text.len, &err);

	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}

/* Write the answer to the output that the options select. Returns the exit status. */
static int write_answer(const struct answer *answer, const struct args *a)
{
	const struct query *q = &a->q;
	struct io_out out;
	struct err err;
	int rc;

	if (!answer->pieces)
		return cmd_report_write(&answer->text, a);
	if (cmd_report_to_stdout(q))
		return write_answer_pieces(answer, a, &err) < 0 ? report_write_error(a, &err) : STATUS_FINE;
	if (io_out_open(q->output, &out, &err) < 0)
		return say_error("%s", err.msg);
	rc = answer_write(answer, out.fd, &err);
	if (rc < 0)
		err_wrap(&err, "%s", q->output);
	if (io_out_close(&out, rc == 0, &err) < 0 || rc < 0)
		return say_error("%s", err.msg);
	report_say_written(a);
	return STATUS_FINE;
}

/* Check that a picture can be shown, if the command shows one. */
static int check_shown(const struct args *a, struct err *err)
{
	const struct picture *picture = a->report->picture;

	return picture && picture->is_shown && !*a->q.output ? cmd_report_open_check(a->report, err) : 0;
}

int cmd_report_finish(const struct args *a, const struct answer *answer, int rc, const struct err *err)
{
	progress_end();
	cmd_report_say_notes(&answer->notes);
	if (rc < 0)
		return say_error("%s", err->msg);
	return answer->picture ? show_picture(answer, a) : write_answer(answer, a);
}

static void report_ignore_note(void *arg, bool is_error, const char *line, size_t n)
{
	(void)arg, (void)is_error, (void)line, (void)n;
}

/* A note of loading. Lines on what was read from a store are kept: a report as text begins with them. */
static void report_keep_store_note(void *arg, bool is_error, const char *line, size_t n)
{
	if (is_error || !starts_with_n(line, n, "store: "))
		cmd_report_events.note(NULL, is_error, line, n);
	else
		buf_addf(arg, "%.*s\n", (int)n, line);
}

/* Print the kept notes that are no lines of the output; NULL: none is. */
static void report_say_store_notes(const struct buf *kept, const struct buf *output)
{
	const char *line = buf_text(kept);

	for (size_t n; *line; line += n) {
		n = strcspn(line, "\n") + 1;
		if (!output || !memmem(buf_text(output), output->len, line, n))
			say("%.*s", (int)(n - 1), line);
	}
}

/* The report needs a profile with all stacks. */
enum { STATUS_AGAIN = -1 };

/* kept: the notes of a store; NULL: none */
static int report_profile(const struct profile *p, const struct args *a, const struct side_sources from[N_SIDES],
			  const struct buf *kept)
{
	/* prefix of errors if there is only one source */
	const char *name = from[SIDE_NEW].n == 1 && from[SIDE_BASE].n == 0 ? from[SIDE_NEW].source[0] : NULL;
	struct answer answer = { 0 };
	struct err err;
	int rc = check_shown(a, &err), status;

	if (rc == 0)
		rc = answer_make(p, a->report, &a->q, from, cmd_report_color(&a->q), &answer, &err);
	if (p->sums && rc != ERR_STOPPED && (rc < 0 || p->sums->lacks_stacks)) {
		answer_release(&answer);
		return STATUS_AGAIN;
	}
	if (rc < 0 && name && err.code != ERR_USAGE && err.code != ERR_IO)
		err_wrap(&err, "%s", name);
	if (kept)
		report_say_store_notes(kept, rc == 0 && cmd_report_to_stdout(&a->q) ? &answer.text : NULL);
	status = cmd_report_finish(a, &answer, rc, &err);
	if (status == STATUS_FINE && answer.is_empty)
		explain_empty(p, a);
	else if (status == STATUS_FINE && a->report->none && answer.report.table.n_rows == 0)
		say("%s", a->report->none);
	if (status == STATUS_FINE && a->q.strict && answer.report.n_findings)
		status = STATUS_NO;
	answer_release(&answer);
	return status;
}

int cmd_report_profile(const struct profile *p, const struct args *a, const struct side_sources from[N_SIDES])
{
	return report_profile(p, a, from, NULL);
}

/* Fail if symbolize or bundle found no names. */
static int check_names(const struct args *a, const struct source_set *new)
{
	if (a->report->flags & REPORT_WANTS_NAMES && new->n_unnamed && !new->n_named)
		return say_error("no function names found; the profile was written without them");
	return STATUS_FINE;
}

bool cmd_report_has_input(void)
{
	enum { WAIT_MS = 50 }; /* until the program before the pipe has written */
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	struct stat st;
	int n = 0;

	if (fstat(in.fd, &st) != 0 || S_ISREG(st.st_mode))
		return S_ISREG(st.st_mode) && st.st_size > 0;
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))
		return false;
	return poll(&in, 1, WAIT_MS) == 1 && ioctl(in.fd, FIONREAD, &n) == 0 && n > 0;
}

/* Report that the source is missing, with an example. */
static int fail_no_source(const struct args *a)
{
	const char *name = a->report->name;

	if (reports_takes_pattern(a->report) && (!*a->q.pattern || access(a->q.pattern, F_OK) == 0))
		return say_error("%s needs a REGEX and a source; try: cpa %s main cpu.pb.gz", name, name);
	if (cmd_report_has_input())
		return say_error("no profile source specified; to read standard input use: cpa %s -", name);
	if (a->report->example)
		return say_error("no profile source specified; try: %s", a->report->example);
	return say_error("no profile source specified; try: cpa %s%s cpu.pb.gz", name,
			 reports_takes_pattern(a->report) ? " REGEX" : "");
}

/* Fail for "cpa flame cpu.pb.gz cpu.svg", suggesting -o. Returns the exit status. */
static int check_output(const struct args *a)
{
	const char *last = a->n_words > 1 ? a->word[a->n_words - 1] : "-";
	const struct query q = { .output = last, .format = "" };
	enum flame_format format;

	if (a->report->view != VIEW_FLAME || *a->q.output || strcmp(last, "-") == 0 || strstr(last, "://") ||
	    answer_flame_format(&q, &format, NULL) < 0 || access(last, F_OK) == 0)
		return STATUS_FINE;
	return say_error("%s: No such file or directory; use -o %s to write it", last, last);
}

/* Read properties of labels in the stores of the sources. */
static int read_facts(const struct args *a, struct label_facts *facts, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < a->n_words; i++)
		if (stored_is_source(a->word[i]))
			rc = stored_labels_read(a->word[i], &a->q, facts, err);
	return rc;
}

/* is_again: the notes of loading were printed. Returns the exit status, or STATUS_AGAIN. */
static int report_sources(const struct args *a, bool is_again)
{
	struct load_request request = cmd_report_request(a);
	struct load_events events = cmd_report_events;
	struct buf kept = { 0 };
	struct args followed = *a;
	struct stop stop = { 0 };
	struct label_facts facts = { 0 };
	struct load_result l;
	struct err err;
	int status = STATUS_FINE;

	events.arg = &kept;
	events.note = is_again ? report_ignore_note : report_keep_store_note;
	request.events = &events;
	if (sources_load(&request, &l, &err) < 0)
		status = say_error("%s", err.msg);
	else if (!l.profile)
		status = fail_no_source(a);
	else if (a->report->flags & REPORT_ASKS_STORES && read_facts(a, &facts, &err) < 0)
		status = say_error("%s", err.msg);
	if (l.profile && status == STATUS_FINE) {
		followed.q.stop = &stop;
		followed.q.label_facts = &facts;
		progress_begin("making the report");
		progress_follow(&stop);
		status = report_profile(l.profile, &followed, l.from, &kept);
		if (status == STATUS_FINE)
			status = check_names(a, &l.set[SIDE_NEW]);
		if (l.set[SIDE_NEW].n_failed || l.set[SIDE_BASE].n_failed)
			status = STATUS_TROUBLE;
	} else {
		report_say_store_notes(&kept, NULL);
	}
	buf_release(&kept);
	stored_labels_release(&facts);
	load_result_release(&l);
	return status;
}

int cmd_report(const struct args *a)
{
	struct args again = *a;
	struct err err;
	int status;

	if (*a->q.keys)
		return cmd_shell(a);
	if (a->overruled_type)
		say("Multiple value selections, ignoring -%s", a->overruled_type);
	if (answer_check(a->report, &a->q, &err) < 0)
		return say_error("%s", err.msg);
	if (check_output(a) != STATUS_FINE)
		return STATUS_TROUBLE;
	status = report_sources(a, false);
	if (status != STATUS_AGAIN)
		return status;
	again.q.wants_sums = false;
	return report_sources(&again, true);
}
