/*
 * collect_int.h - internals shared by the files of the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_COLLECT_INT_H
#define LIBCPAPROF_COLLECTOR_COLLECT_INT_H

#include "libcpaprof/collector/process.h"
#include "libcpaprof/collector/read/busy.h"
#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/read/maps.h"

#include "libcpaprof/target/segment.h"

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
	uint32_t n_timed;      /* number of processes whose samples have times */
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

#endif
