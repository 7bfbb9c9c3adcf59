/*
 * sample_wall.c - sample the wall-clock time of all threads through /proc
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The registers of a running thread are not available, so it counts as running, without a stack. The time since the
 * last sample is charged to each stack, so that totals are right however long it takes to read all threads.
 */
#include "config.h"

#include "attach/sample_int.h"
#include "base/time.h"
#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/read/task.h"

#include <unistd.h>

enum { IDLE_SHARE = 4 }; /* reading takes at most a fifth of the time */

#define CHECK_NS UINT64_C(100000000)

struct round {
	struct sampled *t;
	int folder;
	uint64_t weight;
};

static bool add_thread(void *arg, uint32_t tid)
{
	const struct round *r = arg;
	uint32_t stack;

	external_add_thread(r->t->p, r->folder, tid, r->weight, false, &stack);
	return true;
}

static void sample_target_threads(const struct session *s, struct sampled *t, uint64_t weight)
{
	struct round r = { .t = t, .weight = weight };

	if (external_has_ended(t->p))
		return;
	t->is_stale = true; /* libraries may have been loaded */
	attach_sample_refresh(s, t);
	r.folder = task_open_folder(t->pid);
	if (r.folder < 0)
		return;
	task_each(r.folder, add_thread, &r);
	close(r.folder);
}

static void pause_until(uint64_t end_ns)
{
	const struct timespec end = { .tv_sec = (time_t)(end_ns / NS_PER_S), .tv_nsec = (long)(end_ns % NS_PER_S) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}

void attach_sample_run_wall(struct session *s)
{
	uint64_t period = NS_PER_S / s->hz, last = clock_now(), checked = last;

	do {
		uint64_t start, end, next = last + period;

		pause_until(next);
		start = clock_now();
		for (size_t i = 0; i < s->n; i++)
			sample_target_threads(s, s->target[i], start - last);
		end = clock_now();
		if (end > start + (next - last) / IDLE_SHARE)
			pause_until(end + (end - start) * IDLE_SHARE);
		last = start;
		if (end - checked < CHECK_NS)
			continue;
		checked = end;
		if (!attach_sample_continues(s))
			break;
	} while (true);
}
