/*
 * cpu.h - the CPU profile that is being recorded, its owner and its file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_CPU_H
#define LIBCPAPROF_API_CPU_H

#include "libcpaprof/api/out.h"

/*
 * Who asked for it. What a function was given is written by cpa_cpu_stop alone, all else also at exit. Of a child: no
 * file when nothing is in it. Of a request: none at all, and nobody else ends it.
 */
enum cpu_by { CPU_BY_API, CPU_BY_ENVIRONMENT, CPU_BY_CHILD, CPU_BY_REQUEST };

struct cpu_state {
	bool on;
	uint32_t hz;
	enum cpu_by by;
	int64_t start_s;
	char path[PATH_MAX]; /* empty when it is none */
};

/* As cpa_cpu_start_path, for whom. */
int cpu_start(const char *path, const cpa_cpu_opts *o, enum cpu_by by);

/*
 * End what is on and write it. ms: how long to wait for the collector, 0: as long as it takes.
 * at_exit: not when it goes to a function. Gives as cpa_cpu_stop.
 */
int cpu_stop(uint32_t ms, bool at_exit);

/*
 * Write the file as of now; it goes on. ms: as above. Gives as cpa_cpu_flush: -EINVAL when none is being written to a
 * path; -EAGAIN when there is less than least_ms of CPU time in it.
 */
int cpu_flush(uint32_t ms, uint32_t least_ms);

void cpu_get_state(struct cpu_state *out);

/*
 * All with the collector taken: CPU time for a request of /debug/pprof. begin gives 0, -EBUSY while any recording is on, or
 * -errno; hz 0: the usual. cpu_recording_number: of what is on, whoever began it, and how; 0: nothing is.
 */
int cpu_request_begin(uint32_t hz, uint32_t engine);
void cpu_request_end(void);
uint64_t cpu_recording_number(uint32_t *hz, uint32_t *engine);

/* In the child of fork: the parent goes on with it, we do not. With the collector taken. */
void cpu_forget(void);

#endif
