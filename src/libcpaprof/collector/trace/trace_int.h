/*
 * trace_int.h - internals shared by the files of the timeline
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_TRACE_INT_H
#define LIBCPAPROF_COLLECTOR_TRACE_TRACE_INT_H

#include "libcpaprof/collector/process.h"
#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/sample_stack.h"
#include "libcpaprof/collector/trace/trace.h"
#include "libcpaprof/collector/trace/trace_sched.h"

enum { TRACE_THREADS_MAX = 1 << 16, TRACE_SLOTS = 2 * TRACE_THREADS_MAX, TRACE_REASON_MAX = 32 };

/* A sample. All fields come from the program and are not trusted. */
struct trace_sample {
	uint64_t ns;
	uint32_t tid, weight;
	uint32_t stack; /* index in p->table.stack */
};

/* A thread waited from one poll to another with the same stack and for the same reason. */
struct trace_wait {
	uint64_t begin, end;
	uint32_t tid, at, n, label; /* stack: frames [at, at + n) of the stack table, as in struct snap_row */
	uint32_t reason;            /* index in trace.reason */
	uint32_t holder;            /* tid of the mutex holder when the wait was first seen; 0: not known */
	uint32_t woken;             /* number of times the thread ran in between */
	uint32_t ran_us, ready_us;  /* total time of these runs; total time waiting for a CPU */
};

/* A thread at its last poll. */
struct trace_thread {
	uint32_t tid;
	char name[THREAD_NAME_MAX];
	bool is_ours, is_waiting, has_times;
	bool has_events; /* are its switches recorded by an event of its own? */
	uint64_t seen_ns;
	struct task_times times;
	uint64_t first_cpu_ns; /* CPU time when it was first seen */
	uint32_t wait;         /* index of its current wait in trace.wait, + 1; 0: none */
	struct sched_thread sched;
};

struct trace {
	struct process *p;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end_ns 0: not ended */
	uint64_t wall_ns;          /* wall clock at the start */
	uint32_t hz;
	bool is_self;                /* does the process profile itself? Then our own threads are skipped */
	struct vec sample;           /* struct trace_sample */
	struct vec wait;             /* struct trace_wait */
	struct vec thread;           /* struct trace_thread */
	struct vec reason;           /* char [TRACE_REASON_MAX] */
	uint32_t *slot;              /* [TRACE_SLOTS] hash table by tid: index + 1 in thread */
	struct sample_stack sampler; /* folder is -1 if the threads cannot be read */
	uint64_t maps_read_ns;       /* time of the last read of the mappings */
	uint64_t lost_before, bad_before;
	uint64_t n_lost;    /* number of samples that the program lost */
	uint64_t n_bad;     /* number of invalid records */
	uint64_t n_no_room; /* number of samples and waits that were not stored */
	uint64_t n_polls, poll_ns;
	uint64_t last_poll_ns, max_gap_ns; /* start of the last poll; the longest time between two polls */
	uint64_t next_poll_ns;             /* time of the next poll of threads */
	int error;                         /* errno: why threads could not be read */
	struct sched sched;
};

/* Add a sample with its time. A process_timed_fn; trace is a struct trace. */
void trace_sample(void *trace, uint32_t tid, uint32_t stack, uint32_t weight, uint64_t ns);

/* Find or create the entry of a thread. Returns NULL if there is no room. */
struct trace_thread *trace_find_thread(struct trace *t, uint32_t tid);

/* Poll each thread once. Returns 0 or -errno. */
int trace_poll_threads(struct trace *t);

#endif
