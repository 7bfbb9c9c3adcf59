/*
 * baseline.c - compare the newest profile of a runbook with earlier ones: CPU time by the gate, others by their total
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The gate and the report are other processes, as for cpa watch (front/cli/watch/judge.c).
 */
#include "config.h"

#include "front/cli/doctor/doctor_int.h"

#include "base/child.h"
#include "base/jansson.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/time.h"
#include "base/unit.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"
#include "front/cli/watch/watch.h"
#include "session/settings.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS_SHOWN = 5, OUTPUT_MAX = 256 << 20, SECONDS_MAX = 3600 };

/* Earlier times of the same service, in minutes before the profile. */
static const struct {
	const char *name;
	int from, to;
} earlier[] = { { "an hour before", 90, 30 }, { "a day before", 25 * 60, 23 * 60 } };

/* After this time, the last deploy need not be the last one before the profile. */
enum { RECENT_MINUTES = 60 };

/* "main.parse +41 % (12 % to 16 % of the total), ..." */
static void baseline_add_functions(const struct cmd_watch_verdict *v, struct buf *out)
{
	for (size_t i = 0; i < v->n && i < FUNCTIONS_SHOWN; i++) {
		const struct cmd_watch_function *f = &v->function[i];

		buf_addf(out, "%s%s %+.0f %% (%.1f %% to %.1f %% of the total)", i ? ", " : "", f->name,
			 100 * f->change, 100 * f->share_before, 100 * f->share_after);
	}
	if (v->n > FUNCTIONS_SHOWN)
		buf_addf(out, ", and %zu more", v->n - FUNCTIONS_SHOWN);
}

/* The profile of a runbook. */
struct doctor_subject {
	const char *kind; /* in a store */
	const char *type; /* sample type */
	const char *what; /* "the heap had %s", without the number */
};

static const struct doctor_subject subjects[N_DOCTOR_RUNBOOKS] = {
	[DOCTOR_SLOW] = { "cpu", "cpu", "" },
	[DOCTOR_MEMORY] = { "heap", "inuse_space", "the heap had" },
	[DOCTOR_THREADS] = { "goroutine", "goroutine", "the number of goroutines was" },
};
static const struct doctor_subject threads_subject = { "threads", "threads", "the number of threads was" };

/* A comparison that is being made. */
struct doctor_comparer {
	const struct doctor_args *a;
	struct doctor_files *files;
	const struct doctor_subject *subject;
	const struct profile *profile; /* of the capture */
	const char *path, *url;
	int64_t time_ns; /* 0: unknown */
};

/* Run the gate. Returns the verdict, or NULL if there is none. */
static const char *compare_by_gate(char **argv, struct buf *details, struct err *err)
{
	struct cmd_watch_verdict verdict;
	const char *word;

	if (cmd_watch_judge(argv, cmd_interrupt_catch(), &verdict, err) < 0) {
		cmd_interrupt_release();
		return NULL;
	}
	cmd_interrupt_release();
	baseline_add_functions(&verdict, details);
	word = cmd_watch_outcome_word(verdict.outcome);
	cmd_watch_verdict_release(&verdict);
	return word;
}

/* The number of instances that a profile of a store has in its comments; 1 if it has none. */
static double count_instances(const struct jansson *lib, const json_t *root)
{
	const json_t *comments = lib->object_get(lib->object_get(root, "profile"), "comments");

	for (size_t i = 0; json_is_array(comments) && i < lib->array_size(comments); i++) {
		const json_t *text = lib->array_get(comments, i);
		const char *at = json_is_string(text) ? strstr(lib->string_value(text), " profiles of ") : NULL;
		double n = at ? strtod(at + strlen(" profiles of "), NULL) : 0;

		if (n >= 1)
			return n;
	}
	return 1;
}

/* Run a report, and append its total per instance. Returns "", or NULL if there is none. */
static const char *compare_totals(char **argv, const struct doctor_subject *subject, struct buf *details,
				  struct err *err)
{
	const struct jansson *lib;
	json_error_t reason;
	struct buf text = { 0 };
	json_t *root = NULL;
	const json_t *total = NULL;
	int rc = jansson_load(&lib, err);

	if (rc == 0) {
		rc = child_read((const char *const *)argv, OUTPUT_MAX, SECONDS_MAX, cmd_interrupt_catch(), &text, err);
		cmd_interrupt_release();
	}
	if (rc == 0 && (root = lib->loadb(text.data, text.len, 0, &reason)))
		total = lib->object_get(root, "total");
	if (json_is_integer(total)) {
		double n = count_instances(lib, root);
		int64_t each = (int64_t)((double)lib->integer_value(total) / n);

		buf_addf(details, "%s ", subject->what);
		if (strcmp(subject->type, "inuse_space") == 0)
			unit_add_label(details, each, "bytes", "auto");
		else
			unit_add_count(details, each > 0 ? (uint64_t)each : 0);
		if (n > 1)
			buf_addf(details, " per instance, the mean of %.0f", n);
	} else if (rc == 0) {
		rc = err_set(err, ERR_IO, "cpa top printed no total");
	}
	if (root)
		lib->delete (root);
	buf_release(&text);
	return rc == 0 ? "" : NULL;
}

/* Append a command line for people. */
static void add_command(const struct doctor_comparer *c, const char *source, struct buf *out)
{
	struct buf word = { 0 };

	buf_addz(out, c->a->runbook == DOCTOR_SLOW ? "cpa gate" : "cpa diff");
	if (*c->a->store) {
		buf_addf(&word, "--store=%s", c->a->store);
		buf_addz(out, " ");
		settings_add_word(word.data, out);
		word.len = 0;
	}
	if (c->a->runbook != DOCTOR_SLOW)
		buf_addf(out, " -sample_index=%s ", c->subject->type);
	buf_addf(&word, c->a->runbook == DOCTOR_SLOW ? "-base=%s" : "%s", source);
	buf_addz(out, c->a->runbook == DOCTOR_SLOW ? " " : "");
	settings_add_word(word.data, out);
	buf_addz(out, " ");
	settings_add_word(c->path, out);
	buf_release(&word);
}

