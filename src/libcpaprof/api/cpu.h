/*
 * cpu.h - the CPU profile that is being recorded, its owner and its file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_CPU_H
#define LIBCPAPROF_API_CPU_H

#include "libcpaprof/api/out.h"

/*
 * The origin of a recording. A profile for a function is written only by cpa_cpu_stop, all others also at exit. The
 * profile of a child is not written if it is empty. The recording of a request has no file, and only the request stops
 * it.
 */
enum cpu_owner { CPU_OWNER_API, CPU_OWNER_ENVIRONMENT, CPU_OWNER_CHILD, CPU_OWNER_REQUEST };

struct cpu_state {
	bool is_on;
	uint32_t hz;
	enum cpu_owner owner;
	int64_t start_s;
	char path[PATH_MAX]; /* empty if the profile does not go to a path */
};

/* Like cpa_cpu_start_path, for an owner. */
int cpu_start(const char *path, const cpa_cpu_opts *o, enum cpu_owner owner);

/*
 * Stop the recording and write it. ms: how long to wait for the collector lock, 0: no limit. at_exit: do nothing if
 * the profile goes to a function. Returns the same as cpa_cpu_stop.
 */
int cpu_stop(uint32_t ms, bool at_exit);

/*
 * Write the profile so far and continue. ms: as above. Returns the same as cpa_cpu_flush: -EINVAL if no profile goes
 * to a path; -EAGAIN if it has less than min_ms of CPU time.
 */
int cpu_flush(uint32_t ms, uint32_t min_ms);

void cpu_get_state(struct cpu_state *out);

/*
 * Record CPU time for a request of /debug/pprof. The caller holds the collector lock. cpu_request_begin returns 0,
 * -EBUSY if there is a recording, or -errno; hz 0: the default. cpu_recording_number returns the number and the options
 * of the current recording, whatever its owner; 0: there is none.
 */
int cpu_request_begin(uint32_t hz, uint32_t engine);
void cpu_request_end(void);
uint64_t cpu_recording_number(uint32_t *hz, uint32_t *engine);

/* In the child of fork, with the collector lock held: drop the recording, which the parent continues. */
void cpu_forget(void);

#endif
