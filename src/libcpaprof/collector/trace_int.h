/*
 * trace_int.h - what the files of the timeline share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_INT_H
#define LIBCPAPROF_COLLECTOR_TRACE_INT_H

#include "libcpaprof/collector/clock.h"
#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/sample_stack.h"
#include "libcpaprof/collector/trace.h"

#include <time.h>

enum { TRACE_THREADS_MOST = 1 << 16, TRACE_SLOTS = 2 * TRACE_THREADS_MOST, TRACE_WORD_MAX = 32 };

/* A sample that came. The program says all of it. */
struct trace_sample {
	uint64_t ns;
	uint32_t tid, weight;
	uint32_t stack; /* of p->table */
};

/* A thread waited from one look to another, in one place for one thing. */
struct trace_wait {
	uint64_t begin, end;
	uint32_t tid, at, n, label; /* its stack: frames [at, at + n) of the table, as of struct snap_row */
	uint32_t word;              /* what for: of trace.word */
	uint32_t holder;            /* thread that had the mutex when it was first seen; 0: not known */
	uint32_t woken;             /* how often it ran meanwhile, */
	uint32_t ran_us, ready_us;  /* for how long, and for how long it waited for a CPU */
};

/* A thread as of the last look at it. */
struct trace_thread {
	uint32_t tid;
	char name[THREAD_NAME_MAX];
	bool ours, waits, knows_times;
	uint64_t seen_ns;
	struct task_times times;
	uint64_t first_cpu_ns; /* CPU time that it had used when it was first seen */
	uint32_t wait;         /* index of trace.wait, + 1; 0: none that may go on */
};

struct trace {
	struct process *p;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end_ns 0: it goes on */
	uint64_t wall_ns;          /* when it began */
	uint32_t hz;
	bool by_self;           /* of a process that profiles itself: its threads of ours are left out */
	struct vec sample;      /* struct trace_sample */
	struct vec wait;        /* struct trace_wait */
	struct vec thread;      /* struct trace_thread */
	struct vec word;        /* char [TRACE_WORD_MAX] */
	uint32_t *slot;         /* [TRACE_SLOTS] of hash: index of thread + 1 */
	struct sample_stack at; /* folder -1: the threads cannot be looked at */
	uint64_t mapped_ns;     /* when what is mapped was looked at */
	uint64_t lost_before, bad_before, blocked_before;
	uint64_t n_lost;    /* samples that the program lost, */
	uint64_t n_bad;     /* records that made no sense */
	uint64_t n_no_room; /* samples and waits that were not kept */
	uint64_t n_looks, look_ns;
	uint64_t looked_ns, apart_ns; /* when the last look began; the longest time between two */
	int error;                    /* errno: why threads could not be looked at */
};

/* A sample with a time came. For collect/rings.c. */
void trace_sample(struct trace *t, uint32_t tid, uint32_t stack, uint32_t weight, uint64_t ns);

/* In the child of fork: the trace that is being made is the parent's, and its memory a copy that stays. */
void trace_forget(struct process *p);

/* Look at each thread once. Gives 0 or -errno. */
int trace_look_all(struct trace *t);

#endif
