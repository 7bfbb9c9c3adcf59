/*
 * collect.h - empty the segment of profiled processes, and make profiles of it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread calls all of this. Nothing allocates from the host's heap, ends the process or prints.
 */
#ifndef LIBCPAPROF_COLLECTOR_COLLECT_H
#define LIBCPAPROF_COLLECTOR_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { COLLECT_ENV_MAX = 128, COLLECT_DRAIN_MS = 100 };

struct collect;
struct process;
struct segment_head;

/* "timer", "perf" or "itimer" as enum engine_asked. False when it is none of them. */
bool collect_engine(const char *name, uint32_t *out);

/*
 * A signal that timers may have: SIGPROF, SIGVTALRM, SIGSTKFLT, SIGPWR, with or without SIG, or its number, or that of
 * a real-time one. False when it is none of them.
 */
bool collect_signal_named(const char *name, uint32_t *out);

struct collector_options {
	uint32_t hz;        /* 1 to 1000; 0: no CPU profile */
	uint32_t max_depth; /* frames kept of a stack, up to FRAMES_MAX; 0 for that */
	bool follow;        /* also the programs that it starts */
	bool self;          /* this process alone: no file is open, it is never taken for gone */
	uint32_t n_tables;  /* processes that have tables at once, up to TABLES_MOST; 0: the usual 4 */
	/* as in struct segment_head */
	uint64_t heap_rate, block_rate, mutex_fraction;
	uint32_t flags;
	uint32_t engine; /* enum engine_asked */
	uint32_t signal; /* of the timers; 0: the usual */
};

/* What is known of a process that was profiled. */
struct process_facts {
	pid_t pid;
	const char *program; /* [n_program] its path, borrowed; not known when n_program is 0 */
	size_t n_program;
	bool main;     /* of the program that was started; what it executes has the same id */
	bool forked;   /* it is a copy of another profiled one */
	bool replaced; /* it executed another program, which has a profile of its own */
	bool running;  /* it goes on */
	bool outside;  /* it is looked at, not profiled: its threads can be shown, and no more */
	/* what is measured in it, as in struct segment_head; 0: not */
	uint64_t heap_rate, block_rate, mutex_fraction;
	uint64_t n_samples, weight, lost, blocked;
	uint32_t engine;     /* bits of enum proc_engine */
	uint32_t error;      /* errno of a timer that could not be had, or 0 */
	uint32_t perf_error; /* the same of an event */
};

/* A process ended, or executed another program: the last chance to write its profile. */
typedef void collect_done_fn(void *arg, struct process *p);

/*
 * Make the segment.
 *
 * done    called within collect_drain and collect_finish
 * Gives   0, or -errno
 */
int collect_open(const struct collector_options *options, collect_done_fn *done, void *arg, struct collect **out);
void collect_close(struct collect *c);

/* What to put into the environment of the program: NAME=VALUE. Good for this process and its children. */
void collect_environment(const struct collect *c, char out[COLLECT_ENV_MAX]);

/* Said by the child that becomes the program, or by its parent before it starts. */
void collect_set_main(struct collect *c, pid_t pid);

/* Take what there is. To be called every COLLECT_DRAIN_MS. */
void collect_drain(struct collect *c);

/* Take what there is, and end: timers of processes that still run go down, done is called for all. */
void collect_finish(struct collect *c);

/* Where the segment is: for a process that profiles itself. */
struct segment_head *collect_segment(const struct collect *c);

/* A process that is being profiled, after a drain that saw it; NULL when there is none of this id. */
struct process *collect_process(struct collect *c, pid_t pid);

/*
 * Of a process that profiles itself: CPU time counts from here on, at so many samples a second. What was
 * counted before is dropped. collect_cpu_end sets the end of what is written, after the last drain.
 */
void collect_cpu_begin(struct collect *c, uint32_t hz);
void collect_cpu_end(struct collect *c);

/*
 * CPU time on demand, in processes that others are (not self). All that are there, and those that come, sample from
 * here on; threads that wait are not woken: one that runs arms all of its process. The weights of a recording are the
 * difference of two snaps, one after collect_cpu_on and one after collect_cpu_off: what a process used and no sample
 * stands for is added at the end, so that they are what the clock of the process says.
 *
 * hz               1 to 1000
 * collect_cpu_on   0; -EBUSY while it is on, or when it was asked for from the start; -EINVAL
 * collect_cpu_look true while there are processes whose threads are not armed: call again in COLLECT_ARM_MS
 * collect_cpu_off  timers go; waits for that, COLLECT_OFF_MS at most, where a thread runs, and where none does they go
 *                  when the next one runs. All that came is counted.
 */
enum { COLLECT_OFF_MS = 50 };
enum { COLLECT_ARM_MS = 2 };
int collect_cpu_on(struct collect *c, uint32_t hz, uint32_t engine);
bool collect_cpu_look(struct collect *c);
void collect_cpu_off(struct collect *c);

/*
 * A process stays, with all that is known of it, until it is unpinned as often or the collector is closed; its end is
 * told all the same, once. Others do not get its slot, so there may be N_PROCS less those that stay.
 */
void process_pin(struct process *p);
void process_unpin(struct process *p);

/* Of such a process: was anything counted per stack? */
bool collect_has_stacks(const struct collect *c);

/* In the child of fork of a process that profiles itself: all is a copy, and goes on for this process. */
void collect_forked(struct collect *c, pid_t pid);

/* Look at each process that goes on: its profiles as of now can be taken. Between two drains. */
void collect_each(struct collect *c, collect_done_fn *look, void *arg);

/* Processes that go on without the one that was started. Between two drains. */
uint32_t collect_left_behind(const struct collect *c);

/* Processes that found no slot, or that nobody looked at. */
uint32_t collect_refused(const struct collect *c);

/* Did any process ever come? One that soon executes what cannot be profiled is gone before it is looked at. */
bool collect_was_loaded(const struct collect *c);

/*
 * A process that runs already and that nobody profiles: its threads can be shown.
 *
 * Gives   0, or -errno: -ESRCH
 */
int process_open(pid_t pid, struct process **out);
/* Of one from process_open. Takes NULL. */
void process_close(struct process *p);

void process_facts(const struct process *p, struct process_facts *out);

/*
 * Write the CPU profile: profile.proto, packed with gzip.
 *
 * Gives   0, or -errno
 */
int process_write(struct process *p, int fd);

#endif
