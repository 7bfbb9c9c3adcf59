/*
 * job.c - the common parts of all jobs: the process, the capture, the answer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Looking up names may take seconds, and the collector must not be locked that long. So the addresses are copied, their
 * names are looked up without the lock, and then the answer is written with the names.
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/collector/write/write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int job_append(void *arg, const void *data, size_t n)
{
	struct body *b = arg;

	return n > SERVE_ANSWER_MAX - b->v.n ? -EFBIG : body_append(b, data, n);
}

/* Set the content type, and the file name for downloads. */
static void name_answer(struct serve_job *j)
{
	bool is_delta = j->seconds[0] && j->target == ROUTE_NAMED;

	j->answer.type = j->debug ? reply_text : reply_data;
	if (j->debug)
		return;
	snprintf(j->answer.file, sizeof(j->answer.file), "%s%s", j->name, is_delta ? "-delta" : "");
	/* the program chooses the name, which is part of a header line */
	for (char *at = j->answer.file; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '"' || *at == '\\')
			*at = '_';
}

/* Finish an answer whose body was written, or failed with rc. */
static void job_finish(struct serve_job *j, int rc)
{
	if (rc == 0 && j->answer.body.v.n > SERVE_ANSWER_MAX)
		rc = -EFBIG;
	if (rc == -EFBIG)
		job_error(j, 500, "answer too large: the limit is %d MiB", SERVE_ANSWER_MAX >> 20);
	else if (rc < 0)
		job_fail(j, rc, "failed to collect profile");
	j->state = JOB_READY;
}

void job_write_named(struct serve_job *j, const struct snap *s, job_write_fn *write)
{
	const struct serve_host *host = j->s->host;
	void *names = host->names_take(host->arg, s);
	bool found = names;

	if (names && host->names_find) {
		host->unlock(host->arg);
		found = host->names_find(host->arg, names) == 0;
		j->has_lost_collector = !host->lock(host->arg);
	}
	if (!j->has_lost_collector)
		job_finish(j, write(j, found ? host->names_at : NULL, names));
	if (names)
		host->names_close(host->arg, names);
}

static int job_write_snap(struct serve_job *j, snap_names_fn *names, void *arg)
{
	return write_snap(j->after, j->debug, names, arg, job_append, &j->answer.body);
}

/* Write the snap as profile.proto with names; without them if that fails. */
static void job_symbolize(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	void *names = host->names_take(host->arg, j->after);
	int rc = -ENOMEM;

	if (names) {
		host->unlock(host->arg);
		rc = host->names_write(host->arg, names, &j->answer.body);
		host->names_close(host->arg, names);
		j->has_lost_collector = !host->lock(host->arg);
	}
	if (!j->has_lost_collector)
		job_finish(j, rc < 0 ? job_write_snap(j, NULL, NULL) : 0);
}

void job_answer_head(struct serve_job *j)
{
	j->answer.status = 200;
	j->answer.no_length = true;
	name_answer(j);
	j->state = JOB_READY;
}

static bool job_wants_names(const struct serve_job *j)
{
	return j->debug != 0 || (j->s->options.wants_names && j->symbolize);
}

void job_write(struct serve_job *j, struct snap *s)
{
	const struct serve_host *host = j->s->host;

	j->after = s;
	memcpy(s->name, j->name, sizeof(s->name));
	s->gperf = j->is_gperf;
	if (j->is_gperf && s->kind == SNAP_MUTEX)
		s->kind = SNAP_BLOCK; /* clients of gperftools read its text format */
	j->answer.status = 200;
	name_answer(j);
	if (j->target == ROUTE_PROFILE && j->is_gperf) {
		job_finish(j, write_snap_legacy(s, job_append, &j->answer.body));
	} else if (!job_wants_names(j)) {
		job_finish(j, job_write_snap(j, NULL, NULL));
	} else if (!j->debug && host->names_write) {
		job_symbolize(j);
	} else {
		job_write_named(j, s, job_write_snap);
	}
	snap_free(s);
	j->after = NULL;
}

void job_write_difference(struct serve_job *j, struct snap *s, bool alloc_only)
{
	int rc = snap_subtract(s, j->before, alloc_only);

	if (rc == 0) {
		job_write(j, s);
		return;
	}
	snap_free(s);
	job_fail(j, rc, "failed to collect profile");
}

bool job_find_process(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct process_info f;
	const char *why;

	j->p = host->process(host->arg, j->pid);
	if (j->p) {
		process_pin(j->p);
		process_info(j->p, &f);
		if (!j->pid)
			j->s->program = f.pid;
		j->pid = f.pid;
		return true;
	}
	if (j->pid)
		job_error(j, 404, "process %d has ended, or is not profiled", (int)j->pid);
	else if (host->explain_missing && (why = host->explain_missing(host->arg)))
		job_error(j, 404, "%s", why);
	else if (j->s->program)
		job_error(j, 404, "process %d has ended", (int)j->s->program);
	else
		job_error(j, 404, "the program has ended");
	return false;
}

bool job_has_tables(const struct serve_job *j)
{
	struct process_info f;

	process_info(j->p, &f);
	return !f.is_external;
}

bool job_is_running(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct process_info f;

	if (host->process(host->arg, j->pid) != j->p)
		return false;
	process_info(j->p, &f);
	return f.is_running;
}

void job_fail(struct serve_job *j, int rc, const char *what)
{
	if (rc == -ESRCH)
		job_error(j, 404, "process %d has ended", (int)j->pid);
	else
		job_error(j, 500, "%s: %s", what, strerrordesc_np(-rc));
}

bool job_is_too_long(struct serve_job *j, double seconds)
{
	if (seconds <= j->s->options.max_seconds)
		return false;
	job_error(j, 400, "profile duration exceeds the limit of %d seconds", j->s->options.max_seconds);
	return true;
}

bool job_start_capture(struct serve_job *j, uint64_t ns)
{
	if (j->target != ROUTE_PROFILE) {
		if (j->s->n_captures == SERVE_DELTAS_MAX) {
			job_error(j, 429, "%d captures are already running; try again later", SERVE_DELTAS_MAX);
			return false;
		}
		j->s->n_captures++;
		j->is_counted = true;
	}
	j->length_ns = ns;
	j->end_ns = clock_now() + ns;
	j->state = JOB_CAPTURING;
	return true;
}

void job_end_capture(struct serve_job *j)
{
	if (j->has_cpu)
		job_cpu_leave(j);
	if (j->trace)
		job_trace_drop(j);
	snap_free(j->before);
	j->before = NULL;
	if (j->is_counted)
		j->s->n_captures--;
	j->is_counted = false;
	if (j->p)
		process_unpin(j->p);
	j->p = NULL;
}

void job_forget_answers(struct serve *s, bool all)
{
	for (int i = 0; i < JOB_ANSWERS_MAX; i++) {
		struct last_answer *k = &s->last[i];
		struct process_info f;

		if (!k->snap)
			continue;
		process_info(k->p, &f);
		if (f.is_running && !all)
			continue;
		snap_free(k->snap);
		process_unpin(k->p);
		*k = (struct last_answer){ 0 };
	}
}
