/*
 * task.h - what the kernel says of a thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TASK_H
#define LIBCPAPROF_COLLECTOR_TASK_H

#include "libcpaprof/collector/snap.h"

enum task_is {
	TASK_GONE,
	TASK_RUNNING, /* or ready to run */
	TASK_WAITING, /* in a system call, or stopped: nr, sp and pc are known */
	TASK_DENIED,  /* nobody tells us: error */
};

struct task {
	uint32_t tid;
	char name[THREAD_NAME_MAX];
	char state; /* as ps has it */
	uint64_t cpu_ns, age_ns;
	uint64_t runs; /* how often it was given a CPU; 0: not known */
	int cpu;       /* on which it last ran; -1: not known */
	int error;
	long nr; /* of the system call; -1: in none */
	uint64_t arg[6], sp, pc;
};

/*
 * Calls each for every thread of a process, in the kernel's order, until it gives false.
 *
 * folder  of /proc/PID/task, open
 *
 * Gives 0, or -errno.
 */
int task_each(int folder, bool (*each)(void *data, uint32_t tid), void *data);

/* Name, state and times of a thread. folder: of /proc/PID/task, open. False when it is gone. */
bool task_read(int folder, uint32_t tid, struct task *t);

/* Finer than what task_read falls back to. */
struct task_times {
	uint64_t cpu_ns, ready_ns; /* that it used; that it waited for a CPU */
	uint64_t runs;             /* how often it was given one */
};

/* False when it is gone, or the kernel does not count. */
bool task_times(int folder, uint32_t tid, struct task_times *out);

/* When it last ran, by the scheduler's clock of its CPU; 0: not known. One that runs: since when it does. */
uint64_t task_ran_ns(int folder, uint32_t tid);

/* Where it is. */
enum task_is task_where(int folder, uint32_t tid, struct task *t);

/* What a signal would meet in a thread. */
struct task_signal {
	uint64_t switches; /* how often it gave up its CPU by itself */
	uint64_t filters;  /* of system calls; 0 also when the kernel does not say */
	bool blocked, caught;
};

/* False when it is gone. */
bool task_signal(int folder, uint32_t tid, int sig, struct task_signal *out);

/*
 * What a thread waits for, in a word or two.
 *
 * out     [n] the word, cut to what fits
 */
void task_wait(const struct task *t, enum task_is is, char *out, size_t n);

#endif
