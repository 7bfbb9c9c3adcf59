/*
 * events.h - perf events of the kernel: open them for processes, read their samples
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An event is opened for each thread and CPU, and inherited by new threads; all events of a CPU write to one ring
 * buffer. PERF_EVENT_IOC_REFRESH is never used: it hangs machines with Linux 6.16 and 6.17.
 */
#ifndef ATTACH_EVENTS_H
#define ATTACH_EVENTS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { EVENTS_MAX = 3, EVENT_NAME_MAX = 16 };

struct events; /* open events, and their ring buffers */

/* A kind of event. */
struct event_type {
	const char *name; /* "cycles" */
	uint32_t type;    /* perf_event_attr.type and config */
	uint64_t config;
	bool is_time; /* a clock: counts ns */
};

/* Find an event by its name; NULL: unknown. */
const struct event_type *events_find(const char *name, size_t n);
/* The same for a text that is a name. */
const struct event_type *events_named(const char *name);
/* The names of all events, separated by ", ". */
const char *events_names(void);

struct events_options {
	const struct event_type *type[EVENTS_MAX]; /* [n_types] */
	size_t n_types;
	unsigned hz;       /* samples per second; of events that are clocks, the period is 1 / hz */
	bool all_switches; /* event 0 is context-switches: sample each of them, and report switches */
	bool no_kernel;    /* user code only */
	bool has_children; /* inherit by child processes, not only by threads */
	bool closes_ended; /* close events of ended threads; their processes must not start others before events_start */
	bool all_mappings;     /* report mappings without code, too */
	size_t n_stack;        /* bytes of stack to copy, a multiple of 8; 0: none */
	size_t n_switch_stack; /* the same of context switches */
};

/* A record of a ring buffer. */
enum event_record_kind {
	RECORD_SAMPLE,
	RECORD_LOST,
	RECORD_SWITCH_IN,
	RECORD_SWITCH_OUT,
	RECORD_MAPPING,
	RECORD_EXEC,
	RECORD_START, /* a thread starts: pid and tid are its own */
	RECORD_EXIT,
	RECORD_REST /* time that event 0, a clock, counted but did not sample; of all that inherited the event */
};

struct event_record {
	enum event_record_kind kind;
	uint32_t pid, tid;
	uint64_t time_ns;  /* CLOCK_MONOTONIC */
	bool is_preempted; /* RECORD_SWITCH_OUT: the thread could continue to run */
	uint64_t n_lost;   /* RECORD_LOST */
	/* RECORD_START: the process that started it */
	uint32_t parent;
	/* RECORD_EXEC */
	char name[EVENT_NAME_MAX];
	/* RECORD_MAPPING */
	uint64_t lo, hi, offset, ino;
	uint32_t dev_major, dev_minor, prot;
	const char *path;
	/* RECORD_SAMPLE; the period also of RECORD_REST */
	uint32_t type;          /* index in events_options.type */
	uint64_t period;        /* number of events, or ns, since the last sample */
	const uint64_t *kernel; /* [n_kernel] kernel frames, leaf first */
	uint32_t n_kernel;
	const uint64_t *
		user; /* [n_user] user frames by frame pointers, from the interrupted one on, as the kernel found them */
	uint32_t n_user;
	const uint64_t *reg;        /* registers, as read_stack_event_regs; NULL: none */
	const unsigned char *stack; /* [n_stack] */
	size_t n_stack;
};

typedef void event_record_fn(void *arg, unsigned ring, const struct event_record *r);

/* Create events without processes. Fails: ERR_IO without ring buffers. */
int events_new(const struct events_options *o, struct events **out, struct err *err);
void events_free(struct events *e); /* takes NULL */

/*
 * Add all threads of a process, the whole machine, or the processes of a cgroup (an open folder).
 *
 * Returns 0 or -errno: -ESRCH, -EACCES or -EPERM, -ENOENT if the machine cannot count an event, -ENOSYS, -EMFILE,
 *         -EOPNOTSUPP
 */
int events_add_process(struct events *e, pid_t pid);
int events_add_machine(struct events *e);
int events_add_cgroup(struct events *e, int folder);

/* Start or stop counting. Events that are added later are started by another call. */
void events_start(struct events *e);
void events_stop(struct events *e);

/* Wait until records are available, at most this time. */
void events_wait(const struct events *e, int ms);

/* Read all records, CPU by CPU; those of one CPU are in order of time. */
void events_read(struct events *e, event_record_fn *fn, void *arg);

/* At the end, after events_stop: call fn with a RECORD_REST for each thread with events of its own. */
void events_read_rest(struct events *e, event_record_fn *fn, void *arg);

#endif
