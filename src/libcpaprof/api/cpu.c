/*
 * cpu.c - cpa_cpu_*: profile CPU time from here to there
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The profile is made in memory with the collector taken, and written when that is free again: what is
 * written to may be slow, or call us.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpu.h"
#include "libcpaprof/collector/body.h"

#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <string.h>

enum { HZ_USUAL = 100, HZ_MOST = 1000 };

/* Guarded by the collector being taken. */
static struct {
	struct out out;
	bool on;
	uint32_t hz;
	enum cpu_by by;
	int64_t start_s;
	uint64_t number; /* of recordings so far */
	uint32_t engine;
} now;
static uint32_t rate = HZ_USUAL;

/* What was asked for, by a caller that may know fewer fields than we. */
static int read_opts(const cpa_cpu_opts *asked, cpa_cpu_opts *o, uint32_t *engine)
{
	*o = (cpa_cpu_opts){ 0 };
	if (asked && asked->size < sizeof(asked->size))
		return -EINVAL;
	if (asked)
		memcpy(o, asked, asked->size < sizeof(*o) ? asked->size : sizeof(*o));
	if (o->hz < 0 || o->hz > HZ_MOST || o->max_depth < 0)
		return -EINVAL;
	return collect_engine(o->engine ? o->engine : "timer", engine) ? 0 : -EINVAL;
}

/* With the collector taken. out is ready. */
static int start(struct out *out, const cpa_cpu_opts *o, uint32_t engine, enum cpu_by by)
{
	uint32_t hz = o->hz ? (uint32_t)o->hz : rate;
	int rc = now.on || collector_is_parent() ? -EBUSY : collector_open();

	if (rc == 0)
		rc = collector_cpu_begin(hz, (uint32_t)o->max_depth, engine);
	if (rc < 0)
		return rc;
	now.number++;
	now.engine = engine;
	now.out = *out;
	now.on = true;
	now.hz = hz;
	now.by = by;
	now.start_s = (int64_t)(sys_now(CLOCK_REALTIME) / 1000000000);
	return 0;
}

/* rc: what making out gave. */
static int start_out(struct out *out, int rc, const cpa_cpu_opts *asked, enum cpu_by by)
{
	uint32_t engine;
	cpa_cpu_opts o;

	if (rc < 0) {
		out_release(out);
		return rc;
	}
	if (!collector_take(0)) {
		out_release(out);
		return -EDEADLK;
	}
	rc = now.on || collector_is_parent() ? -EBUSY : read_opts(asked, &o, &engine);
	if (rc == 0)
		rc = start(out, &o, engine, by);
	collector_leave();
	if (rc < 0)
		out_release(out);
	return rc;
}

CPA_EXPORT int cpa_cpu_start_fd(int fd, const cpa_cpu_opts *o)
{
	struct out out;

	return start_out(&out, out_fd(&out, fd), o, CPU_BY_API);
}

int cpu_start(const char *path, const cpa_cpu_opts *o, enum cpu_by by)
{
	unsigned flags = o && o->size >= sizeof(*o) ? o->flags : 0;
	struct out out;

	return start_out(&out, out_path(&out, path, flags & CPA_OVERWRITE), o, by);
}

CPA_EXPORT int cpa_cpu_start_path(const char *path, const cpa_cpu_opts *o)
{
	return cpu_start(path, o, CPU_BY_API);
}

CPA_EXPORT int cpa_cpu_start_fn(cpa_write_fn write, void *arg, const cpa_cpu_opts *o)
{
	struct out out;

	return start_out(&out, out_fn(&out, write, arg), o, CPU_BY_API);
}

int cpu_stop(uint32_t ms, bool at_exit)
{
	struct body bytes = { 0 };
	struct process_facts facts = { 0 };
	struct process *p;
	struct out out;
	bool wanted;
	int rc = -ESRCH;

	if (!collector_take(ms))
		return -EDEADLK;
	if (!now.on || now.by == CPU_BY_REQUEST || (at_exit && now.out.kind == OUT_FN)) {
		collector_leave();
		return -EINVAL;
	}
	out = now.out;
	now.on = false;
	p = collector_cpu_end();
	if (p)
		process_facts(p, &facts);
	/* most children have nothing to write */
	wanted = facts.weight || now.by != CPU_BY_CHILD;
	if (p)
		rc = wanted ? body_snap(&bytes, p, SNAP_CPU, 0, 0) : 0;
	collector_leave();
	if (rc == 0 && wanted)
		rc = out_write(&out, bytes.v.data, bytes.v.n);
	else
		out_release(&out);
	body_release(&bytes);
	return rc;
}

CPA_EXPORT int cpa_cpu_stop(void)
{
	return cpu_stop(0, false);
}

CPA_EXPORT int cpa_cpu_set_rate(int hz)
{
	int rc = 0;

	if (hz < 1 || hz > HZ_MOST)
		return -EINVAL;
	if (!collector_take(0))
		return -EDEADLK;
	if (now.on || collector_is_parent())
		rc = -EBUSY;
	else
		rate = (uint32_t)hz;
	collector_leave();
	return rc;
}

int cpu_flush(uint32_t ms, uint32_t least_ms)
{
	struct process_facts facts = { 0 };
	struct body bytes = { 0 };
	struct process *p;
	struct out out;
	int rc = -EINVAL;

	if (!collector_take(ms))
		return -EDEADLK;
	out = now.out;
	if (now.on && out.kind == OUT_PATH) {
		p = collector_process();
		if (p)
			process_facts(p, &facts);
		rc = !p ? -ESRCH : facts.weight * 1000 < (uint64_t)least_ms * now.hz ? -EAGAIN : 0;
		rc = rc < 0 ? rc : body_snap(&bytes, p, SNAP_CPU, 0, 0);
	}
	/* what is there from now on is ours */
	if (rc == 0)
		now.out.overwrite = true;
	collector_leave();
	if (rc == 0)
		rc = out_write(&out, bytes.v.data, bytes.v.n);
	body_release(&bytes);
	return rc;
}

CPA_EXPORT int cpa_cpu_flush(void)
{
	return cpu_flush(0, 0);
}

void cpu_get_state(struct cpu_state *out)
{
	*out = (struct cpu_state){ 0 };
	if (!collector_take(COLLECTOR_WAIT_MS))
		return;
	out->on = now.on;
	out->hz = now.on ? now.hz : rate;
	out->by = now.by;
	out->start_s = now.start_s;
	if (now.on && now.out.kind == OUT_PATH)
		memcpy(out->path, now.out.path, sizeof(out->path));
	collector_leave();
}

int cpu_request_begin(uint32_t hz, uint32_t engine)
{
	struct out none = { .kind = OUT_NONE, .fd = -1 };
	const cpa_cpu_opts o = { .size = sizeof(o), .hz = (int)hz };

	return hz > HZ_MOST ? -EINVAL : start(&none, &o, engine, CPU_BY_REQUEST);
}

void cpu_request_end(void)
{
	if (!now.on || now.by != CPU_BY_REQUEST)
		return;
	now.on = false;
	collector_cpu_end();
}

uint64_t cpu_recording_number(uint32_t *hz, uint32_t *engine)
{
	*hz = now.hz;
	*engine = now.engine;
	return now.on ? now.number : 0;
}

void cpu_forget(void)
{
	if (now.on)
		out_release(&now.out);
	now.on = false;
}
