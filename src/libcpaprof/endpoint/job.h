/*
 * job.h - internals shared by the files that answer requests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * serve_begin creates a job from a request, without the collector. serve_step does the work, with the collector lock
 * held except while names are looked up.
 */
#ifndef LIBCPAPROF_ENDPOINT_JOB_H
#define LIBCPAPROF_ENDPOINT_JOB_H

#include "libcpaprof/endpoint/route.h"

#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/trace/trace.h"

enum { JOB_ANSWERS_MAX = 16, JOB_SYMBOLS_MAX = 1 << 16 };

/* The last answer of a path whose answers are differences to the previous answer. Guarded by the collector lock. */
struct last_answer {
	struct snap *snap; /* NULL: the entry is free */
	struct process *p; /* pinned */
};

struct serve {
	const struct serve_host *host;
	struct serve_options options;
	/* guarded by the collector lock */
	unsigned n_captures;
	uint64_t recording; /* id of the CPU recording that a job started; 0: none */
	unsigned n_sharing,
		n_profiles; /* captures that use this recording; CPU profiles among them, at most one without share=1 */
	struct last_answer last[JOB_ANSWERS_MAX];
	pid_t program; /* last pid served for requests without pid */
};

/* A profile that can be requested by name. */
struct profile_kind {
	const char *name; /* NULL: a custom profile */
	enum snap_kind kind;
	bool can_delta;          /* does it accept seconds=? */
	bool is_since_last;      /* is it the difference to the last answer? */
	const char *description; /* description in the index; NULL: not in the index */
};

/* The built-in profiles. Other names are custom profiles. */
extern const struct profile_kind job_kinds[];
extern const size_t job_n_kinds;

enum job_state { JOB_NEW, JOB_CAPTURING, JOB_READY };

struct serve_job {
	struct serve *s;
	struct serve_answer answer;
	enum job_state state;
	enum route_target target;
	bool is_head, is_gperf;
	char name[SNAP_NAME_MAX]; /* name of the requested profile */

	/* parameters */
	int debug;
	pid_t pid;
	char seconds[24]; /* the parameter seconds, as text */
	bool alloc_only, share, symbolize;
	struct serve_cpu cpu;

	/* the profiled process, which is pinned, and the requested profile */
	struct process *p;
	struct profile_kind kind;
	uint64_t custom;

	/* fields of a capture; is_counted and has_cpu are set while it counts in struct serve */
	uint64_t length_ns, end_ns; /* monotonic */
	bool is_counted, has_cpu;
	uint64_t recording;
	struct snap *before;
	struct trace *trace;
	uint64_t next_ns; /* trace: time of the next poll */

	struct vec addr;   /* uint64_t: addresses of ROUTE_SYMBOL */
	bool is_truncated; /* was an address too long? */

	struct snap *after;      /* the snap that is being written */
	bool has_lost_collector; /* set if the collector lock could not be acquired again */
};

/* Answer with an error. */
#define job_error(j, ...) job_set_answered(j, reply_error(&(j)->answer, __VA_ARGS__))
void job_set_answered(struct serve_job *j, int rc);

/* Find the process, and pin it. Returns false and sets an answer if there is none. */
bool job_find_process(struct serve_job *j);
/* Is the process profiled by us, with tables in our segment? */
bool job_has_tables(const struct serve_job *j);
/* Is the captured process still running? */
bool job_is_running(struct serve_job *j);
/* Answer with an error: rc is -errno. */
void job_fail(struct serve_job *j, int rc, const char *what);

/* Start a capture. Returns false and sets an answer if there are too many. */
bool job_start_capture(struct serve_job *j, uint64_t ns);
/* End the capture, if one was started, and unpin the process. */
void job_end_capture(struct serve_job *j);

/* Does this capture exceed the time limit? If so, set an answer. */
bool job_is_too_long(struct serve_job *j, double seconds);

/* Answer HEAD as GET, but without the body. */
void job_answer_head(struct serve_job *j);

/* A snap_sink_fn; body is a struct body. Returns -EFBIG above the size limit of answers. */
int job_append(void *body, const void *data, size_t n);

/* Answer with a snap, which is renamed to the profile and freed. The collector is unlocked in between. */
void job_write(struct serve_job *j, struct snap *s);
/* The same for the difference from job.before; alloc_only as for snap_subtract. */
void job_write_difference(struct serve_job *j, struct snap *s, bool alloc_only);
/* Look up the names for a snap, then call write with them. */
typedef int job_write_fn(struct serve_job *j, snap_names_fn *names, void *arg);
void job_write_named(struct serve_job *j, const struct snap *s, job_write_fn *write);

/* Start, poll and finish callbacks. Call them with the collector lock held. */
void job_cpu_begin(struct serve_job *j);
uint64_t job_cpu_poll(struct serve_job *j, bool hurry);
/* Join the recording of another job, or start one. Returns 0 or -errno: -EBUSY if the program started it. */
int job_cpu_join(struct serve_job *j);
/* Leave the recording. It ends when the last job leaves it. */
void job_cpu_leave(struct serve_job *j);
void job_snap_begin(struct serve_job *j);
uint64_t job_snap_poll(struct serve_job *j, bool hurry);
void job_trace_begin(struct serve_job *j);
uint64_t job_trace_poll(struct serve_job *j, bool hurry);
void job_trace_drop(struct serve_job *j);
void job_symbol(struct serve_job *j);
void job_cmdline(struct serve_job *j);
void job_index(struct serve_job *j);

/* Read the addresses of a request, for job_symbol. Returns 0 or -ENOMEM. */
int job_read_addresses(struct serve_job *j, const char *text, size_t n);

/* Free the last answers of ended processes; all: of all processes. */
void job_forget_answers(struct serve *s, bool all);

/* Answer a route before ROUTE_INDEX: an error or a redirection. method: the HTTP method. Returns 0 or -ENOMEM. */
int reply_route(struct serve_answer *a, const struct route *r, const char *method);

/* Append formatted text of at most 1 KiB, or text escaped for HTML. Both return 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3))) int reply_add(struct serve_answer *a, const char *fmt, ...);
int reply_add_html(struct serve_answer *a, const char *text, size_t n);

/* Replace the answer by an error of one line, like serve_set_text; fmt as for reply_add. */
__attribute__((format(printf, 3, 4))) int reply_error(struct serve_answer *a, int status, const char *fmt, ...);

extern const char reply_text[], reply_page[], reply_data[]; /* content types */

#endif