/* A failure is a statement, not an error: the baseline may have no profiles. */
static void compare_with(const struct doctor_comparer *c, const char *name, const char *source)
{
	bool is_gate = c->a->runbook == DOCTOR_SLOW;
	struct buf *text = c->files->comparison_text[c->files->n_comparisons];
	struct buf store = { 0 }, base = { 0 }, type = { 0 };
	char *argv[8] = { (char *)(uintptr_t) "/proc/self/exe", (char *)(uintptr_t)(is_gate ? "gate" : "top"),
			  (char *)(uintptr_t) "-json" };
	int argc = 3;
	const char *verdict;
	struct err err;

	if (*c->a->store) {
		buf_addf(&store, "--store=%s", c->a->store);
		argv[argc++] = store.data;
	}
	buf_addf(&type, "-sample_index=%s", c->subject->type);
	buf_addf(&base, is_gate ? "-base=%s" : "%s", source);
	if (!is_gate)
		argv[argc++] = type.data;
	argv[argc++] = base.data;
	argv[argc++] = is_gate ? (char *)(uintptr_t)c->path : NULL;
	progress_begin("comparing with the baseline");
	verdict = is_gate ? compare_by_gate(argv, &text[2], &err) : compare_totals(argv, c->subject, &text[2], &err);
	progress_end();
	buf_addf(&text[0], *name ? "%s (%s)" : "%s%s", name, source);
	if (verdict) {
		add_command(c, source, &text[1]);
	} else {
		const char *reason = strstr(err.msg, "store:") ? strstr(strstr(err.msg, "store:"), ": ") : NULL;

		buf_addz(&text[2], reason ? reason + 2 : err.msg);
	}
	c->files->comparison[c->files->n_comparisons++] = (struct doctor_comparison){ .source = buf_text(&text[0]),
										      .command = buf_text(&text[1]),
										      .verdict = verdict,
										      .details = buf_text(&text[2]) };
	buf_release(&store);
	buf_release(&base);
	buf_release(&type);
}

/* The name of the file of the program. */
static const char *program_of(const struct profile *p)
{
	return p->n_maps ? path_base(profile_text(p, p->map[0].file)) : "";
}

/* Compare with stored profiles of the same service. */
static void compare_with_store(const struct doctor_comparer *c)
{
	char *service = cmd_doctor_find_service(c->a->store, c->url, program_of(c->profile), c->subject->kind);

	for (size_t i = 0; i < sizeof(earlier) / sizeof(earlier[0]) && c->time_ns > 2 * NS_PER_DAY; i++) {
		struct buf source = { 0 };

		buf_addf(&source, "store:\"%s\"/%s@", service, c->subject->kind);
		time_add_utc(&source, c->time_ns - earlier[i].from * NS_PER_MINUTE, TIME_ISO);
		buf_addz(&source, "..");
		time_add_utc(&source, c->time_ns - earlier[i].to * NS_PER_MINUTE, TIME_ISO);
		compare_with(c, earlier[i].name, source.data);
		buf_release(&source);
	}
	if (c->time_ns > clock_wall_ns() - RECENT_MINUTES * NS_PER_MINUTE) {
		struct buf source = { 0 };

		buf_addf(&source, "store:\"%s\"/%s@deploy-1h..deploy", service, c->subject->kind);
		compare_with(c, "the hour before the last deploy", source.data);
		buf_release(&source);
	}
	free(service);
}

/* The newest profile of the runbook. */
static const struct profile *newest(const struct doctor_args *a, const struct doctor_files *files, size_t *capture)
{
	const struct profile *p = NULL;

	for (size_t i = 0; i < files->n; i++) {
		const struct doctor_saved *s = &files->saved[i];
		const struct profile *found = a->runbook == DOCTOR_SLOW     ? s->shown.cpu
					      : a->runbook == DOCTOR_MEMORY ? s->shown.heap
									    : s->threads;

		if (found) {
			p = found;
			*capture = i;
		}
	}
	return p;
}

void cmd_doctor_compare(const struct doctor_args *a, struct doctor_files *files)
{
	struct doctor_comparer c = { .a = a, .files = files, .subject = &subjects[a->runbook] };
	struct buf directory = { 0 };
	size_t at = 0;
	char *path, *name;

	c.profile = newest(a, files, &at);
	if (!c.profile)
		return;
	if (a->runbook == DOCTOR_THREADS && files->saved[at].shown.stacks && files->saved[at].stacks.are_threads)
		c.subject = &threads_subject;
	name = cmd_doctor_name(c.subject->kind);
	path = cmd_doctor_path(files->saved[at].path, name);
	c.path = path;
	c.url = files->saved[at].url;
	c.time_ns = c.profile->meta.time_ns ? c.profile->meta.time_ns : files->saved[at].shown.time_ns;
	store_directory(a->store, &directory);
	if (*a->baseline)
		compare_with(&c, "", a->baseline);
	else if (access(buf_text(&directory), F_OK) == 0 && *program_of(c.profile))
		compare_with_store(&c);
	else if (a->runbook == DOCTOR_SLOW)
		cmd_doctor_miss(files, "There is no baseline: no store in %s, and no --baseline.",
				buf_text(&directory));
	free(path);
	free(name);
	buf_release(&directory);
}
