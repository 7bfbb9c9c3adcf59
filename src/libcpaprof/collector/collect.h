/*
 * collect.h - drain the shared segment of profiled processes, and make profiles from it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All functions are for one thread. None allocates from the host's heap, exits or prints.
 */
#ifndef LIBCPAPROF_COLLECTOR_COLLECT_H
#define LIBCPAPROF_COLLECTOR_COLLECT_H

#include "libcpaprof/target/segment.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { COLLECT_ENV_MAX = 128, COLLECT_DRAIN_MS = 100 };

struct collect;
struct process;
struct segment_head;

/* Parse "timer", "perf" or "itimer" to enum engine_request. Returns false for any other name. */
bool collect_parse_engine(const char *name, uint32_t *out);

/*
 * Parse a signal that timers may use: SIGPROF, SIGVTALRM, SIGSTKFLT or SIGPWR, with or without SIG, in upper or lower
 * case, the number of one of these, or the number of a real-time signal. Returns false for anything else.
 */
bool collect_parse_signal(const char *name, uint32_t *out);

struct collector_options {
	uint32_t hz;        /* 1 to 1000; 0: no CPU profile */
	uint32_t max_depth; /* max frames per stack, up to FRAMES_MAX; 0: FRAMES_MAX */
	bool follow;        /* profile child processes, too */
	bool is_self;       /* profile only this process: no file is opened, and it never counts as ended */
	uint32_t n_tables;  /* max processes that can have tables at the same time, up to TABLES_MAX; 0: default (4) */
	/* see struct segment_head */
	uint64_t heap_rate, block_rate, mutex_fraction;
	uint32_t flags;
	uint32_t engine; /* enum engine_request */
	uint32_t signal; /* signal of the timers; 0: default */
};

/* Properties of a profiled process. */
struct process_info {
	pid_t pid;
	const char *program; /* [n_program] path of the executable, borrowed; unknown if n_program is 0 */
	size_t n_program;
	bool is_main;            /* is it the process that was started? Its pid stays the same after an exec */
	bool is_forked;          /* was it forked from another profiled process? */
	bool is_replaced;        /* has it executed another program, which has its own profile? */
	bool is_running;         /* is it still running? */
	bool is_external;        /* the process is not profiled by us; only its threads can be read */
	bool is_self;            /* does it profile itself? */
	bool has_generated_code; /* has code in memory without a file been sampled? */
	uint64_t began_ns; /* wall clock: start of the process; in a process from process_open, when it was opened */
	bool has_inner_pid; /* it ended before it was found: pid is that of its own pid namespace, which may not be unique */
	/* rates as in struct segment_head; 0: off */
	uint64_t heap_rate, block_rate, mutex_fraction;
	uint32_t hz;
	uint32_t heap; /* bits of enum proc_heap */
	uint64_t n_samples, weight, lost, blocked;
	/* only in done: CPU time without a sample, and that of children of fork that ended without a profile */
	uint64_t rest_ns, slotless_ns;
	uint32_t engine;     /* bits of enum proc_engine */
	uint32_t error;      /* errno if a timer could not be created, else 0 */
	uint32_t perf_error; /* errno if a perf event could not be created, else 0 */
};

/* A callback for a process. */
typedef void collect_process_fn(void *arg, struct process *p);

/*
 * Create the segment.
 *
 * done    called by collect_drain and collect_finish when a process has ended or executed another program: the last
 *         chance to write its profile
 * Returns 0 or -errno
 */
int collect_open(const struct collector_options *options, collect_process_fn *done, void *arg, struct collect **out);
void collect_close(struct collect *c);

/* Format the variable to add to the environment of the program, NAME=VALUE. Valid for this process and its children. */
void collect_environment(const struct collect *c, char out[COLLECT_ENV_MAX]);

/*
 * Let the program that this process executes inherit the segment. Call this in the child that becomes the program, if
 * the program cannot load our library: the programs that it starts may be unable to open the segment by its path.
 */
void collect_inherit(const struct collect *c);

/* Set the pid of the program. Call this in the child that becomes the program, or in its parent before exec. */
void collect_set_main(struct collect *c, pid_t pid);

/*
 * The program has ended and was waited for. Until this is called, it is not considered ended.
 *
 * own_ns     its CPU time
 * total_ns   its CPU time and that of all descendants that were waited for
 */
void collect_main_ended(struct collect *c, uint64_t own_ns, uint64_t total_ns);

/* The CPU time of all processes that have ended, sampled from their start. */
struct collect_totals {
	uint64_t sampled_ns;    /* with a stack */
	uint64_t cpu_ns;        /* in total */
	uint64_t slotless_ns;   /* of this, children of fork that survived their parent, and ended without a profile */
	uint64_t unreported_ns; /* of this, seen only by the parent of the program: exits of others */
	uint64_t n_processes;
	uint64_t n_stacks, n_complete; /* stacks, and those of them that reach the start of their thread */
};
void collect_get_totals(const struct collect *c, struct collect_totals *out);
/* Add processes that were sampled from outside. Call this before collect_finish. */
void collect_add_outside(struct collect *c, const struct collect_totals *t);

