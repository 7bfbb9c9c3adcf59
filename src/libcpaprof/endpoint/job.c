/*
 * job.c - what all profiles have in common: a process, a capture, an answer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include <errno.h>
#include <string.h>

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
	if (seconds <= j->s->how.max_seconds)
		return false;
	job_error(j, 400, "profile duration exceeds the limit of %d seconds", j->s->how.max_seconds);
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
