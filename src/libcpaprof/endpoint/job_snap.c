/*
 * job_snap.c - profiles requested by name: snapshots, and differences of two snapshots
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/endpoint/request_query.h"

#include "libcpaprof/collector/labels.h"

#include <errno.h>
#include <string.h>

const struct profile_kind job_kinds[] = {
	{ "allocs", SNAP_ALLOCS, true, false, "All memory allocated so far (sampled), by allocation site" },
	{ "block", SNAP_BLOCK, true, false,
	  "Where threads waited for locks, conditions, semaphores and other threads" },
	{ "delta_block", SNAP_BLOCK, false, true, NULL },
	{ "delta_heap", SNAP_HEAP, false, true, NULL },
	{ "delta_mutex", SNAP_MUTEX, false, true, NULL },
	{ "goroutine", SNAP_THREADS, true, false, NULL },
	{ "heap", SNAP_HEAP, true, false, "Memory in use now (sampled), by allocation site" },
	{ "mutex", SNAP_MUTEX, true, false, "Where locks were released that other threads waited for" },
	{ "threadcreate", SNAP_CREATE, true, false, "Where threads were created" },
	{ "threads", SNAP_THREADS, true, false, "The current stack and wait reason of each thread" },
};
const size_t job_n_kinds = sizeof(job_kinds) / sizeof(*job_kinds);

/* Find the requested profile. Returns false if there is none. */
static bool job_snap_find_kind(struct serve_job *j)
{
	char name[SNAP_NAME_MAX];

	for (size_t i = 0; i < job_n_kinds; i++)
		if (strcmp(j->name, job_kinds[i].name) == 0) {
			j->kind = job_kinds[i];
			return true;
		}
	j->kind = (struct profile_kind){ .kind = SNAP_CUSTOM };
	for (j->custom = 0; job_has_tables(j) && (j->custom = collect_profile_next(j->p, j->custom, name));)
		if (strcmp(j->name, name) == 0)
			return true;
	return false;
}

static int job_snap_take(struct serve_job *j, struct snap **out)
{
	int rc = snap_take(j->p, j->kind.kind, j->custom, out);

	if (rc == -ENOENT)
		job_error(j, 404, "Unknown profile"); /* the process is not profiled by us */
	else if (rc < 0)
		job_fail(j, rc, "failed to collect profile");
	return rc;
}

/* The entry of the last answer of this process and profile, else a free entry; NULL: none is free. */
static struct last_answer *job_snap_find_last(struct serve_job *j)
{
	struct last_answer *all = j->s->last, *free = NULL;

	for (int i = 0; i < JOB_ANSWERS_MAX; i++) {
		if (!all[i].snap)
			free = free ? free : &all[i];
		else if (all[i].p == j->p && all[i].snap->kind == j->kind.kind)
			return &all[i];
	}
	return free;
}

/* Answer with the difference to the last answer of this path. The first answer covers the time since process start. */
static void answer_since_last(struct serve_job *j)
{
	struct last_answer *k = job_snap_find_last(j);
	struct snap *now = NULL, *copy = NULL;
	int rc;

	if (!k) {
		job_error(j, 503, "too many processes with delta profiles");
		return;
	}
	if (job_snap_take(j, &now) < 0)
		return;
	rc = snap_copy(now, &copy);
	snap_make_since_start(now);
	if (rc == 0 && k->snap)
		rc = snap_subtract(now, k->snap, true);
	if (rc < 0) {
		snap_free(now);
		snap_free(copy);
		job_fail(j, rc, "failed to collect profile");
		return;
	}
	if (!k->snap)
		process_pin(j->p);
	snap_free(k->snap);
	*k = (struct last_answer){ .snap = copy, .p = j->p };
	job_write(j, now);
}

static void start_delta(struct serve_job *j)
{
	int64_t seconds;

	if (!request_query_int(j->seconds, &seconds))
		seconds = 0;
	if (seconds <= 0)
		job_error(j, 400, "invalid value for \"seconds\" - must be a positive integer");
	else if (!j->kind.can_delta)
		job_error(j, 400, "\"seconds\" parameter is not supported for this profile type");
	else if (j->debug)
		job_error(j, 400, "seconds and debug params are incompatible");
	else if (job_is_too_long(j, (double)seconds))
		return;
	else if (j->is_head)
		job_answer_head(j);
	else if (job_start_capture(j, (uint64_t)seconds * 1000000000))
		job_snap_take(j, &j->before);
}

void job_snap_begin(struct serve_job *j)
{
	struct snap *s;

	if (!job_find_process(j))
		return;
	if (!job_snap_find_kind(j))
		job_error(j, 404, "Unknown profile");
	else if (j->seconds[0] && !j->kind.is_since_last)
		start_delta(j);
	else if (j->is_head)
		job_answer_head(j);
	else if (j->kind.is_since_last)
		answer_since_last(j);
	else if (job_snap_take(j, &s) == 0)
		job_write(j, s);
}

uint64_t job_snap_poll(struct serve_job *j, bool hurry)
{
	uint64_t now = clock_now(), next = now + SERVE_CHECK_MS * 1000000ULL;
	struct snap *after = NULL;

	if (now < j->end_ns && !hurry && job_is_running(j))
		return next < j->end_ns ? next : j->end_ns;
	if (job_snap_take(j, &after) == 0)
		job_write_difference(j, after, j->alloc_only);
	return 0;
}
