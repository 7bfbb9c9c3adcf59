/*
 * collect_int.h - internals shared by the files of the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_COLLECT_INT_H
#define LIBCPAPROF_COLLECTOR_COLLECT_INT_H

#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/counts.h"
#include "libcpaprof/collector/read/busy.h"
#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/collector/stack_table.h"

#include "libcpaprof/target/segment.h"

struct external; /* see external.h */

/* The CPU time of a thread when it was last read. */
struct thread_cpu {
	uint32_t tid;
	uint64_t ns;
};

/* The ids of a thread in our pid namespace and in its own. */
struct tid_pair {
	uint32_t outer, inner;
};

/* State of a process in a recording of CPU time on demand. */
struct demand {
	uint32_t recording;       /* id of the recording; 0: none */
	uint64_t cpu_ns;          /* CPU time of the process when the recording began */
	uint64_t weight;          /* weight of its stacks at that time */
	uint64_t last_ns;         /* CPU time of the process at the last poll */
	uint64_t signal_ns;       /* monotonic time of the last signal; 0: none yet */
	uint32_t n_signaled;      /* number of threads to signal at a time */
	uint32_t next_thread;     /* index of the first thread not yet checked */
	unsigned n_idle, n_skips; /* number of polls since the process ran; number of polls to skip */
	struct vec used;          /* struct thread_cpu of all threads, to find threads that are never seen running */
	struct vec unarmed;       /* struct thread_cpu of threads that ran and have no ring */
};

/* A profiled process: the contents of its slot when it was found, and what was drained since. */
struct process {
	struct collect *c; /* NULL for a process from process_open */
	bool is_used, has_ended, is_replaced, is_main;
	bool end_reported;  /* done was called: the process has ended and was drained */
	bool is_unprofiled; /* the main process executed a program without our library: we only wait for its end */
	unsigned n_pins;    /* number of process_pin calls without an unpin */
	bool is_verified;   /* the process has mapped our segment, so we may read its /proc files and signal it */
	uint32_t serial, max_depth;
	pid_t pid;
	int pidfd;       /* -1: none */
	bool is_foreign; /* it is in another pid namespace: its own ids of threads differ from ours */
	dev_t dev;       /* device and inode of the executable */
	ino_t ino;
	bool is_forked;
	bool has_generated_code; /* is a location in memory without a file? */
	uint32_t engine, error, perf_error, moved;
	uint64_t start_ns, end_ns; /* wall clock: first and last moment of the CPU profile */
	uint64_t began_ns;         /* wall clock: start of the process */
	struct busy_time busy;     /* of the machine, at start_ns */
	uint64_t lost, lost_seen, adopted, adopted_seen, nested, blocked, bad, cut[N_CUTS], guessed;
	struct vec ends; /* struct stack_end of incomplete stacks, if sampled from outside */
	uint32_t orphans;
	unsigned n_drains;
	struct demand demand;
	uint64_t unsampled_ns; /* CPU time without a sample, in recordings on demand */
	/* see account.c */
	uint64_t cpu_ns, cpu_base_ns; /* CPU clock: last known value; value when the process became this program */
	uint64_t blocked_gap_ns;      /* CPU time without samples when threads were last checked for a blocked signal */
	unsigned n_found_blocked;     /* number of these checks that found one */
	bool is_cpu_final;            /* cpu_ns is the value at the end of the process */
	bool is_accounted;            /* only while done is called: values are scaled to the CPU time */
	uint64_t rest_ns;             /* only then: CPU time that the samples do not cover */
	uint64_t slotless_ns;         /* only then: CPU time of children of fork that ended without a slot */
	uint32_t n_slotless;          /* number of these children */
	uint64_t unarmed_checked_ns;  /* CPU time of the process when all its threads were last checked for timers */
	uint32_t unarmed_next;        /* index of the next thread to check for a timer */
	unsigned n_drains_since_maps; /* number of drains since the mappings were read */
	unsigned maps_interval;       /* number of drains between two reads; depends on how long the last read took */
	const struct external *external; /* NULL, or the process is sampled from outside */
	struct stack_table table;
	struct counts counts;
	struct maps maps;
	struct vec tids; /* struct tid_pair of all threads if is_foreign, when they were last read */
	uint64_t tids_read_ns;
	struct threads *threads; /* see threads.h: state between dumps; NULL before the first dump */
	struct dump *dump;       /* the dump that waits for running threads, or NULL */
	void (*sample)(void *arg, struct process *p); /* a threads_sample_fn (threads.h), or NULL */
	void *sample_arg;
	struct trace *trace;   /* the trace that is being recorded, or NULL */
	uint32_t modules_read; /* read position in the ring of modules */
};

