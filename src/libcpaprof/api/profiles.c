/*
 * profiles.c - profiles of this process, written when the program asks for them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile is made in memory while we have the collector, and given away when we have left it: what the program
 * writes with may call us.
 */
#include "config.h"

#include "libcpaprof/api/profiles.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/out.h"
#include "libcpaprof/collector/body.h"

#include "libcpaprof/collector/elfnames.h"

#include "libcpaprof/target/target.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* With the collector taken: take a profile now. Gives 0, or -errno: -EBUSY when cpa run has them all. */
static int take(cpa_profile *p, struct snap **out)
{
	int rc = collector_open();
	struct process *self;

	if (rc < 0)
		return rc;
	if (collector_is_parent())
		return -EBUSY;
	self = collector_process();
	return self ? snap_take(self, p->kind, p->number, out) : -ESRCH;
}

int64_t profiles_count(cpa_profile *p)
{
	struct snap *s = NULL;
	int64_t n = 0;

	if (!collector_take(0))
		return 0;
	if (take(p, &s) == 0) {
		const struct snap_row *row = s->row.data;

		/* as Go: threads, and of what is sampled the stacks */
		n = (int64_t)s->row.n;
		if (p->kind == SNAP_THREADS || p->kind == SNAP_CREATE) {
			n = 0;
			for (size_t i = 0; i < s->row.n; i++)
				n += row[i].value[0];
		}
		snap_free(s);
	}
	collector_leave();
	return n;
}

/* With the collector taken. Texts have names; in profile.proto they are left to who reads it. */
static int put(struct body *b, const cpa_profile *p, struct snap *s, int debug)
{
	struct elfnames *names = debug > 0 ? elfnames_open() : NULL;
	int rc;

	memcpy(s->name, p->name, sizeof(s->name));
	rc = snap_write(s, debug, names ? elfnames_at : NULL, names, body_put, b);
	elfnames_close(names);
	return rc;
}

/* The profile as it is now, to b. */
static int make(struct body *b, cpa_profile *p, int debug)
{
	struct snap *s = NULL;
	int rc;

	if (!collector_take(0))
		return -EDEADLK;
	rc = take(p, &s);
	if (rc == 0)
		rc = put(b, p, s, debug);
	snap_free(s);
	collector_leave();
	return rc;
}

CPA_EXPORT int cpa_profile_write(cpa_profile *p, int debug, cpa_write_fn write, void *arg)
{
	struct body b = { 0 };
	int rc;

	if (!p || !write || debug < 0)
		return -EINVAL;
	rc = make(&b, p, debug);
	if (rc == 0)
		rc = body_give(&b, write, arg);
	body_release(&b);
	return rc;
}

CPA_EXPORT int cpa_profile_write_path(cpa_profile *p, int debug, const char *path, unsigned flags)
{
	struct body b = { 0 };
	struct out o;
	int rc;

	if (!p || debug < 0 || flags & ~(unsigned)CPA_OVERWRITE)
		return -EINVAL;
	rc = out_path(&o, path, flags & CPA_OVERWRITE);
	if (rc == 0)
		rc = make(&b, p, debug);
	if (rc == 0)
		rc = out_write(&o, b.v.data, b.v.n);
	body_release(&b);
	return rc;
}

static void wait_for(int seconds)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
}

CPA_EXPORT int cpa_profile_delta(cpa_profile *p, int seconds, unsigned flags, cpa_write_fn write, void *arg)
{
	struct snap *before = NULL, *after = NULL;
	struct body b = { 0 };
	int rc;

	if (!p || !write || seconds < 1)
		return -EINVAL;
	if (!collector_take(0))
		return -EDEADLK;
	rc = take(p, &before);
	collector_leave();
	if (rc == 0) {
		wait_for(seconds);
		collector_take(0);
		rc = take(p, &after);
		if (rc == 0)
			rc = snap_minus(after, before, flags & CPA_DELTA_ALLOC);
		if (rc == 0)
			rc = put(&b, p, after, 0);
		collector_leave();
	}
	snap_free(before);
	snap_free(after);
	if (rc == 0)
		rc = body_give(&b, write, arg);
	body_release(&b);
	return rc;
}

CPA_EXPORT int cpa_heap_write(cpa_write_fn write, void *arg)
{
	return cpa_profile_write(cpa_profile_lookup("heap"), 0, write, arg);
}
