/*
 * job_trace.c - timelines of threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * CPU samples come from the current recording, or from a new one. If no recording can be started, the trace
 * contains only waits.
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/endpoint/request_query.h"

#include <errno.h>
#include <string.h>

static void job_trace_start_cpu(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct serve_cpu is;

	/* do not join a recording that no job started: it continues without jobs */
	if (!host->cpu_recording(host->arg, &is) || host->cpu_recording(host->arg, &is) == j->s->recording)
		job_cpu_join(j);
}

void job_trace_begin(struct serve_job *j)
{
	double seconds;
	int rc;

	if (!request_query_float(j->seconds, &seconds) || seconds <= 0)
		seconds = 1;
	j->debug = 0;
	if (job_is_too_long(j, seconds) || !job_find_process(j))
		return;
	if (j->is_head) {
		job_answer_head(j);
		return;
	}
	rc = trace_begin(j->p, &j->trace);
	if (rc == -EBUSY) {
		job_error(j, 500, "Could not enable tracing: tracing is already enabled");
	} else if (rc < 0) {
		job_error(j, 500, "Could not enable tracing: %s", strerrordesc_np(-rc));
	} else if (job_start_capture(j, (uint64_t)(seconds * 1e9))) {
		job_trace_start_cpu(j);
	}
}

static int write_trace(struct serve_job *j, snap_names_fn *names, void *arg)
{
	return trace_write(j->trace, names, arg, job_append, &j->answer.body);
}

static void job_trace_finish(struct serve_job *j)
{
	struct snap *s = NULL;
	int rc;

	if (j->has_cpu)
		job_cpu_leave(j);
	trace_end(j->trace);
	rc = trace_snap(j->trace, &s);
	if (rc < 0) {
		job_fail(j, rc, "failed to collect trace");
		return;
	}
	job_answer_head(j);
	j->answer.no_length = false;
	job_write_named(j, s, write_trace);
	snap_free(s);
}

uint64_t job_trace_poll(struct serve_job *j, bool hurry)
{
	const struct serve_host *host = j->s->host;
	uint64_t now = clock_now(), next = now + SERVE_CHECK_MS * 1000000ULL;
	struct serve_cpu is;

	if (now >= j->end_ns || hurry || !job_is_running(j)) {
		job_trace_finish(j);
		return 0;
	}
	if (j->has_cpu && host->cpu_recording(host->arg, &is) != j->recording)
		job_cpu_leave(j);
	if (now >= j->next_ns)
		j->next_ns = now + trace_poll(j->trace) * 1000000ULL;
	next = next < j->next_ns ? next : j->next_ns;
	if (j->has_cpu && host->cpu_poll && host->cpu_poll(host->arg))
		next = now + COLLECT_ARM_MS * 1000000ULL;
	return next < j->end_ns ? next : j->end_ns;
}

void job_trace_drop(struct serve_job *j)
{
	trace_free(j->trace);
	j->trace = NULL;
}
