/*
 * sample.h - sample running processes from outside, with perf events of the kernel or through /proc
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is loaded into the processes: they are not stopped, and get no signal and no code of ours. The kernel
 * interrupts their threads and copies registers and the top of the stack, which we unwind (attach/events.h). Without
 * perf events the stacks of waiting threads are read through /proc, like in cpa threads; these are samples of
 * wall-clock time.
 */
#ifndef ATTACH_SAMPLE_H
#define ATTACH_SAMPLE_H

#include "attach/run.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	SAMPLE_HZ_DEFAULT = 100,
	SAMPLE_HZ_MAX = 10000,
	SAMPLE_EVENTS_MAX = 3,
	SAMPLE_PIDS_MAX = 1024,
	SAMPLE_SECONDS_DEFAULT = 10 /* of sources "pid:N" */
};

enum sample_kind {
	SAMPLE_CPU,     /* CPU time, or the events */
	SAMPLE_OFF_CPU, /* time in which threads wait, at the stack where they wait */
	SAMPLE_WALL,    /* wall-clock time of all threads; without perf events through /proc, without CPU stacks */
};

struct sample_options {
	enum sample_kind kind;
	const pid_t *pid; /* [n_pids]; none: the whole machine, or a cgroup. Neither is possible with SAMPLE_WALL */
	size_t n_pids;
	const char *cgroup;   /* path below the mount point of cgroups, or an absolute path; NULL: none */
	const char *events;   /* names of events, separated by commas; NULL or "": CPU time */
	unsigned hz;          /* 1 to SAMPLE_HZ_MAX; 0: default */
	uint32_t max_depth;   /* max frames per stack; 0: default */
	uint64_t duration_ns; /* 0: until the processes end, or it is stopped */
	bool follow;          /* also sample processes that the processes start */
	bool needs_events;    /* fail without perf events, instead of sampling wall-clock time */
	/* Called when sampling has begun, to let a process of pid execute its program; NULL: the processes run already.
	   Sampling then ends with this process, also if it has children */
	void (*begun)(void *arg);
	void *begun_arg;
	struct stop *stop; /* ends sampling early, the result is valid; or NULL. Its progress is in ms */
	/* messages.note: differences from the options, and warnings about the kernel */
	struct attach_messages messages;
};

/* Summary of a recording. */
struct sample_result {
	enum sample_kind kind;        /* also SAMPLE_WALL if there are no perf events */
	struct collect_totals totals; /* the CPU times are 0 if other values were sampled */
	uint64_t n_lost;              /* records that the kernel dropped */
	uint64_t duration_ns;         /* wall-clock time */
	uint64_t own_ns;              /* CPU time of cpa */
	bool has_kernel;              /* does the profile include kernel code? */
};

/* May this process sample the CPU time of others of its user with perf events? */
bool attach_sample_is_permitted(void);

/*
 * Check the names of events: "cycles,cache-misses".
 *
 * Fails   ERR_USAGE with a list of all names
 */
int attach_check_events(const char *names, struct err *err);

/*
 * Sample processes, and make one profile of all.
 *
 * out     NULL on failure, and if a process of options.begun has not executed a program. Samples of several processes have
 *         the labels "process" (its name) and "pid"
 * Fails   ERR_IO if a process does not exist or cannot be sampled; the sentence names the kernel setting that
 *         permits it. ERR_USAGE for options that do not fit together
 */
int attach_sample(const struct sample_options *o, struct profile **out, struct sample_result *result, struct err *err);

/* The same as profile.proto, compressed with gzip; nothing is appended if there is no profile. */
int attach_sample_packed(const struct sample_options *o, struct buf *out, struct sample_result *result,
			 struct err *err);

#endif
