/*
 * external.h - the profile of a process that is sampled from outside
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process has no code of ours and shares no memory with us. The caller takes the samples, for example with perf
 * events. The profile is a snap of kind SNAP_EXTERNAL.
 */
#ifndef LIBCPAPROF_COLLECTOR_EXTERNAL_H
#define LIBCPAPROF_COLLECTOR_EXTERNAL_H

#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/read/read_stack.h"
#include "libcpaprof/collector/snap.h"

enum { EXTERNAL_COMMENTS = 5 };

/* Meaning of the samples. It must outlive the process; the comments may change until the profile is written. */
struct external {
	struct snap_types types;              /* value 0 is the number of samples, value 1 + i the weight of event i */
	uint64_t period;                      /* of the profile */
	struct file_cache files;              /* used by all processes; released after them */
	uint64_t kernel_start;                /* of the kernel's code; 0: not known */
	char comment[EXTERNAL_COMMENTS][160]; /* comment 0 follows "cpa VERSION: pid N, "; the others are optional */
};

/* The labels that the program of a process set for its threads; they can only be read while a thread waits. */
struct external_labels {
	/*
	 * Read the labels of a waiting thread. folder: descriptor of /proc/PID/task. Returns the number of the set; 0: none,
	 * or the thread ran meanwhile
	 */
	uint32_t (*read)(void *arg, struct address_space *space, int folder, uint32_t tid);
	/* Call f for each label of a set, sorted by key, until it returns non-zero. Returns the last result, or 0. */
	int (*each)(void *arg, uint32_t set, collect_label_fn *f, void *f_arg);
	void *arg;
};

/* Read the labels of a process, for samples of threads that wait. All its samples must be of event 0. NULL: do not. */
void external_read_labels(struct process *p, const struct external_labels *labels);

/* A sample: kernel frames, then the frames of the process. */
struct external_sample {
	const uint64_t *kernel; /* [n_kernel] leaf first; all but the first are return addresses */
	uint32_t n_kernel;
	const struct stack_sample *user; /* NULL: not known, or the thread belongs to the kernel */
	uint32_t event;
	uint64_t weight;
};

/*
 * Open a running process.
 *
 * Returns 0 or -errno, for example -ESRCH, or -EACCES if its mappings cannot be read
 */
int external_open(pid_t pid, struct external *as, struct process **out);

/* Open a placeholder for processes that ended before they could be opened. Their samples have only kernel frames. */
int external_open_ended(struct external *as, struct process **out);

/* Open a process that has ended, with its mappings: n bytes in the format of /proc/PID/maps. Returns 0 or -errno. */
int external_open_mapped(pid_t pid, const char *maps, size_t n, struct external *as, struct process **out);

/* Read the mappings again, for later samples. Returns 0 or -errno. */
int external_read_maps(struct process *p);

/* Has the process ended? */
bool external_has_ended(struct process *p);

/*
 * Add a sample.
 *
 * Returns its stack, for external_add_weight; UINT32_MAX: there was no room
 */
uint32_t external_add_sample(struct process *p, const struct external_sample *s);

/*
 * Add a sample of a waiting thread, whose stack is read through /proc; a running thread gets a pseudo frame.
 *
 * folder           descriptor of /proc/PID/task
 * is_waiting_only  add nothing for a thread that runs or cannot be read
 * stack            out: its stack, for external_add_weight; UINT32_MAX: none was added
 * Returns false if the thread has ended
 */
bool external_add_thread(struct process *p, int folder, uint32_t tid, uint64_t weight, bool is_waiting_only,
			 uint32_t *stack);

void external_add_weight(struct process *p, uint32_t stack, uint64_t weight);

/* Move a sample without weight to the same stack with a set of labels. Returns that stack, or the same if there is no room. */
uint32_t external_label_sample(struct process *p, uint32_t stack, uint32_t set);

/* Add time in which a thread could run and had no CPU. */
void external_add_ready(struct process *p, uint64_t ns);

/* Add weight from before the process was sampled. */
void external_add_unsampled(struct process *p, uint64_t weight);

/* The weight of all samples, and of those with a stack. */
void external_weigh(const struct process *p, uint64_t *all, uint64_t *with_stack);

/* Number of samples with a user stack, and of those whose stack reaches the start of the thread. */
void external_count(const struct process *p, uint64_t *n_samples, uint64_t *n_complete);

#endif
