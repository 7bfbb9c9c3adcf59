/*
 * target.h - the profiled process: its state, how it starts, its children
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing here allocates from the program's heap, starts a thread or keeps a file open. Functions whose names end in
 * _sig run in signal handlers: no lock, no unbounded loop, no C library, so errno is unchanged. Those marked hot run for
 * each sample. The linker puts them next to each other: most of the time of a handler is spent loading its code, which is
 * no longer in the cache after the kernel has delivered the signal.
 */
#ifndef LIBCPAPROF_TARGET_TARGET_H
#define LIBCPAPROF_TARGET_TARGET_H

#include "libcpaprof/target/segment.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CPA_EXPORT __attribute__((visibility("default")))

/* Functions of the API that code of this folder calls. Each member may be NULL. */
struct target_callbacks {
	/* The main thread has ended; other threads may still run. Called by the main thread, with no lock held. */
	void (*main_ended)(void);
	/*
	 * This process calls exec and will probably succeed: write its profiles. Called in the thread that calls
	 * exec, which may be in a signal handler, but never in a child of vfork.
	 */
	void (*before_exec)(void);
};

/* The profiled process. Written during startup and in fork, while there is only one thread. */
struct target {
	struct segment_head *_Atomic head; /* NULL: not profiled; wrappers only forward calls */
	struct segment_proc *_Atomic proc; /* NULL in a forked child before its first sample */
	_Atomic uint32_t claiming;         /* a thread is claiming the slot */
	_Atomic uint32_t has_reported;     /* its CPU time was reported to the process that it was forked from */
	_Atomic bool is_sandboxed;         /* a sandbox may forbid system calls (sandbox.c) */
	_Atomic uint32_t engine, error;    /* copies of the values in the slot */
	_Atomic uint32_t heap;             /* bits of proc_heap */
	_Atomic uint32_t perf_error;
	uint32_t parent, parent_serial; /* slot + 1 of the process it was forked from; 0: it was executed */
	uint64_t start_ns;              /* wall clock */
	uint32_t slot, serial, pid;
	bool is_ready;              /* the library is initialised: wrappers register threads */
	bool is_self;               /* the collector is in this process: fork copies it */
	_Atomic uint32_t recording; /* number of the current CPU recording */
	_Atomic uint32_t armed;     /* recording for which all threads have timers; 0: none. Unused if is_self */
	int sig;                    /* the signal of our timers */
	_Atomic int process_timer;  /* timer shared by threads that have none; or a value of clock.h */
	uint32_t sig_requested;     /* value of CPA_SIGNAL if the process profiles itself; 0: not set */
	_Atomic uint64_t period_ns; /* sampling period; set before recording */
	uint32_t max_depth, n_rings;
	struct segment_proc *procs;  /* [N_PROCS] */
	struct segment_ring *ring;   /* [n_rings] */
	uint64_t *words;             /* [n_rings][RING_WORDS] */
	uint64_t modules_at;         /* offset of the section of modules */
	_Atomic uint32_t generation; /* number of times code was unloaded */
	uint8_t *labels, *tables;    /* the sections SECTION_LABELS and SECTION_TABLES */
	uint32_t n_tables;
	uint64_t cookie;                          /* value that our signals carry */
	const struct target_callbacks *callbacks; /* NULL until cpi_init */
};
extern struct target cpi __attribute__((visibility("hidden")));

/* Is this process being profiled? */
static inline bool cpi_is_on_sig(void)
{
	struct segment_head *head = atomic_load_explicit(&cpi.head, memory_order_acquire);

	return head && atomic_load_explicit(&head->active, memory_order_relaxed) & ACTIVE_MASK;
}

/* Is CPU time sampled? */
static inline bool cpi_cpu_is_on_sig(void)
{
	struct segment_head *head = atomic_load_explicit(&cpi.head, memory_order_acquire);

	return head && atomic_load_explicit(&head->active, memory_order_relaxed) & ACTIVE_MASK &&
	       atomic_load_explicit(&head->cpu, memory_order_relaxed);
}

/* init.c */
/*
 * Initialise the library when it is loaded, before all else. Creates only a key for the end of threads. callbacks must
 * stay valid until the process ends.
 */
void cpi_init(const struct target_callbacks *callbacks);
/*
 * Profile this process through a segment, its own (is_self) or that of a parent collector. Returns false if there is
 * no free slot. The process's own segment becomes active.
 */
bool cpi_attach(struct segment_head *head, bool is_self);
/*
 * The segment that a parent collector made for this process, or NULL. A segment for another process is removed from
 * the environment.
 */
struct segment_head *cpi_parent_segment(void);

/* process.c */
/*
 * Reset the state of the process, after fork or at startup. parent is the slot + 1 of the process it was forked from.
 */
void cpi_process_begin(uint32_t parent, uint32_t parent_serial);
/*
 * Claim a slot. Children that never take a sample need none, and there may be thousands of them a second. Returns
 * false if there is no free slot, or if another thread has tried before.
 */
bool cpi_process_claim_sig(void);
/*
 * In a child of fork: claim a slot if any process may be requested. The last N_PROCS_RESERVED slots are left for
 * processes that take samples.
 */
void cpi_process_claim_forked(void);
/*
 * Report the CPU time of this process, at exit (ends) or before exec. A process without a slot reports it to the
 * process that it was forked from, but not before exec: it continues as another program, which counts all of it.
 */
void cpi_process_report_cpu_sig(bool ends);
/* Store the engines in use, bits of proc_engine, and the errno of the last failure; 0 if there was none. */
void cpi_process_set_engine_sig(uint32_t engine, uint32_t error);
/* Store the errno of a failed perf event. */
void cpi_perf_set_error_sig(uint32_t error);

/* fork.c */
void cpi_fork_init(void);
/* Handle a fork that the pthread_atfork handlers did not see. */
void cpi_fork_check(void);

#endif