/* Number of incomplete stacks whose last frame is in a mapping: its index + 1; 0: no file. */
struct stack_end {
	uint32_t map;
	uint64_t n;
};

/* The read state of a ring, stored here because the program may change the segment. */
struct ring_cursor {
	uint64_t tail, lost, nested, cut[N_CUTS], guessed;
	uint32_t last, owner; /* stack of the last record; serial of the process that owns the ring */
};

struct collect {
	struct segment_head *head;
	uint64_t size; /* size of the segment */
	int fd;
	struct segment_layout layout;
	struct collector_options options;
	bool is_cpu_always;    /* CPU time is sampled from the start */
	uint32_t recording;    /* id of the current recording on demand; 0: none */
	uint32_t n_recordings; /* number of recordings so far */
	uint64_t filters;      /* number of seccomp filters of this process */
	uint32_t n_traces;     /* number of traces in progress */
	uint64_t nonce[2];
	pid_t main_pid;
	uint64_t start_ns;     /* wall clock: start of the collector */
	struct busy_time busy; /* of the machine, when a process was last found */
	dev_t dev;             /* device and inode of the segment */
	ino_t ino;
	ino_t pid_namespace; /* of this process */
	collect_process_fn *done;
	void *arg;
	uint64_t n_bytes_remaining; /* memory that the stacks of all processes may still take */
	struct ring_cursor *cursor; /* [layout.n_rings] */
	uint32_t *last_claim;       /* [N_PROCS + TABLES_MAX + layout.n_rings] state of each claim at the last sweep */
	unsigned n_rounds;
	uint32_t n_refused;               /* segment_head.n_refused at the last drain */
	uint32_t n_used;                  /* slots in use at the last drain */
	struct collect_problems problems; /* without n_forked and has_unfollowed */
	bool is_main_over;                /* collect_main_ended was called, with these times */
	uint64_t main_ns, total_ns;
	struct collect_totals totals; /* of the processes that ended; without time that no process reported */
	struct process *process;      /* [N_PROCS] */
	uint32_t n_processes; /* number of entries of process that have been used; the memory of others is untouched */
	struct alive *alive;  /* notifies the programs when this thread ends; NULL: none */
};

/* collect.c */
/* Mark the segment as active for as long as this thread lives. */
void collect_alive_start(struct collect *c);
void collect_alive_stop(struct collect *c);

static inline struct segment_proc *collect_slot(const struct collect *c, uint32_t i)
{
	return (struct segment_proc *)((uint8_t *)c->head + c->layout.section[SECTION_PROCS]) + i;
}

static inline struct segment_ring *collect_ring(const struct collect *c, uint32_t i)
{
	return (struct segment_ring *)((uint8_t *)c->head + c->layout.section[SECTION_RINGS]) + i;
}

/* Number of rings that may have been used. The memory of the others is untouched. */
static inline uint32_t collect_n_rings(const struct collect *c)
{
	uint32_t n = atomic_load_explicit(&c->head->n_rings_used, memory_order_acquire);

	return n < c->layout.n_rings ? n : c->layout.n_rings;
}

