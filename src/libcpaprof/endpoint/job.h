/*
 * job.h - what the files that answer requests share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A job is made with serve_begin, where only the request itself is looked at. All else is done in serve_step, with the
 * collector taken but while names are looked up.
 */
#ifndef LIBCPAPROF_ENDPOINT_JOB_H
#define LIBCPAPROF_ENDPOINT_JOB_H

#include "libcpaprof/endpoint/reply.h"
#include "libcpaprof/endpoint/route.h"

#include "libcpaprof/collector/clock.h"
#include "libcpaprof/collector/trace.h"

enum { JOB_KEPT = 16, JOB_SYMBOLS_MOST = 1 << 16 };

/* What paths that give the difference to their last answer gave then. Guarded by the collector. */
struct kept {
	struct snap *snap; /* NULL: free */
	struct process *p; /* pinned */
};

struct serve {
	const struct serve_host *host;
	struct serve_options options;
	/* guarded by the collector */
	unsigned n_captures;
	uint64_t recording;             /* of CPU time, that was begun here; 0: none is on */
	unsigned n_sharing, n_profiles; /* captures in it, and how many of them are profiles: one, but for share=1 */
	struct kept kept[JOB_KEPT];
	pid_t program; /* that was served last for pid 0 */
};

/* A profile that is asked for by its name. */
struct kind {
	const char *name; /* NULL: a custom one */
	enum snap_kind kind;
	bool delta;       /* seconds can be said */
	bool since_last;  /* the difference to the last answer */
	const char *what; /* NULL: it is not in the index */
};

/* Of custom profiles when there is none of that name. */
extern const struct kind job_kinds[];
extern const size_t job_n_kinds;

enum job_state { JOB_NEW, JOB_CAPTURES, JOB_READY };

struct serve_job {
	struct serve *s;
	struct serve_answer answer;
	enum job_state state;
	enum route_to to;
	bool head, old;
	char name[SNAP_NAME_MAX]; /* of the profile, as it was asked for */

	/* parameters */
	int debug;
	pid_t pid;
	char seconds[24]; /* as asked for */
	bool alloc_only, share, symbolize;
	struct serve_cpu cpu;

	/* what is profiled; pinned in a capture */
	struct process *p;
	struct kind kind;
	uint64_t custom;

	/* a capture, and who counts it: nobody, until it is begun */
	uint64_t length_ns, end_ns; /* monotonic */
	bool counted, began_cpu;
	uint64_t recording;
	struct snap *before;
	struct trace *trace;
	uint64_t next_ns; /* trace: the next look */

	struct vec addr; /* uint64_t: of ROUTE_SYMBOL */
	bool cut;        /* a word of them was too long */

	struct snap *after; /* that is being written */
	bool lost;          /* the collector could not be had again */
};

/* Answer with an error. */
#define job_error(j, ...) job_said(j, reply_error(&(j)->answer, __VA_ARGS__))
void job_said(struct serve_job *j, int rc);

/* Find the process, and pin it. Gives false, and an answer, when there is none such. */
bool job_find(struct serve_job *j);
/* Is it more than looked at from outside? */
bool job_has_tables(const struct serve_job *j);
/* Does the process that is captured go on? */
bool job_goes_on(struct serve_job *j);
/* What is wrong with a capture. */
void job_failed(struct serve_job *j, int rc, const char *what);

/* Begin a capture. Gives false, and an answer, when there are too many. */
bool job_capture(struct serve_job *j, uint64_t ns);
/* The other way round; also when it was never begun. */
void job_let_go(struct serve_job *j);

/* Is this capture longer than may be? Then that is the answer. */
bool job_too_long(struct serve_job *j, double seconds);

/* Answer to HEAD what would be answered to GET, but for the body. */
void job_head(struct serve_job *j);

/* A snap_sink_fn; arg: a struct body. -EFBIG when it becomes longer than an answer may be. */
int job_put(void *body, const void *data, size_t n);

/* Answer with a snap, which is freed; its name becomes that of the profile. The collector is left meanwhile. */
void job_write(struct serve_job *j, struct snap *s);
/* The same with what write does, given names and profile to look them up for. */
typedef int job_write_fn(struct serve_job *j, snap_names_fn *names, void *arg);
void job_write_named(struct serve_job *j, struct body *profile, job_write_fn *write);

/* Begin, look, finish. With the collector. */
void job_cpu_begin(struct serve_job *j);
uint64_t job_cpu_look(struct serve_job *j, bool hurry);
/* Take part in the recording that was begun here, or begin one. Gives 0 or -errno: -EBUSY when it is not ours. */
int job_cpu_join(struct serve_job *j);
/* Leave it; it ends with the last one. */
void job_cpu_drop(struct serve_job *j);
void job_snap_begin(struct serve_job *j);
uint64_t job_snap_look(struct serve_job *j, bool hurry);
void job_trace_begin(struct serve_job *j);
uint64_t job_trace_look(struct serve_job *j, bool hurry);
void job_trace_drop(struct serve_job *j);
void job_symbol(struct serve_job *j);
void job_cmdline(struct serve_job *j);
void job_index(struct serve_job *j);

/* The addresses of a request, for job_symbol. Gives 0 or -ENOMEM. */
int job_read_addresses(struct serve_job *j, const char *text, size_t n);

/* Forget what is kept of processes that have ended; all: of all. */
void job_forget(struct serve *s, bool all);

#endif
