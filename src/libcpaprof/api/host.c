/*
 * host.c - a program that answers requests of /debug/pprof about itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector is taken for as long as a step of an answer takes, as other callers of the interface do. While CPU
 * time is captured there is the thread that empties the rings.
 */
#include "config.h"

#include "libcpaprof/api/host.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpu.h"

#include "libcpaprof/collector/elfnames.h"

#include "libcpaprof/target/target.h"

#include <errno.h>

static bool take(void *arg)
{
	(void)arg;
	if (!collector_take(0))
		return false;
	if (!collector_is_parent() && collector_open() == 0)
		return true;
	collector_leave();
	return false;
}

static void leave(void *arg)
{
	(void)arg;
	collector_leave();
}

static struct process *process(void *arg, pid_t pid)
{
	(void)arg;
	return pid == 0 || pid == (pid_t)cpi.pid ? collector_process() : NULL;
}

static int cpu_begin(void *arg, const struct serve_cpu *options)
{
	(void)arg;
	return cpu_request_begin(options->hz, options->engine ? options->engine - 1 : ASKED_TIMER);
}

static void cpu_end(void *arg)
{
	(void)arg;
	cpu_request_end();
}

static uint64_t cpu_recording(void *arg, struct serve_cpu *out)
{
	uint64_t recording = cpu_recording_number(&out->hz, &out->engine);

	(void)arg;
	out->engine++;
	return recording;
}

static int names_open(void *arg, const struct body *profile, snap_names_fn **fn, void **names)
{
	(void)arg;
	(void)profile;
	*fn = elfnames_at;
	*names = elfnames_open();
	return *names ? 0 : -ENOMEM;
}

static void names_close(void *arg, void *names)
{
	(void)arg;
	elfnames_close(names);
}

const struct serve_host *host_self(void)
{
	static const struct serve_host self = {
		.take = take,
		.leave = leave,
		.process = process,
		.cpu_begin = cpu_begin,
		.cpu_end = cpu_end,
		.cpu_recording = cpu_recording,
		.names_open = names_open,
		.names_close = names_close,
	};

	return &self;
}
