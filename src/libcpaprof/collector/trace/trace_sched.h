/*
 * trace_sched.h - the scheduler's view of the threads of a timeline
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel reports when each thread got a CPU, and when and why it left the CPU. Needs perf events of own processes
 * (kernel.perf_event_paranoid up to 2); with privileges, the function of the kernel in which a thread waited is known.
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_TRACE_SCHED_H
#define LIBCPAPROF_COLLECTOR_TRACE_TRACE_SCHED_H

#include "libcpaprof/collector/read/kallsyms.h"
#include "libcpaprof/collector/read/perf_rings.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	SCHED_MIN_NS = 100000, /* shorter times off the CPU are not stored, and do not end a run */
	SCHED_OFFS_MAX = 1 << 19,
	SCHED_RUNS_MAX = 1 << 18,
	SCHED_CHAINS_MAX = 2048,
	SCHED_CHAIN_SLOTS = 2 * SCHED_CHAINS_MAX,
	SCHED_CHAIN_DEPTH = 12,
};

enum off_kind {
	OFF_WAIT,
	OFF_PREEMPTED, /* ready to run, but another thread ran on the CPU */
	OFF_NEW,       /* ready to run for the first time */
	OFF_UNKNOWN,   /* since before the start of the trace */
	OFF_ENDED,     /* the thread ended */
};

/* A thread was not on a CPU. */
struct sched_off {
	uint64_t begin, end;
	uint32_t tid;
	uint32_t chain;         /* index + 1 of the kernel stack in sched.chain; 0: not known */
	uint16_t cpu, next_cpu; /* the CPU that it left; the CPU that it got at the end */
	uint8_t kind;           /* enum off_kind */
};

/* A thread ran on a CPU, with interruptions below SCHED_MIN_NS in which no other thread of the process ran there. */
struct sched_run {
	uint64_t begin, end;
	uint32_t tid, n_switches; /* n_switches: number of times that it left the CPU */
	uint16_t cpu;
	uint8_t then; /* enum off_kind: why it left the CPU at last */
};

/* A kernel stack at a switch, innermost first. */
struct sched_chain {
	uint32_t n, why; /* why: index + 1 in sched.why of the function in which the thread waited; 0: not known */
	uint64_t ip[SCHED_CHAIN_DEPTH];
};

/* The last known state of a thread. Zero-initialised. */
struct sched_thread {
	uint8_t state, kind;
	uint16_t cpu;
	uint32_t epoch, chain;
	uint64_t since;
	uint64_t n_waited, n_preempted; /* number of times that it left the CPU */
};

struct sched_cpu; /* see trace_sched.c */

/* Zero-initialised. */
struct sched {
	struct vec off;   /* struct sched_off */
	struct vec run;   /* struct sched_run */
	struct vec chain; /* struct sched_chain */
	struct vec why;   /* char [KERNEL_NAME_MAX] */
	uint64_t begin_ns, end_ns;
	uint64_t n_switches, n_lost, n_no_room;
	int error; /* errno: why there are no switches, or not those of all threads; 0: none */
	/* private */
	struct perf_rings rings;
	struct vec fd;      /* int: the open events */
	struct vec cpu;     /* struct sched_cpu, like rings.ring */
	struct vec pending; /* struct switch_record: not yet applied */
	uint32_t epoch;     /* number of times that records were lost */
	uint16_t chain_slot[SCHED_CHAIN_SLOTS];
	bool has_chains, no_inherit_thread;
};

struct trace;

/* Start to record the switches of all threads. On failure t->sched.error is set, and the other functions do nothing. */
void trace_sched_begin(struct trace *t);

/* Read the records that are available. */
void trace_sched_poll(struct trace *t);

/* Stop, close the events, and look up the names of kernel functions. May be called again. */
void trace_sched_end(struct trace *t);
void trace_sched_release(struct trace *t);

static inline bool sched_is_ready(const struct sched_off *x)
{
	return x->kind == OFF_PREEMPTED || x->kind == OFF_NEW;
}

#endif