/* The index of the slot of a process. */
static inline uint32_t collect_slot_index(const struct process *p)
{
	return (uint32_t)(p - p->c->process);
}

/* account.c */
/* Read the CPU clock of a process, at each drain. */
void account_read(struct process *p);
/* The CPU time that a process is known to have used as this program. */
uint64_t account_used(const struct process *p);
/* The process has ended: account for its CPU time until account_release. */
void account_end(struct process *p);
void account_release(struct process *p);
/* Scale the CPU time of stacks so that their sum is at most the CPU time of the process. */
uint64_t account_scale(const struct process *p, uint64_t ns);

/* Read the mappings that the process reported, and its generation. */
void collect_read_modules(struct process *p);

/* Read /proc/PID/maps, and set the number of drains until the next read. */
void collect_read_maps(struct process *p);

/* process.c */
/*
 * Add the process of a slot. The pid in the slot is verified, or a program could make us read other processes and send
 * them signals. For a process that has already ended, only its own data in the segment is used.
 */
void process_begin(struct collect *c, uint32_t i, const volatile struct segment_proc *s, uint32_t serial);
/* Read the counters in the slot of a process. */
void process_update(struct process *p, struct segment_proc *s);
void process_release(struct process *p);
/* Release an ended process and free its slot; a pinned process is released when it is unpinned. */
void process_end(struct process *p);

/*
 * Has the process executed a program without our library? Then it counts as ended, except the main process, whose files
 * are written when it really ends.
 */
bool process_is_replaced(struct process *p);

/* namespace.c */
/* The inode of the pid namespace of a process; 0 if not known. */
ino_t namespace_of(pid_t pid);
/*
 * Find a process by its pid in another pid namespace.
 *
 * inode   the namespace; 0: any
 * pidfd   the process, or -1
 * Returns our pid of the process; 0 if there is no such process with our segment
 */
pid_t namespace_find(const struct collect *c, ino_t inode, pid_t pid, int *pidfd);
/*
 * The id of a thread in its own pid namespace.
 *
 * folder  descriptor of /proc/PID/task, or of /proc for the pid of a process
 * Returns 0 if the thread has ended
 */
uint32_t namespace_inner_id(int folder, uint32_t tid);
/* The same for a thread of a profiled process. folder: descriptor of /proc/PID/task. */
static inline uint32_t namespace_inner_tid(const struct process *p, int folder, uint32_t tid)
{
	return p->is_foreign ? namespace_inner_id(folder, tid) : tid;
}
/* Our id of a thread of a profiled process, by the id in its own pid namespace. Returns that id if it has ended. */
uint32_t namespace_outer_tid(struct process *p, uint32_t inner);

/* process.c */
/* Verify that a process has our segment, and open its pidfd. */
enum maps_has process_verify(const struct collect *c, pid_t pid, int *pidfd);
/* Find the executable of a process. dev and ino are unchanged if it is not known. */
void process_read_program(pid_t pid, dev_t *dev, ino_t *ino);

/* The signal that we use in a process. */
int collect_signal(const struct process *p);

/*
 * Signal a thread. Only for a process known to have our library.
 *
 * cookie  0: it starts missing timers or deletes them; COOKIE_STACK: it reports its stack
 * Returns false if the process is calling exec: nothing was sent
 */
bool collect_signal_thread(const struct process *p, uint32_t tid, uint64_t cookie);

/* Start and stop sampling a process in the current recording, if any. */
void demand_begin(struct process *p);
void demand_release(struct process *p);

/* Signal the running threads of a process that have no timer. */
void collect_signal_unarmed(const struct collect *c, struct process *p);

/* Count an incomplete stack whose last frame is at pc. */
void incomplete_count(struct process *p, uint64_t pc);

/* Read all records of all rings, and free the rings that no thread writes to any more. */
void collect_read_rings(struct collect *c);

#endif
