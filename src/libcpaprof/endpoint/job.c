/*
 * job.c - what all profiles have in common: a process, a capture, an answer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names may take seconds, in which others are to have the collector. So what has to be named is written first, as a
 * profile without names, and looked up without the collector; then the answer is written with what was found.
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/collector/legacy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int job_put(void *arg, const void *data, size_t n)
{
	struct body *b = arg;

	return n > SERVE_ANSWER_MOST - b->v.n ? -EFBIG : body_put(b, data, n);
}

/* What it is, and the name of the file that it becomes. */
static void name_answer(struct serve_job *j)
{
	bool is_delta = j->seconds[0] && j->to == ROUTE_NAMED;

	j->answer.type = j->debug ? reply_text : reply_data;
	if (j->debug)
		return;
	snprintf(j->answer.file, sizeof(j->answer.file), "%s%s", j->name, is_delta ? "-delta" : "");
	/* names are the program's; this one is a head line */
	for (char *at = j->answer.file; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '"' || *at == '\\')
			*at = '_';
}

/* The end of an answer that was being written. */
static void finish(struct serve_job *j, int rc)
{
	if (rc == 0 && j->answer.body.v.n > SERVE_ANSWER_MOST)
		rc = -EFBIG;
	if (rc == -EFBIG)
		job_error(j, 500, "the answer is longer than %d MiB", SERVE_ANSWER_MOST >> 20);
	else if (rc < 0)
		job_failed(j, rc, "failed to collect profile");
	j->state = JOB_READY;
}

/* Leave the collector, look for names, and take it again. */
static bool open_names(struct serve_job *j, const struct body *profile, snap_names_fn **fn, void **names)
{
	const struct serve_host *host = j->s->host;
	int rc;

	host->leave(host->arg);
	rc = host->names_open(host->arg, profile, fn, names);
	j->lost = !host->take(host->arg);
	return rc == 0;
}

/* A profile of what has to be named, given to write with its names. It is released. */
void job_write_named(struct serve_job *j, struct body *profile, job_write_fn *write)
{
	const struct serve_host *host = j->s->host;
	snap_names_fn *fn = NULL;
	void *names = NULL;
	bool found = open_names(j, profile, &fn, &names);

	body_release(profile);
	if (!j->lost)
		finish(j, write(j, found ? fn : NULL, names));
	if (found)
		host->names_close(host->arg, names);
}

static int write_snap(struct serve_job *j, snap_names_fn *names, void *arg)
{
	return snap_write(j->after, j->debug, names, arg, job_put, &j->answer.body);
}

/* Names are put into the answer itself; without them it is as good as it was. */
static void symbolize(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;

	host->leave(host->arg);
	host->symbolize(host->arg, &j->answer.body);
	j->lost = !host->take(host->arg);
	if (!j->lost)
		finish(j, 0);
}

void job_head(struct serve_job *j)
{
	j->answer.status = 200;
	j->answer.no_length = true;
	name_answer(j);
	j->state = JOB_READY;
}

static bool with_names(const struct serve_job *j)
{
	return j->debug != 0 || (j->s->options.names && j->symbolize);
}

void job_write(struct serve_job *j, struct snap *s)
{
	const struct serve_host *host = j->s->host;
	struct body profile = { 0 };
	int rc;

	j->after = s;
	memcpy(s->name, j->name, sizeof(s->name));
	s->gperf = j->old;
	if (j->old && s->kind == SNAP_MUTEX)
		s->kind = SNAP_BLOCK; /* whose text is the one that clients of gperftools know */
	j->answer.status = 200;
	name_answer(j);
	if (j->to == ROUTE_PROFILE && j->old) {
		finish(j, snap_legacy_write(s, job_put, &j->answer.body));
	} else if (!with_names(j) || (!j->debug && host->symbolize)) {
		rc = snap_write(s, 0, NULL, NULL, job_put, &j->answer.body);
		if (rc == 0 && with_names(j))
			symbolize(j);
		else
			finish(j, rc);
	} else {
		rc = snap_write(s, 0, NULL, NULL, job_put, &profile);
		if (rc == 0)
			job_write_named(j, &profile, write_snap);
		else
			finish(j, rc);
	}
	snap_free(s);
	j->after = NULL;
}

bool job_find(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct process_facts f;
	const char *why;

	j->p = host->process(host->arg, j->pid);
	if (j->p) {
		process_pin(j->p);
		process_facts(j->p, &f);
		if (!j->pid)
			j->s->program = f.pid;
		j->pid = f.pid;
		return true;
	}
	if (j->pid)
		job_error(j, 404, "process %d has ended, or is not profiled", (int)j->pid);
	else if (host->why_none && (why = host->why_none(host->arg)))
		job_error(j, 404, "%s", why);
	else if (j->s->program)
		job_error(j, 404, "process %d has ended", (int)j->s->program);
	else
		job_error(j, 404, "the program has ended");
	return false;
}

bool job_has_tables(const struct serve_job *j)
{
	struct process_facts f;

	process_facts(j->p, &f);
	return !f.outside;
}

bool job_goes_on(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct process_facts f;

	if (host->process(host->arg, j->pid) != j->p)
		return false;
	process_facts(j->p, &f);
	return f.running;
}

void job_failed(struct serve_job *j, int rc, const char *what)
{
	if (rc == -ESRCH)
		job_error(j, 404, "process %d has ended", (int)j->pid);
	else
		job_error(j, 500, "%s: %s", what, strerrordesc_np(-rc));
}

bool job_too_long(struct serve_job *j, double seconds)
{
	if (seconds <= j->s->options.max_seconds)
		return false;
	job_error(j, 400, "profile duration exceeds the limit of %d seconds", j->s->options.max_seconds);
	return true;
}

bool job_capture(struct serve_job *j, uint64_t ns)
{
	if (j->to != ROUTE_PROFILE) {
		if (j->s->n_captures == SERVE_DELTAS_MOST) {
			job_error(j, 429, "%d captures are under way already: try again when one has ended",
				  SERVE_DELTAS_MOST);
			return false;
		}
		j->s->n_captures++;
		j->counted = true;
	}
	j->length_ns = ns;
	j->end_ns = clock_now() + ns;
	j->state = JOB_CAPTURES;
	return true;
}

void job_let_go(struct serve_job *j)
{
	if (j->began_cpu)
		job_cpu_drop(j);
	if (j->trace)
		job_trace_drop(j);
	snap_free(j->before);
	j->before = NULL;
	if (j->counted)
		j->s->n_captures--;
	j->counted = false;
	if (j->p)
		process_unpin(j->p);
	j->p = NULL;
}

void job_forget(struct serve *s, bool all)
{
	for (int i = 0; i < JOB_KEPT; i++) {
		struct kept *k = &s->kept[i];
		struct process_facts f;

		if (!k->snap)
			continue;
		process_facts(k->p, &f);
		if (f.running && !all)
			continue;
		snap_free(k->snap);
		process_unpin(k->p);
		*k = (struct kept){ 0 };
	}
}
