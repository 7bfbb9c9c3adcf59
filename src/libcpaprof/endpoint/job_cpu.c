/*
 * job_cpu.c - profiles of CPU time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All are differences of two snaps: within a recording that is begun for it, one that somebody else has (share=1), one
 * that a timeline has, or one that is always on.
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/endpoint/request_query.h"

#include <errno.h>
#include <string.h>

enum { SECONDS_USUAL = 30, LOOK_NS = COLLECT_ARM_MS * 1000000 };

/* What is on is not ours to change. */
static bool is_other(struct serve_job *j, const struct serve_cpu *is)
{
	if (j->cpu.hz && j->cpu.hz != is->hz) {
		job_error(j, 400, "\"hz\" cannot be %u: CPU time is being sampled at %u Hz", j->cpu.hz, is->hz);
		return true;
	}
	if (j->cpu.engine && j->cpu.engine != is->engine) {
		job_error(j, 400, "\"engine\" cannot be chosen: CPU time is being sampled already");
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
	j->began_cpu = true;
	j->recording = j->s->recording;
	j->s->n_sharing++;
	j->s->n_profiles += j->to == ROUTE_PROFILE;
	return 0;
}

/* A timeline has the recording, and no profile: then one may have it too. */
static bool is_free(const struct serve_job *j, uint64_t on)
{
	return on == j->s->recording && j->s->n_profiles == 0;
}

/* Samples come from here on. False, and an answer, when they do not. */
static bool begin(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct serve_cpu is = { 0 };
	uint64_t on = host->cpu_recording(host->arg, &is);
	int rc;

	if (on && (host->cpu_always || j->share || is_free(j, on)) && is_other(j, &is))
		return false;
	if (on && (host->cpu_always || (j->share && on != j->s->recording))) {
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

	/* as Go: what is no number, or none that can be, is not there */
	if (!request_query_int(j->seconds, &seconds) || seconds <= 0)
		seconds = SECONDS_USUAL;
	j->debug = 0;
	if (job_too_long(j, (double)seconds) || !job_find(j))
		return;
	if (j->head) {
		job_head(j);
		return;
	}
	if (!begin(j))
		return;
	rc = snap_take(j->p, SNAP_CPU, 0, &j->before);
	if (rc < 0)
		job_failed(j, rc, "Could not enable CPU profiling");
	else
		job_capture(j, (uint64_t)seconds * 1000000000);
}

static void finish(struct serve_job *j)
{
	struct snap *after = NULL;
	int rc;

	if (j->began_cpu)
		job_cpu_drop(j);
	rc = snap_take(j->p, SNAP_CPU, 0, &after);
	if (rc == 0)
		rc = snap_minus(after, j->before, false);
	if (rc == 0) {
		job_write(j, after);
		return;
	}
	snap_free(after);
	job_failed(j, rc, "failed to collect profile");
}

uint64_t job_cpu_look(struct serve_job *j, bool hurry)
{
	const struct serve_host *host = j->s->host;
	uint64_t now = clock_now(), next = now + SERVE_CHECK_MS * 1000000ULL;
	struct serve_cpu is;

	if (host->cpu_recording(host->arg, &is) != j->recording) {
		job_error(j, 500, "CPU profiling ended before the %llu seconds were over",
			  (unsigned long long)(j->length_ns / 1000000000));
		return 0;
	}
	if (now >= j->end_ns || hurry || !job_goes_on(j)) {
		finish(j);
		return 0;
	}
	if (j->began_cpu && host->cpu_look && host->cpu_look(host->arg))
		next = now + LOOK_NS;
	return next < j->end_ns ? next : j->end_ns;
}

void job_cpu_drop(struct serve_job *j)
{
	const struct serve_host *host = j->s->host;
	struct serve_cpu is;

	j->began_cpu = false;
	if (j->recording != j->s->recording) /* it ended, and another one was begun */
		return;
	j->s->n_profiles -= j->to == ROUTE_PROFILE;
	if (--j->s->n_sharing > 0)
		return;
	if (host->cpu_recording(host->arg, &is) == j->recording)
		host->cpu_end(host->arg);
	j->s->recording = 0;
}
