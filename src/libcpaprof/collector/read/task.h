/*
 * task.h - information on a thread from /proc
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_TASK_H
#define LIBCPAPROF_COLLECTOR_READ_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { THREAD_NAME_MAX = 16 };

enum task_status {
	TASK_GONE,
	TASK_RUNNING, /* running, or ready to run */
	TASK_WAITING, /* in a system call, or stopped: nr, sp and pc are valid */
	TASK_DENIED,  /* the thread cannot be read; see error */
};

struct task {
	uint32_t tid;
	char name[THREAD_NAME_MAX];
	char state; /* state, as a letter of ps */
	uint64_t cpu_ns, age_ns;
	uint64_t runs; /* number of times it was scheduled on a CPU; 0: not known */
	int cpu;       /* the CPU on which it ran last; -1: not known */
	int error;
	long nr; /* system call number; -1: not in a system call */
	uint64_t arg[6], sp, pc;
};

/*
 * Read the start of a file, with one system call.
 *
 * folder  descriptor of a directory, or AT_FDCWD
 * out     [size] ends with NUL, also on failure
 * Returns its length; -1 and sets errno
 */
ssize_t task_read_file(int folder, const char *path, char *out, size_t size);

/* Open /proc/PID/task. Returns a descriptor, or -1 and sets errno. */
int task_open_folder(pid_t pid);

/*
 * Call each for every thread of a process, in the order of the kernel, until it returns false.
 *
 * folder  descriptor of /proc/PID/task
 * Returns 0 or -errno
 */
int task_each(int folder, bool (*each)(void *data, uint32_t tid), void *data);

/* Read name, state and times of a thread. folder: descriptor of /proc/PID/task. Returns false if it has ended. */
bool task_read(int folder, uint32_t tid, struct task *t);

/* Scheduler statistics, finer than the clock ticks of the stat file. */
struct task_times {
	uint64_t cpu_ns, ready_ns; /* time on a CPU; time waiting for a CPU */
	uint64_t runs;             /* number of times it was scheduled on a CPU */
};

/* Returns false if the thread has ended, or the kernel lacks these statistics. */
bool task_times(int folder, uint32_t tid, struct task_times *out);

/* The time when a thread was last scheduled, by the scheduler clock of its CPU; 0: not known. */
uint64_t task_last_run_ns(int folder, uint32_t tid);

/* Read the system call and the registers of a thread into *t. */
enum task_status task_locate(int folder, uint32_t tid, struct task *t);

/* The signal state of a thread, and its scheduling. */
struct task_signal {
	uint64_t switches; /* voluntary context switches */
	uint64_t filters;  /* number of seccomp filters; 0 also if the kernel does not report it */
	bool blocked, caught;
	uint32_t inner_id; /* id of the thread in its own pid namespace */
};

/* Returns false if the thread has ended. */
bool task_signal(int folder, uint32_t tid, int sig, struct task_signal *out);

/*
 * Describe what a thread waits for in one or two words.
 *
 * out     [n] the text, truncated if necessary
 */
void task_describe_wait(const struct task *t, enum task_status is, char *out, size_t n);

#endif
