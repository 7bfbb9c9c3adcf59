/*
 * target.h - what the parts of the runtime that live in the profiled process share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing here allocates from the host's heap, starts a thread or keeps a file open. Functions whose
 * names end in _sig run in signal handlers: no lock, no loop without a bound, no C library.
 */
#ifndef LIBCPAPROF_TARGET_TARGET_H
#define LIBCPAPROF_TARGET_TARGET_H

#include "libcpaprof/target/segment.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CPA_EXPORT __attribute__((visibility("default")))

enum { N_THREADS = 16384, THREAD_PROBES = 64, NO_TIMER = -1 };

/*
 * A thread that is profiled. tid is claimed by compare-and-swap; all else is written by the thread
 * itself or by whoever armed it, before its timer runs.
 */
struct thread {
	_Atomic uint32_t tid;       /* 0: free */
	_Atomic int timer;          /* the kernel's, or NO_TIMER: the timer of the process counts for it */
	_Atomic uint32_t inside;    /* its handler is at work, or who arms or settles it: each only tries */
	_Atomic uint32_t session;   /* of CPU sampling, that it takes part in; 0: none. Set when all below is */
	uint64_t period_ns;         /* of that session */
	bool ignored;               /* takes part in none */
	uintptr_t lo, top;          /* its stack is somewhere in [lo, top); 0: not known */
	uintptr_t low;              /* the lowest address of it that is known to be in use */
	struct segment_ring *ring;  /* NULL until the first sample */
	uint64_t *words;            /* [RING_WORDS] of that ring */
	struct walk_memory *memory; /* of the walker, or NULL */
	uint64_t start;             /* the function it began in, or 0 */
	uint64_t first_ns;          /* of its CPU clock: when the first period is over */
	uint64_t n_charged;         /* periods that samples stand for */
	_Atomic int perf;           /* the file of its event + 1; 0: it has none */
	uint32_t n_looks;           /* for its event */
	uint64_t perf_id;           /* the kernel's of the event */
	bool by_clock;              /* signals weigh what its clock says, not what they say */
};

/* What each thread has at a fixed place: no more than 64 bytes, for dlopen has little room for such. */
struct local {
	struct thread *_Atomic thread; /* NULL: look it up */
	_Atomic uint32_t label;
	_Atomic uint8_t busy;    /* a sample is being taken */
	_Atomic uint8_t ended;   /* its record is gone: no samples */
	_Atomic uint8_t blocked; /* the program believes that our signal is blocked here */
	_Atomic uint8_t pending; /* and one that was for the program came meanwhile */
	uint64_t left;           /* bytes to allocate until one is sampled */
	uint64_t random;         /* state of the generator of this thread; 0: not seeded */
	uintptr_t lo, top;       /* its stack is somewhere in [lo, top); 0: not looked for */
	uint64_t mask;           /* of signals, around fork */
	_Atomic uint16_t hook;   /* a wrapper of ours is at work: what it calls is not sampled */
	_Atomic uint8_t listed;  /* it is in the table of locals.c */
	_Atomic uint8_t handles; /* the program's handler of our signal runs, or was jumped out of */
	uint32_t drawn;          /* the rate that left was drawn with; 0: none, it is when to look again */
};
_Static_assert(sizeof(struct local) <= 64, "static TLS is scarce");

extern __thread struct local cpi_local __attribute__((tls_model("initial-exec")));

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
	_Atomic uint32_t session;   /* of CPU sampling */
	_Atomic uint32_t armed;     /* the session that all threads were armed for; 0: none is. Not when self */
	int sig;                    /* the signal of our timers */
	_Atomic int process_timer;  /* for threads without one of their own; NO_TIMER */
	uint32_t sig_asked;         /* what CPA_SIGNAL says, when the process profiles itself; 0: nothing */
	_Atomic uint64_t period_ns; /* of the session; set before it */
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

