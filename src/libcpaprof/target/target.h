/*
 * target.h - the profiled process: its state, how it starts, its children
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing here allocates from the host's heap, starts a thread or keeps a file open. Functions whose
 * names end in _sig run in signal handlers: no lock, no loop without a bound, no C library.
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
	 * This process calls exec, most likely with success: write its profiles. Called in the thread that calls exec,
	 * which may be a signal handler, and never in a child of vfork.
	 */
	void (*before_exec)(void);
};

/* The profiled process. Written while it starts and in fork, when there is one thread. */
struct target {
	struct segment_head *_Atomic head; /* NULL: not profiled, wrappers pass on */
	struct segment_proc *_Atomic proc; /* NULL in a forked child that has no sample yet */
	_Atomic uint32_t claiming;         /* a thread of it takes a slot */
	_Atomic bool sandboxed;            /* system calls may be forbidden: none when it ends */
	_Atomic uint32_t engine, error;    /* what is told there */
	_Atomic uint32_t heap;             /* and bits of proc_heap */
	_Atomic uint32_t perf_error;
	uint32_t parent, parent_serial; /* the slot + 1 of what it was forked from; 0: it was executed */
	uint64_t start_ns;              /* wall clock */
	uint32_t slot, serial, pid;
	bool ready;                 /* the library is: threads tell where they begin and end */
	bool self;                  /* the collector is in this process: fork copies all of it */
	_Atomic uint32_t recording; /* of CPU sampling */
	_Atomic uint32_t armed;     /* the recording that all threads were armed for; 0: none is. Not when self */
	int sig;                    /* the signal of our timers */
	_Atomic int process_timer;  /* for threads without one of their own; NO_TIMER */
	uint32_t sig_asked;         /* what CPA_SIGNAL says, when the process profiles itself; 0: nothing */
	_Atomic uint64_t period_ns; /* of the recording; set before it */
	uint32_t max_depth, n_rings;
	struct segment_proc *procs;  /* [N_PROCS] */
	struct segment_ring *ring;   /* [n_rings] */
	uint64_t *words;             /* [n_rings][RING_WORDS] */
	uint64_t modules_at;         /* where the section of modules begins */
	_Atomic uint32_t generation; /* of what is mapped */
	uint8_t *labels, *tables;    /* those sections */
	uint32_t n_tables;
	uint64_t cookie;                          /* in the value of our signals */
	const struct target_callbacks *callbacks; /* NULL until cpi_init */
};
extern struct target cpi __attribute__((visibility("hidden")));

/* Is profiling on in this process? */
static inline bool cpi_on_sig(void)
{
	return cpi.head && atomic_load_explicit(&cpi.head->active, memory_order_relaxed) & ACTIVE_MASK;
}

/* Is CPU time sampled? */
static inline bool cpi_cpu_on_sig(void)
{
	return cpi_on_sig() && atomic_load_explicit(&cpi.head->cpu, memory_order_relaxed);
}

/* init.c */
/*
 * Before all else, when the library is loaded: it makes nothing but a key for threads that end. callbacks: a constant of
 * the API, which lives as long as the process.
 */
void cpi_init(const struct target_callbacks *callbacks);
/*
 * Profile this process by a segment, of this process (self) or of a parent. False when it has no slot.
 * One that is its own then becomes active.
 */
bool cpi_attach(struct segment_head *head, bool self);
/* The segment that a parent made for this process, or NULL. It goes from the environment when it is for others. */
struct segment_head *cpi_parent_segment(void);

/* process.c */
/* The process has begun now, by fork or by being executed. */
void cpi_process_begin(uint32_t parent, uint32_t parent_serial);
/*
 * Take a slot for it. Children that never take a sample need none, and there may be thousands of them
 * a second. False when there is no slot, or another thread is about to take it.
 */
bool cpi_process_claim_sig(void);
/* Take one in a child of fork, when anybody may ask for any process. The last N_PROCS_KEPT are for those that sample. */
void cpi_process_show(void);
/* Say what is used for it, bits of proc_engine, and the errno of what could not be had; 0: all could. */
void cpi_process_tell_sig(uint32_t engine, uint32_t error);
/* Say why there is no event: errno. */
void cpi_perf_tell_sig(uint32_t error);

/* fork.c */
void cpi_fork_init(void);
/* In a process that was forked, and that fork's handlers did not see. */
void cpi_fork_check(void);

#endif
