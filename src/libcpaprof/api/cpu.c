/*
 * cpu.c - cpa_cpu_*: profiles of CPU time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The profile is built in memory with the collector lock held, and written after releasing it: writing may be slow,
 * or call us again.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpu.h"
#include "libcpaprof/collector/write/body.h"

#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <string.h>

enum { HZ_DEFAULT = 100, HZ_MAX = 1000 };

/* Guarded by the collector lock. */
static struct {
	struct out out;
	bool is_on;
	uint32_t hz;
	enum cpu_owner owner;
	int64_t start_s;
	uint64_t number; /* number of recordings so far */
	uint32_t engine;
} current;
static uint32_t default_hz = HZ_DEFAULT;

/* Copy the options of a caller, whose struct may have fewer fields than ours. */
static int cpu_read_opts(const cpa_cpu_opts *requested, cpa_cpu_opts *o, uint32_t *engine)
{
	*o = (cpa_cpu_opts){ 0 };
	if (requested && requested->size < sizeof(requested->size))
		return -EINVAL;
	if (requested)
		memcpy(o, requested, requested->size < sizeof(*o) ? requested->size : sizeof(*o));
	if (o->hz < 0 || o->hz > HZ_MAX || o->max_depth < 0)
		return -EINVAL;
	return collect_parse_engine(o->engine ? o->engine : "timer", engine) ? 0 : -EINVAL;
}

/* Start a recording. The caller holds the collector lock. out is ready for writing. */
static int api_cpu_start(struct out *out, const cpa_cpu_opts *o, uint32_t engine, enum cpu_owner owner)
{
	uint32_t hz = o->hz ? (uint32_t)o->hz : default_hz;
	int rc = current.is_on || collector_is_parent() ? -EBUSY : collector_open();

	if (rc == 0)
		rc = collector_cpu_begin(hz, (uint32_t)o->max_depth, engine);
	if (rc < 0)
		return rc;
	current.number++;
	current.engine = engine;
	current.out = *out;
	current.is_on = true;
	current.hz = hz;
	current.owner = owner;
	current.start_s = (int64_t)(sys_now(CLOCK_REALTIME) / 1000000000);
	return 0;
}

/* rc: result of creating out. */
static int start_out(struct out *out, int rc, const cpa_cpu_opts *requested, enum cpu_owner owner)
{
	uint32_t engine;
	cpa_cpu_opts o;

	if (rc < 0) {
		out_release(out);
		return rc;
	}
	if (!collector_lock(0)) {
		out_release(out);
		return -EDEADLK;
	}
	rc = current.is_on || collector_is_parent() ? -EBUSY : cpu_read_opts(requested, &o, &engine);
	if (rc == 0)
		rc = api_cpu_start(out, &o, engine, owner);
	collector_unlock();
	if (rc < 0)
		out_release(out);
	return rc;
}

CPA_EXPORT int cpa_cpu_start_fd(int fd, const cpa_cpu_opts *o)
{
	struct out out;

	return start_out(&out, out_fd(&out, fd), o, CPU_OWNER_API);
}

int cpu_start(const char *path, const cpa_cpu_opts *o, enum cpu_owner owner)
{
	unsigned flags = o && o->size >= sizeof(*o) ? o->flags : 0;
	struct out out;

	return start_out(&out, out_path(&out, path, flags & CPA_OVERWRITE), o, owner);
}

CPA_EXPORT int cpa_cpu_start_path(const char *path, const cpa_cpu_opts *o)
{
	return cpu_start(path, o, CPU_OWNER_API);
}

CPA_EXPORT int cpa_cpu_start_fn(cpa_write_fn write, void *arg, const cpa_cpu_opts *o)
{
	struct out out;

	return start_out(&out, out_fn(&out, write, arg), o, CPU_OWNER_API);
}

int cpu_stop(uint32_t ms, bool at_exit)
{
	struct body bytes = { 0 };
	struct process_info facts = { 0 };
	struct process *p;
	struct out out;
	bool is_wanted;
	int rc = -ESRCH;

	if (!collector_lock(ms))
		return -EDEADLK;
	if (!current.is_on || current.owner == CPU_OWNER_REQUEST || (at_exit && current.out.kind == OUT_FN)) {
		collector_unlock();
		return -EINVAL;
	}
	out = current.out;
	current.is_on = false;
	p = collector_cpu_end();
	if (p)
		process_info(p, &facts);
	/* most children have no samples, and write no file */
	is_wanted = facts.weight || current.owner != CPU_OWNER_CHILD;
	if (p)
		rc = is_wanted ? body_append_snap(&bytes, p, SNAP_CPU, 0, 0) : 0;
	collector_unlock();
	if (rc == 0 && is_wanted)
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

	if (hz < 1 || hz > HZ_MAX)
		return -EINVAL;
	if (!collector_lock(0))
		return -EDEADLK;
	if (current.is_on || collector_is_parent())
		rc = -EBUSY;
	else
		default_hz = (uint32_t)hz;
	collector_unlock();
	return rc;
}

int cpu_flush(uint32_t ms, uint32_t min_ms)
{
	struct process_info facts = { 0 };
	struct body bytes = { 0 };
	struct process *p;
	struct out out;
	int rc = -EINVAL;

	if (!collector_lock(ms))
		return -EDEADLK;
	out = current.out;
	if (current.is_on && out.kind == OUT_PATH) {
		p = collector_process();
		if (p)
			process_info(p, &facts);
		rc = !p ? -ESRCH : facts.weight * 1000 < (uint64_t)min_ms * current.hz ? -EAGAIN : 0;
		rc = rc < 0 ? rc : body_append_snap(&bytes, p, SNAP_CPU, 0, 0);
	}
	/* we have written the file, so it may be replaced from now on */
	if (rc == 0)
		current.out.overwrite = true;
	collector_unlock();
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
	if (!collector_lock(COLLECTOR_WAIT_MS))
		return;
	out->is_on = current.is_on;
	out->hz = current.is_on ? current.hz : default_hz;
	out->owner = current.owner;
	out->start_s = current.start_s;
	if (current.is_on && current.out.kind == OUT_PATH)
		memcpy(out->path, current.out.path, sizeof(out->path));
	collector_unlock();
}

int cpu_request_begin(uint32_t hz, uint32_t engine)
{
	struct out none = { .kind = OUT_NONE, .fd = -1 };
	const cpa_cpu_opts o = { .size = sizeof(o), .hz = (int)hz };

	return hz > HZ_MAX ? -EINVAL : api_cpu_start(&none, &o, engine, CPU_OWNER_REQUEST);
}

void cpu_request_end(void)
{
	if (!current.is_on || current.owner != CPU_OWNER_REQUEST)
		return;
	current.is_on = false;
	collector_cpu_end();
}

uint64_t cpu_recording_number(uint32_t *hz, uint32_t *engine)
{
	*hz = current.hz;
	*engine = current.engine;
	return current.is_on ? current.number : 0;
}

void cpu_forget(void)
{
	if (current.is_on)
		out_release(&current.out);
	current.is_on = false;
}
