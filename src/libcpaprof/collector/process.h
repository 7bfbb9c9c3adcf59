/*
 * process.h - a profiled process: the contents of its slot when it was found, and what was drained since
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector fills it in; writers and timelines read it.
 */
#ifndef LIBCPAPROF_COLLECTOR_PROCESS_H
#define LIBCPAPROF_COLLECTOR_PROCESS_H

#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/counts.h"
#include "libcpaprof/collector/read/busy.h"
#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/collector/stack_table.h"

struct external; /* see external.h */
struct external_labels;

/* Takes a sample with its time. All values come from the program and are not trusted. stack: index in table.stack */
typedef void process_timed_fn(void *arg, uint32_t tid, uint32_t stack, uint32_t weight, uint64_t ns);

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
	const struct external *external;      /* NULL, or the process is sampled from outside */
	const struct external_labels *labels; /* of such a process; NULL: they are not read */
	struct stack_table table;
	struct counts counts;
	struct maps maps;
	struct vec tids; /* struct tid_pair of all threads if is_foreign, when they were last read */
	uint64_t tids_read_ns;
	struct threads *threads; /* see threads.h: state between dumps; NULL before the first dump */
	struct dump *dump;       /* the dump that waits for running threads, or NULL */
	void (*sample)(void *arg, struct process *p); /* a threads_sample_fn (threads.h), or NULL */
	void *sample_arg;
	process_timed_fn *timed; /* samples are passed to it with their times; NULL: they are not */
	void *timed_arg;
	uint32_t modules_read; /* read position in the ring of modules */
};

/* Number of incomplete stacks whose last frame is in a mapping: its index + 1; 0: no file. */
struct stack_end {
	uint32_t map;
	uint64_t n;
};

/* Pass on the samples of a process with their times, from now on or, with NULL, no longer. There is one receiver. */
void process_time_samples(struct process *p, process_timed_fn *fn, void *arg);

/* Read all records of all rings, and free the rings that no thread writes to any more. */
void collect_read_rings(struct collect *c);

/* The signal that we use in a process. */
int collect_signal(const struct process *p);

#endif
