/*
 * job_cpu.c - CPU profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A CPU profile is the difference of two snaps of a recording. The recording is started for the profile, belongs to
 * another request (share=1) or a timeline, or runs permanently.
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/endpoint/request_query.h"

#include <errno.h>
#include <string.h>

enum { SECONDS_DEFAULT = 30, POLL_NS = COLLECT_ARM_MS * 1000000 };

/* Does the request need other settings than the current recording? If so, set an answer. */
static bool needs_other_settings(struct serve_job *j, const struct serve_cpu *is)
{
	if (j->cpu.hz && j->cpu.hz != is->hz) {
		job_error(j, 400, "cannot set \"hz\" to %u: CPU time is already being sampled at %u Hz", j->cpu.hz,
			  is->hz);
		return true;
	}
	if (j->cpu.engine && j->cpu.engine != is->engine) {
		job_error(j, 400, "cannot set \"engine\": CPU time is already being sampled");
		return true;
	}
	return false;
}

int job_cpu_join(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct serve_cpu is = { 0 };
	uint64_t on = host->cpu_recording(host->arg, &is);
	int rc = 0;

	if (!on || on != j->s->recording) {
		rc = host->cpu_begin(host->arg, &j->cpu);
		if (rc < 0)
			return rc;
		j->s->recording = host->cpu_recording(host->arg, &is);
		j->s->n_sharing = j->s->n_profiles = 0;
	}
	j->has_cpu = true;
	j->recording = j->s->recording;
	j->s->n_sharing++;
	j->s->n_profiles += j->target == ROUTE_PROFILE;
	return 0;
}

/* Returns true if a profile can join this recording, because only timelines use it. */
static bool is_free(const struct serve_job *j, uint64_t on)
{
	return on == j->s->recording && j->s->n_profiles == 0;
}

/* Start or join a recording. Returns false and sets an answer on failure. */
static bool start_recording(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct serve_cpu is = { 0 };
	uint64_t on = host->cpu_recording(host->arg, &is);
	int rc;

	if (on && (host->is_cpu_always || j->share || is_free(j, on)) && needs_other_settings(j, &is))
		return false;
	if (on && (host->is_cpu_always || (j->share && on != j->s->recording))) {
		j->recording = on;
		return true;
	}
	rc = on && !j->share && !is_free(j, on) ? -EBUSY : job_cpu_join(j);
	if (rc == -EBUSY)
		job_error(j, 500, "Could not enable CPU profiling: cpu profiling already in use");
	else if (rc < 0)
		job_error(j, 500, "Could not enable CPU profiling: %s", strerrordesc_np(-rc));
	return rc == 0;
}

void job_cpu_begin(struct serve_job *j)
{
	int64_t seconds;
	int rc;

	/* as in Go, an invalid value counts as missing */
	if (!request_query_int(j->seconds, &seconds) || seconds <= 0)
		seconds = SECONDS_DEFAULT;
	j->debug = 0;
	if (job_is_too_long(j, (double)seconds) || !job_find_process(j))
		return;
	if (j->is_head) {
		job_answer_head(j);
		return;
	}
	if (!start_recording(j))
		return;
	rc = snap_take(j->p, SNAP_CPU, 0, &j->before);
	if (rc < 0)
		job_fail(j, rc, "Could not enable CPU profiling");
	else
		job_start_capture(j, (uint64_t)seconds * 1000000000);
}

static void job_cpu_finish(struct serve_job *j)
{
	struct snap *after = NULL;
	int rc;

	if (j->has_cpu)
		job_cpu_leave(j);
	rc = snap_take(j->p, SNAP_CPU, 0, &after);
	if (rc == 0)
		job_write_difference(j, after, false);
	else
		job_fail(j, rc, "failed to collect profile");
}

uint64_t job_cpu_poll(struct serve_job *j, bool hurry)
{
	const struct serve_host *host = j->s->host;
	uint64_t now = clock_now(), next = now + SERVE_CHECK_MS * 1000000ULL;
	struct serve_cpu is;

	if (host->cpu_recording(host->arg, &is) != j->recording) {
		job_error(j, 500, "CPU profiling ended before %llu seconds had passed",
			  (unsigned long long)(j->length_ns / 1000000000));
		return 0;
	}
	if (now >= j->end_ns || hurry || !job_is_running(j)) {
		job_cpu_finish(j);
		return 0;
	}
	if (j->has_cpu && host->cpu_poll && host->cpu_poll(host->arg))
		next = now + POLL_NS;
	return next < j->end_ns ? next : j->end_ns;
}

void job_cpu_leave(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct serve_cpu is;

	j->has_cpu = false;
	if (j->recording != j->s->recording) /* the recording ended, and another one was started */
		return;
	j->s->n_profiles -= j->target == ROUTE_PROFILE;
	if (--j->s->n_sharing > 0)
		return;
	if (host->cpu_recording(host->arg, &is) == j->recording)
		host->cpu_end(host->arg);
	j->s->recording = 0;
}
