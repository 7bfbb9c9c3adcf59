/*
 * collect_int.h - what the files of the collector share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_COLLECT_INT_H
#define LIBCPAPROF_COLLECTOR_COLLECT_INT_H

#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/counts.h"
#include "libcpaprof/collector/maps.h"
#include "libcpaprof/collector/stack_table.h"

#include "libcpaprof/target/segment.h"

/* A thread, and what it had used when it was looked at. */
struct used {
	uint32_t tid;
	uint64_t ns; /* in unseen.c: ticks */
};

/* A process in a recording of CPU time on demand. */
struct demand {
	uint32_t recording;    /* 0: it is in none */
	uint64_t cpu_ns;       /* its clock when the recording began */
	uint64_t weight;       /* of its stacks then */
	uint64_t last_ns;      /* its clock when it was last looked at */
	uint64_t sent_ns;      /* monotonic: when it was sent a signal; 0: not yet */
	uint32_t n_sent;       /* to how many threads at a time */
	uint32_t next;         /* the first thread that was not looked at for it */
	unsigned n_idle, wait; /* looks since it ran; looks to leave out */
	struct vec used;       /* struct used: of all threads, for one that is never seen at work */
	struct vec unseen;     /* the same, of those that ran and have no ring */
};

/* A process that is being profiled: what its slot said when it came, and what was taken since. */
struct process {
	struct collect *c; /* NULL: one that was not started by us */
	bool used, ended, replaced, main;
	bool told; /* that it ended: all there is of it is known */
	bool left; /* the program that was started executed one that is not profiled: only its end is waited for */
	unsigned n_pins; /* who wants it to stay */
	bool proven; /* it has mapped our segment, so that the kernel may be asked about it, and it may be signalled */
	uint32_t serial, max_depth;
	pid_t pid;
	int pidfd; /* -1 when there is none */
	dev_t dev; /* of the program that it executes */
	ino_t ino;
	bool forked;
	uint32_t engine, error, perf_error, moved;
	uint64_t start_ns, end_ns; /* wall clock */
	uint64_t lost, lost_seen, adopted, adopted_seen, nested, blocked, bad, cut[N_CUTS];
	uint32_t orphans;
	unsigned n_drains;
	struct demand demand;
	uint64_t unsampled;  /* weight of what was used and no sample stands for */
	uint64_t unseen_ns;  /* its CPU time when all its threads had been looked at for timers */
	uint32_t unseen_at;  /* the first thread that was not looked at yet since */
	unsigned since_look; /* drains since the mappings were looked at */
	unsigned look_wait;  /* drains between looks, by what the last one took */
	struct stack_table table;
	struct counts counts;
	struct maps maps;
	struct threads *threads; /* of libcpaprof/collector/threads.h: kept between dumps, NULL before the first */
	struct dump *dump;       /* that waits for threads which run, or NULL */
	struct trace *trace;     /* that is being made, or NULL */
	uint32_t modules_read;   /* of its ring of modules */
};

/* What was taken from a ring so far. The segment is not asked. */
struct ring_seen {
	uint64_t tail, lost, nested, cut[N_CUTS];
	uint32_t last, owner; /* the stack of the last record, in the process of this serial */
};

struct collect {
	struct segment_head *head;
	uint64_t size; /* of the segment */
	int fd;
	struct segment_layout at;
	struct collector_options options;
	bool cpu;              /* CPU time was asked for from the start */
	uint32_t on;           /* the recording of CPU time on demand that is on; 0: none is */
	uint32_t n_recordings; /* that there were */
	uint64_t filters;      /* seccomp filters that this process has itself */
	uint32_t n_traces;     /* that are being made */
	uint64_t nonce[2];
	pid_t main_pid;
	uint64_t start_ns; /* wall clock */
	dev_t dev;         /* of the segment */
	ino_t ino;
	collect_done_fn *done;
	void *arg;
	uint64_t left;          /* bytes that the stacks of all processes may still take */
	struct ring_seen *seen; /* [at.n_rings] */
	uint32_t *claim;        /* [N_PROCS + TABLES_MOST + at.n_rings] states at the last sweep */
	unsigned n_rounds;
	struct process *process; /* [N_PROCS] */
	struct alive *alive;     /* what tells that we end; NULL: nothing */
};

/* alive.c */
/* The segment is active as long as this thread lives. */
void collect_alive_begin(struct collect *c);
void collect_alive_end(struct collect *c);

static inline struct segment_proc *collect_slot(const struct collect *c, uint32_t i)
{
	return (struct segment_proc *)((uint8_t *)c->head + c->at.section[SECTION_PROCS]) + i;
}

static inline struct segment_ring *collect_ring(const struct collect *c, uint32_t i)
{
	return (struct segment_ring *)((uint8_t *)c->head + c->at.section[SECTION_RINGS]) + i;
}

/* The slot of a process that is used. */
static inline uint32_t collect_slot_of(const struct process *p)
{
	return (uint32_t)(p - p->c->process);
}

/* Take what the process told of its mappings, and its generation. */
void collect_modules(struct process *p);

/* Look at what is mapped, and set how long it takes until that is done again. */
void collect_look_at_maps(struct process *p);

/* Find the mappings of the locations that are new. now: whatever it costs */
void collect_find_places(struct process *p, bool now);

/* Now, by the wall clock. */
uint64_t collect_wall_ns(void);

/* process.c */
/*
 * A process has a slot. That it is the one it says must be shown: else a program could have us look into
 * others, and send them signals. One that is gone already only has what it wrote itself.
 */
void process_begin(struct collect *c, uint32_t i, const volatile struct segment_proc *s, uint32_t serial);
/* Take what its slot says. */
void process_update(struct process *p, struct segment_proc *s);
void process_release(struct process *p);
/* It was told that it ended. It goes, and its slot is free, unless it is pinned: then when it no longer is. */
void process_end(struct process *p);

/* replaced.c */
/*
 * Has the process executed a program that is not profiled? Then it has ended, but for the one that was started, whose
 * files are written at its end.
 */
bool process_is_replaced(struct process *p);

/* The file that a process executes; untouched when it is not known. */
void process_program(pid_t pid, dev_t *dev, ino_t *ino);

/* What our signal is in a process. */
int collect_signal(const struct process *p);

/* CPU time that a process has used, 0 when it is not known. */
uint64_t collect_cpu_ns(pid_t pid);

/* Send our signal to a thread: it arms what has no timer, or takes timers away. Its program is known to be ours. */
void collect_wake(const struct collect *c, const struct process *p, uint32_t tid);

/* A process has come, or goes, perhaps in a recording. */
void demand_begin(struct process *p);
void demand_release(struct process *p);

/* Wake the threads of a process that are at work without a timer. */
void collect_unseen(const struct collect *c, struct process *p);

/* Give back what processes took that ended before they had filled it. Called in each round, looks now and then. */
void collect_sweep(struct collect *c);

/* Take all records of all rings; give back those that nobody writes to any more. */
void collect_rings(struct collect *c);

#endif
