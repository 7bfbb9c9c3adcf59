/*
 * job_snap.c - profiles that are asked for by their names, at one moment or between two
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/endpoint/request_query.h"

#include "libcpaprof/collector/labels.h"

#include <errno.h>
#include <string.h>

const struct kind job_kinds[] = {
	{ "allocs", SNAP_ALLOCS, true, false, "All memory that was allocated so far, as sampled, by where it was" },
	{ "block", SNAP_BLOCK, true, false, "Where threads waited: for locks, conditions, semaphores, and each other" },
	{ "delta_block", SNAP_BLOCK, false, true, NULL },
	{ "delta_heap", SNAP_HEAP, false, true, NULL },
	{ "delta_mutex", SNAP_MUTEX, false, true, NULL },
	{ "goroutine", SNAP_THREADS, true, false, NULL },
	{ "heap", SNAP_HEAP, true, false, "Memory that is in use now, as sampled, by where it was allocated" },
	{ "mutex", SNAP_MUTEX, true, false, "Where locks were left that others waited for" },
	{ "threadcreate", SNAP_CREATE, true, false, "Where threads were created" },
	{ "threads", SNAP_THREADS, true, false, "Where each thread is now, and what it waits for" },
};
const size_t job_n_kinds = sizeof(job_kinds) / sizeof(*job_kinds);

/* What is asked for. False: there is no such profile. */
static bool find_kind(struct serve_job *j)
{
	char name[SNAP_NAME_MAX];

	for (size_t i = 0; i < job_n_kinds; i++)
		if (strcmp(j->name, job_kinds[i].name) == 0) {
			j->kind = job_kinds[i];
			return true;
		}
	j->kind = (struct kind){ .kind = SNAP_CUSTOM };
	for (j->custom = 0; job_has_tables(j) && (j->custom = collect_profile_next(j->p, j->custom, name));)
		if (strcmp(j->name, name) == 0)
			return true;
	return false;
}

static int take(struct serve_job *j, struct snap **out)
{
	int rc = snap_take(j->p, j->kind.kind, j->custom, out);

	if (rc == -ENOENT)
		job_error(j, 404, "Unknown profile"); /* of a process that is only looked at from outside */
	else if (rc < 0)
		job_failed(j, rc, "failed to collect profile");
	return rc;
}

/* What the last answer had is kept; the one that was kept for longest, of those there are. */
static struct kept *kept_for(struct serve_job *j)
{
	struct kept *all = j->s->kept, *free = NULL;

	for (int i = 0; i < JOB_KEPT; i++) {
		if (!all[i].snap)
			free = free ? free : &all[i];
		else if (all[i].p == j->p && all[i].snap->kind == j->kind.kind)
			return &all[i];
	}
	return free;
}

/* The difference to the last answer of this path; of the first all that there is. */
static void since_last(struct serve_job *j)
{
	struct kept *k = kept_for(j);
	struct snap *now = NULL, *again = NULL;
	int rc;

	if (!k) {
		job_error(j, 503, "too many processes are asked for their differences");
		return;
	}
	if (take(j, &now) < 0)
		return;
	rc = snap_copy(now, &again);
	if (rc == 0 && k->snap)
		rc = snap_minus(now, k->snap, true);
	if (rc < 0) {
		snap_free(now);
		snap_free(again);
		job_failed(j, rc, "failed to collect profile");
		return;
	}
	if (!k->snap)
		process_pin(j->p);
	snap_free(k->snap);
	*k = (struct kept){ .snap = again, .p = j->p };
	job_write(j, now);
}

static void begin_delta(struct serve_job *j)
{
	int64_t seconds;

	if (!request_query_int(j->seconds, &seconds))
		seconds = 0;
	if (seconds <= 0)
		job_error(j, 400, "invalid value for \"seconds\" - must be a positive integer");
	else if (!j->kind.delta)
		job_error(j, 400, "\"seconds\" parameter is not supported for this profile type");
	else if (j->debug)
		job_error(j, 400, "seconds and debug params are incompatible");
	else if (job_too_long(j, (double)seconds))
		return;
	else if (j->head)
		job_head(j);
	else if (job_capture(j, (uint64_t)seconds * 1000000000))
		take(j, &j->before);
}

void job_snap_begin(struct serve_job *j)
{
	struct snap *s;

	if (!job_find(j))
		return;
	if (!find_kind(j))
		job_error(j, 404, "Unknown profile");
	else if (j->seconds[0] && !j->kind.since_last)
		begin_delta(j);
	else if (j->head)
		job_head(j);
	else if (j->kind.since_last)
		since_last(j);
	else if (take(j, &s) == 0)
		job_write(j, s);
}

uint64_t job_snap_look(struct serve_job *j, bool hurry)
{
	uint64_t now = clock_now(), next = now + SERVE_CHECK_MS * 1000000ULL;
	struct snap *after = NULL;
	int rc;

	if (now < j->end_ns && !hurry && job_goes_on(j))
		return next < j->end_ns ? next : j->end_ns;
	if (take(j, &after) < 0)
		return 0;
	rc = snap_minus(after, j->before, j->alloc_only);
	if (rc == 0) {
		job_write(j, after);
		return 0;
	}
	snap_free(after);
	job_failed(j, rc, "failed to collect profile");
	return 0;
}
