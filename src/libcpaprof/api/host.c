/*
 * host.c - answers requests of /debug/pprof about the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector lock is held during each step of an answer, as by other callers of the interface. While CPU time is
 * captured there is a thread that empties the rings.
 */
#include "config.h"

#include "libcpaprof/api/http.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpu.h"

#include "libcpaprof/collector/elfnames.h"

#include "libcpaprof/target/target.h"

#include <errno.h>

static bool api_host_lock(void *arg)
{
	(void)arg;
	if (!collector_lock(0))
		return false;
	if (!collector_is_parent() && collector_open() == 0)
		return true;
	collector_unlock();
	return false;
}

static void api_host_unlock(void *arg)
{
	(void)arg;
	collector_unlock();
}

static struct process *api_host_process(void *arg, pid_t pid)
{
	(void)arg;
	return pid == 0 || pid == (pid_t)cpi.pid ? collector_process() : NULL;
}

static int api_host_cpu_begin(void *arg, const struct serve_cpu *options)
{
	(void)arg;
	return cpu_request_begin(options->hz, options->engine ? options->engine - 1 : REQUEST_TIMER);
}

static void api_host_cpu_end(void *arg)
{
	(void)arg;
	cpu_request_end();
}

static uint64_t api_host_cpu_recording(void *arg, struct serve_cpu *out)
{
	uint64_t recording = cpu_recording_number(&out->hz, &out->engine);

	(void)arg;
	out->engine++;
	return recording;
}

static void *names_take(void *arg, const struct snap *s)
{
	(void)arg;
	(void)s;
	return elfnames_open();
}

static void names_close(void *arg, void *names)
{
	(void)arg;
	elfnames_close(names);
}

const struct serve_host *host_self(void)
{
	static const struct serve_host self = {
		.lock = api_host_lock,
		.unlock = api_host_unlock,
		.process = api_host_process,
		.cpu_begin = api_host_cpu_begin,
		.cpu_end = api_host_cpu_end,
		.cpu_recording = api_host_cpu_recording,
		.names_take = names_take,
		.names_at = elfnames_at,
		.names_close = names_close,
	};

	return &self;
}