/* Drain the segment. Call this every COLLECT_DRAIN_MS. */
void collect_drain(struct collect *c);

/* Drain the segment and stop: processes that still run delete their timers, and done is called for all. */
void collect_finish(struct collect *c);

/* The segment, for a process that profiles itself. */
struct segment_head *collect_segment(const struct collect *c);

/* Find a profiled process that an earlier drain found; NULL if there is none with this pid. */
struct process *collect_process(struct collect *c, pid_t pid);

/*
 * Start and stop the CPU profile of a process that profiles itself. The start drops all earlier samples. The stop,
 * after the last drain, sets the end time of the profile.
 */
void collect_self_cpu_start(struct collect *c, uint32_t hz);
void collect_self_cpu_stop(struct collect *c);

/*
 * Sample CPU time on demand, in other processes (not is_self). All current and new processes are sampled. Waiting
 * threads are not woken: the first thread that runs starts the timers of its whole process. The weights of a recording
 * are the difference of two snaps, taken after collect_cpu_start and after collect_cpu_stop. CPU time without a sample
 * is added at the end, so that the total matches the CPU clock of the process.
 *
 * hz                 1 to 1000
 * collect_cpu_start  Returns 0; -EBUSY during a recording, or if CPU time is sampled from the start; -EINVAL.
 * collect_cpu_poll   Returns true while some process has no timers yet: call again in COLLECT_ARM_MS.
 * collect_cpu_stop   Deletes the timers, and waits at most COLLECT_STOP_MS for the running threads to do so. A process
 *                    without a running thread deletes its timers when one runs again. All samples are counted.
 */
enum { COLLECT_STOP_MS = 50 };
enum { COLLECT_ARM_MS = 2 };
int collect_cpu_start(struct collect *c, uint32_t hz, uint32_t engine);
bool collect_cpu_poll(struct collect *c);
void collect_cpu_stop(struct collect *c);

/*
 * A pinned process remains valid until each pin has been undone, or the collector is closed. done is still called when
 * it ends, once. Its slot is not reused, so each pinned process reduces the N_PROCS limit by one.
 */
void process_pin(struct process *p);
void process_unpin(struct process *p);

/* In a process that profiles itself: are any counters per stack enabled? */
bool collect_has_stacks(const struct collect *c);

/* Call this in the fork child of a process that profiles itself: the collector is a copy, and now belongs to the child.
 * */
void collect_after_fork(struct collect *c, pid_t pid);

/* Call fn for each running process, whose profiles can be taken now. Call this between two drains. */
void collect_each(struct collect *c, collect_process_fn *look, void *arg);

/* Count the processes that still run after the program has ended; *pid: one of them. Call this between two drains. */
uint32_t collect_count_survivors(const struct collect *c, pid_t *pid);

/* Processes without a profile, and why. */
struct collect_problems {
	uint32_t n_unprofiled[N_UNPROFILED]; /* programs executed without our library, by reason */
	uint64_t n_missed;                   /* processes that found no free slot */
	uint32_t n_forked;                   /* children of fork that executed no other program; they are profiled */
	bool has_unfollowed; /* has a child executed a program that is not profiled only because children are not followed? */
	bool is_damaged; /* has a program written an impossible value to the segment? Then profiles may be wrong */
};
void collect_get_problems(const struct collect *c, struct collect_problems *out);

/* Has any process loaded our library? A process that quickly executes a program without our library ends before it is
 * collected. */
bool collect_was_loaded(const struct collect *c);

/*
 * Open a running process that is not profiled: only its threads can be read.
 *
 * Returns 0 or -errno, for example -ESRCH
 */
int process_open(pid_t pid, struct process **out);
/* Close a process from process_open. Takes NULL. */
void process_close(struct process *p);

void process_info(const struct process *p, struct process_info *out);

/*
 * Find the mappings of new locations, also to know if the process generates code. now: read /proc/PID/maps if needed,
 * regardless of the cost.
 */
void collect_find_mappings(struct process *p, bool now);

/* The CPU time of a process; 0 if not known. */
uint64_t collect_cpu_ns(pid_t pid);

enum { INCOMPLETE_FILE_MAX = 128 };

/* The reason why stacks of a process are incomplete. */
struct incomplete {
	uint64_t n, n_complete;            /* stacks of CPU samples */
	uint64_t n_reason;                 /* stacks that end for the most frequent reason */
	enum unwind_end reason;            /* UNWIND_ROOT: all are complete */
	uint64_t n_file;                   /* stacks that end in the file with most ends; 0: not known */
	char file[INCOMPLETE_FILE_MAX];    /* its name without folders; "": memory without a file, generated code */
	char program[INCOMPLETE_FILE_MAX]; /* name of the executable without folders */
	bool has_generated_code;
};

void incomplete_get(const struct process *p, struct incomplete *out);

#endif