/* And are this process's times those of the session that is on? */
static inline bool cpi_session_on_sig(void)
{
	return cpi_cpu_on_sig() && (cpi.self || atomic_load(&cpi.session) ==
							atomic_load_explicit(&cpi.head->session, memory_order_relaxed));
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

/* session.c */
/*
 * Of a process that others profile: is it as they ask? Else all threads are armed, or all timers go and what threads
 * owe is charged. To be called in each signal of ours; does nothing while another thread is at it.
 */
void cpi_session_look_sig(void);
/* The same for one who holds what cpi_threads_try_sig takes. */
void cpi_session_follow_sig(void);
/* In the child of fork, which has one thread: none of the timers are there. True when CPU time is sampled. */
bool cpi_session_fork(void);

/* switch.c */
/* Sample CPU time in all threads, from now on. hz: 1 to 1000. One thread at a time calls this and the next. */
void cpi_cpu_start(uint32_t hz);
/* No more. When it gives back all samples are in the rings (handlers have a second for that). */
void cpi_cpu_stop(void);
/* Wait until the handler of a thread is not at work, up to a time of the monotonic clock. False when it still is. */
bool cpi_thread_quiet(const struct thread *t, uint64_t until_ns);

/* ring.c */
/* Give the thread a ring. False when all are taken. */
bool cpi_ring_claim_sig(struct thread *t, uint32_t tid);
/* Take the ring from a thread that takes no more samples. */
void cpi_ring_retire(struct thread *t);
/*
 * Room for a record of RECORD_HEAD + max_depth + RECORD_TAIL words, in one piece. NULL when the ring is full.
 * cpi_ring_push_sig publishes n words of it.
 */
uint64_t *cpi_ring_room_sig(struct thread *t);
void cpi_ring_push_sig(struct thread *t, uint32_t n);
/* n words behind the record at at that nobody reads, or NULL. */
uint64_t *cpi_ring_spare_sig(const struct thread *t, const uint64_t *at, uint32_t n);

/* clock.c */
/* Start the timer of a thread; without one the process timer counts for it. Any thread may. */
void cpi_clock_arm_sig(struct thread *t, uint32_t tid);
void cpi_clock_disarm_sig(struct thread *t);
/* Make the timer of the process, at rest; it runs when a thread needs it. */
void cpi_clock_init(void);
/* It goes with the session that it was made for. */
void cpi_clock_release_sig(void);
/* How many periods a thread of this process has used, less those that are charged. */
uint32_t cpi_clock_owed_sig(const struct thread *t);

/* Its event is gone: its timer runs at the full rate. */
void cpi_clock_rerun_sig(const struct thread *t);

/* perf.c */
/* Start an event for a thread. False when there is none to be had, and why is told. */
bool cpi_perf_open_sig(struct thread *t, uint32_t tid);
void cpi_perf_close_sig(struct thread *t);
/* Called at each signal of its timer: did the program close its event? */
bool cpi_perf_is_gone_sig(struct thread *t);
/* Is a signal of an event? Also of one that is closed by now. */
bool cpi_perf_is_signal_sig(const siginfo_t *info);

/* threads.c */
/*
 * Take up a thread that may be there already (again: its entry is of one that ended unseen). Its stack lies in
 * [lo, top), both 0 when not known. NULL when the table is full; in handlers also when others are at it.
 */
struct thread *cpi_thread_add(uint32_t tid, uintptr_t lo, uintptr_t top, bool again);
struct thread *cpi_thread_add_sig(uint32_t tid);
struct thread *cpi_thread_find_sig(uint32_t tid);
/* This thread begins; its stack lies in [lo, top). start: the function it began in, or 0. */
void cpi_thread_enter(uintptr_t lo, uintptr_t top, uintptr_t start);
/* Sample this thread too, now that CPU time is sampled. */
void cpi_thread_join(void);
/* This thread may be one that nobody saw begin. */
void cpi_thread_meet(void);
/* Take no samples of this thread, or do again. */
void cpi_thread_ignore(bool on);
/* Sample the threads that are there already. */
void cpi_threads_scan(void);
/* Take what guards the table. False when another thread has it. */
bool cpi_threads_try_sig(void);
void cpi_threads_leave_sig(void);
/* Who has that: call fn for each entry. */
void cpi_threads_all_sig(void (*fn)(struct thread *t));
/* Forget a thread that is no more, or arm one. arm: false when its handler is at work. */
void cpi_thread_drop_sig(struct thread *t);
bool cpi_thread_arm_sig(uint32_t tid);
/*
 * Call fn for the threads of this process, from position *at on, until it was called for most of them; *at is then where
 * to go on, and 0 when there are no more. False when nobody says what threads there are.
 */
bool cpi_threads_names_sig(uint64_t *at, uint32_t most, void (*fn)(uint32_t tid));
/* Have a thread's record, as its handler does. False when that is at work. */
static inline bool cpi_thread_hold_sig(struct thread *t)
{
	uint32_t is = 0;

	return atomic_compare_exchange_strong(&t->inside, &is, 1);
}
static inline void cpi_thread_let_sig(struct thread *t)
{
	atomic_store_explicit(&t->inside, 0, memory_order_release);
}
/* Call fn for each entry of the table, while nobody else changes it. */
void cpi_threads_each(void (*fn)(struct thread *t));
/* After the timers went: wait for handlers, charge what is owed, give the rings back. */
void cpi_threads_quiet(uint64_t until_ns);
/* Charge this thread with what it used, and profile it no more: the process ends. */
void cpi_thread_leave(void);
/* This is the main thread: where is its stack? */
void cpi_thread_enter_main(void);
/* Forget threads that ended without telling. */
void cpi_threads_sweep(void);
/* Forget all threads, in the child of fork. */
void cpi_threads_forget(void);
void cpi_threads_init(void);
/* Is the table of threads in [lo, hi)? Then that is the memory of this library that is zeros at first. */
bool cpi_threads_are_in(uintptr_t lo, uintptr_t hi);

/* locals.c */
enum { N_LOCALS = 16384, LOCAL_PROBES = 64 };
/* An entry of its table: at tid % N_LOCALS, or behind that. */
struct local_at {
	_Atomic uint32_t tid; /* 0: free */
	struct local *_Atomic local;
};
/* This thread has labels. Called once in each that does, also in handlers. */
void cpi_local_list_sig(void);
/* This thread ends. */
void cpi_local_unlist(void);
/* In the child of fork: only this thread is there. */
void cpi_locals_forget(void);
const struct local_at *cpi_locals_table_sig(void);

/* handler.c */
void cpi_handler_sig(int sig, siginfo_t *info, void *context);

/* sample.c */
/* Memory for the walker, for n rings. Without it walks take longer. */
void cpi_sample_init(uint32_t n);
/* The walker's memory that goes with ring i. */
struct walk_memory *cpi_sample_memory_sig(uint32_t i);
/* Is that address of this memory? */
bool cpi_sample_is_memory(uintptr_t at);
/* Take a sample of this thread, which the signal interrupted. */
void cpi_sample_sig(struct thread *t, const void *context, uint32_t weight);
/* Tell the collector where this thread is, which the signal interrupted. */
void cpi_sample_tell_sig(struct thread *t, const void *context);
/* Charge a thread with what it used since the last sample. Its handler is not at work, and will not be. */
void cpi_sample_end(struct thread *t);

/* heap_next.c */
/*
 * What this thread allocates is of our memory until this is off again: the loader allocates when it is asked
 * for names, and the program shall find its heap as it would be without us.
 */
void cpi_heap_lend(bool on);

/* here.c */
/*
 * The stack of the caller.
 *
 * pc      [max] out: leaf first; all but pc[0] are already of calls, not return addresses
 * skip    frames to leave out: 0 begins with the function that calls this
 * Gives   the number of frames, less than max by those left out; 0 when the stack is none that can be read.
 *         Any thread may call it, also of a program that is not profiled, also in signal handlers, and on
 *         small stacks. max is at most FRAMES_MAX.
 */
uint32_t cpi_here_sig(uint64_t *pc, uint32_t max, uint32_t skip);

/* guard.c */
/* Install our handler, and remember what it replaces as the program's own. */
void cpi_guard_install(void);
/* Do what the program would do with a signal that is not ours. Keeps nothing locked. */
void cpi_guard_forward_sig(int sig, siginfo_t *info, void *context);
/* The handler runs on the alternate stack, unless that is too small for it. */
void cpi_guard_stack(size_t size);

/* heap.c */
/* Are we the ones who see what is allocated? Then sampling begins when a rate is set. */
void cpi_heap_init(void);
/* The rate has changed: this thread looks at once, others after a sample, or after a megabyte. */
void cpi_heap_look(void);
/* In the child of fork: it has no sampled objects. Its tables are yet to be claimed. */
void cpi_heap_forget(void);
/* An object is about to be loaded, with these flags of dlopen. */
void cpi_heap_dlopen(int flags);

/*
 * Before another program is executed, and after that failed: that the program ignores our signal or holds it back
 * is handed on.
 */
void cpi_guard_leave(bool leaves);

/* guard_move.c */
/* The signal to use in this process, when its segment is known. */
int cpi_guard_choose(void);
/* Is our handler still there? Else move to another signal. Looks once a second; not for handlers. */
void cpi_guard_check(void);

/* fork.c */
void cpi_fork_init(void);
/* In a process that was forked, and that fork's handlers did not see. */
void cpi_fork_check(void);

/* env.c */
struct env {
	char path[64]; /* of the segment */
	uint64_t nonce[2];
};
/* Read CPA_SEGMENT out of the environment. False when there is none that is whole. */
bool cpi_env_read(struct env *e);
/* Take it and our library out of the environment: what this program executes is not profiled. */
void cpi_env_remove(void);
/* An environment without them: how many bytes it takes (0: they are not in this one), and it, made there. */
size_t cpi_env_room_sig(char *const env[]);
char **cpi_env_without_sig(char *const env[], void *room);
/* Is the CPA_SEGMENT in it that of this process? */
bool cpi_env_is_ours_sig(char *const env[]);

/* modules.c */
/* Publish what code is mapped: the program and its libraries. */
void cpi_modules_publish(void);
/* The same when what is loaded has changed. Any thread may call it, but no handler. */
void cpi_modules_refresh(void);

/* objects.c */
/* Is the list of objects to be kept, that walks look up? Makes the first. */
void cpi_objects_init(void);
/* Around each walk. */
void cpi_objects_enter_sig(void);
void cpi_objects_leave_sig(void);
/* Make the list again when what is loaded has changed. One thread at a time calls this. */
void cpi_objects_refresh(bool changed);
/* Around dlclose; when it begins no walk is under way, or one that takes very long. */
void cpi_objects_close_begin(void);
void cpi_objects_close_end(void);
/* In the child of fork: walks of other threads are not under way here. */
void cpi_objects_forget(void);

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

#endif
