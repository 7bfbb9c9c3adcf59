/*
 * sample_int.h - shared by the files of attach_sample
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_SAMPLE_INT_H
#define ATTACH_SAMPLE_INT_H

#include "attach/events.h"
#include "attach/images.h"
#include "attach/jit.h"
#include "attach/sample.h"
#include "attach/thread_labels.h"
#include "libcpaprof/collector/external.h"

/* A sampled process. After an exec it is another target. */
struct sampled {
	pid_t pid;
	char name[THREAD_NAME_MAX + 1];
	struct process *p;
	bool is_requested; /* is it in options.pid? */
	bool is_copy;      /* was it a copy of cpa, before it executed its program? It is not in the profile */
	bool is_stale;     /* have its mappings changed since they were read? */
	unsigned n_rounds; /* calls of attach_sample_continues since it has ended */
	bool has_library;  /* has it our library, which samples it? It is not in the profile */
	struct thread_labels *labels; /* its context and the labels of its threads */
	struct external_labels external_labels;
	uint64_t read_ns, read_cost_ns; /* when its mappings were read, and the CPU time that took */
};

/* A sample that waits for the records of mappings. */
struct pending {
	struct event_record r;
	uint64_t *bytes; /* its arrays */
};

struct session {
	const struct sample_options *o;
	const struct collect *library; /* processes that share its segment have our library; NULL: none have */
	struct external external;
	const struct event_type *type[SAMPLE_EVENTS_MAX]; /* [n_types] */
	size_t n_types;
	struct sampled **target; /* [n] sorted by pid: running processes */
	size_t n, cap;
	struct sampled **old; /* [n_old] ended by an exec */
	size_t n_old, cap_old;
	pid_t *child; /* [n_children] processes that ran when sampling began, and follow the others */
	size_t n_children;
	struct attach_jits jits; /* targets that generate code */
	struct events *events;   /* NULL with SAMPLE_WALL */
	struct images *images;   /* NULL: only given processes are sampled, without their children */
	struct pending *pending; /* [n_pending] samples of processes that have ended */
	size_t n_pending, cap_pending;
	unsigned hz;
	bool has_kernel;
	bool has_deep;     /* are stacks larger than their copies? */
	bool has_executed; /* with options.begun: has the process executed its program? */
	enum sample_kind kind;
	uint64_t start_ns, end_ns;     /* monotonic */
	struct busy_time busy[2];      /* of the machine, at these times */
	uint64_t n_lost;               /* records that the kernel dropped */
	uint64_t wait_ns, labelled_ns; /* time of waits from perf events; of those whose labels were read */
};

/* A target that owns p; it is not part of the session yet. */
struct sampled *attach_sample_new(pid_t pid, struct process *p);

/* Find the target of a process, or start one. NULL: it has ended or is not to be sampled. */
struct sampled *attach_sample_target(struct session *s, pid_t pid);

/* Find the target of a process; NULL: there is none. */
struct sampled *attach_sample_known(const struct session *s, pid_t pid);

/* Read the mappings of a target again, if they have changed and it is not too expensive. */
void attach_sample_refresh(const struct session *s, struct sampled *t);

/* The process executes another program: end its target, and start a new one. */
void attach_sample_exec(struct session *s, pid_t pid);

/* Read the mappings of all targets that have changed, while they still run. */
void attach_sample_refresh_all(struct session *s);

/* Is sampling to continue? Reports progress and reads CPU times. Called about every 100 ms. */
bool attach_sample_continues(struct session *s);

/* Fill in the sample types and comments of the profile; complete the comments after sampling. */
void attach_sample_describe(struct session *s);
void attach_sample_describe_result(struct session *s);

/* Is the target part of the profile? */
bool attach_sample_is_written(const struct sampled *t);

/* The profile of one target. */
int attach_sample_read(const struct session *s, const struct sampled *t, struct profile **out, struct err *err);

void attach_sample_release(struct session *s);

/* sample_context.c: find the context of a target, and the labels of its threads, which only samples of waiting threads have. */
void attach_sample_find_context(const struct session *s, struct sampled *t);
/* After sampling: complete the comments of the session, with the labels that are missing. */
void attach_sample_describe_labels(struct session *s);
/* Add the context to the comments of its profile. */
void attach_sample_comment_context(const struct sampled *t, struct profile *to);
/* Label its profile with the name of the service, if it has one. Fails like profile_set_label. */
int attach_sample_label_service(const struct sampled *t, struct profile *p, struct err *err);

/* sample_events.c: open the events. Fails: ERR_IO with the reason and the setting that permits it. */
int attach_sample_open_events(struct session *s, struct err *err);
/* Sample until the end. */
void attach_sample_run_events(struct session *s);
/* Read the samples of CPU time since the last call. */
void attach_sample_read_events(struct session *s);
/* Stop, and read the last ones. Time that was not sampled is charged to the processes, too. */
void attach_sample_end_events(struct session *s);

/* sample_wall.c: sample through /proc until the end. */
void attach_sample_run_wall(struct session *s);

/* sample_denied.c: can perf events hang this release of Linux, such as "6.16.3-amd64"? */
bool attach_sample_is_dangerous(const char *release);

/* sample_denied.c: explain why an event could not be opened. pid 0: not of one process. Returns ERR_IO. */
int attach_sample_explain(const struct session *s, pid_t pid, int error, struct err *err);

#endif
