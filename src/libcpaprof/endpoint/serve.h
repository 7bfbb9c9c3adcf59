/*
 * serve.h - what /debug/pprof answers: from a request to an answer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * No socket is known here: the server (libcpaprof/endpoint/server.h) has its own connections, and a program may have a server
 * of its own (cpa_http_handle). Paths, parameters, codes and texts are those of Go's net/http/pprof, and what
 * gperftools' clients ask for. Nothing allocates from the host's heap, ends the process or prints: this also
 * runs in a thread of the profiled program.
 */
#ifndef LIBCPAPROF_ENDPOINT_SERVE_H
#define LIBCPAPROF_ENDPOINT_SERVE_H

#include "libcpaprof/collector/body.h"
#include "libcpaprof/collector/snap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	SERVE_SECONDS_USUAL = 300, /* the longest capture */
	SERVE_DELTAS_MOST = 8,     /* captures of other kinds than CPU time at once */
	SERVE_BODY_MOST = 1 << 20, /* of a request: more is answered 413 */
	SERVE_ANSWER_MOST = 64 << 20,
	SERVE_CHECK_MS = 100, /* how often a capture looks whether its process has ended */
	SERVE_LOCATION_MAX = 256
};

struct serve_cpu {
	uint32_t hz;     /* 0: the usual */
	uint32_t engine; /* enum engine_asked + 1; 0: the usual */
};

/* What the program that serves can do. Unless said otherwise: called with the collector taken; arg comes first. */
struct serve_host {
	void *arg;

	/* Without it: the collector is this thread's alone from here on. False: it cannot be had. */
	bool (*take)(void *arg);
	void (*leave)(void *arg);

	/* All that came is taken in. pid 0: the program that was started. NULL: no such one, or it has ended. */
	struct process *(*process)(void *arg, pid_t pid);
	/* When there is none of the program: why, as a sentence without an end. NULL: it has ended. */
	const char *(*why_none)(void *arg);
	/* Others than the program that can be asked for by pid. As many as n; gives how many there are. NULL: none. */
	size_t (*others)(void *arg, struct process_facts *out, size_t n);

	/*
	 * CPU time. cpu_begin: 0, -EBUSY while a recording is on that it began or that the program began itself; else -errno.
	 * cpu_look: to be called again within some ms while it says true; NULL: never needed. cpu_end: all samples are in.
	 * cpu_recording: number of what is on, other ones later; 0: nothing is. How it is done is given back in *out.
	 */
	int (*cpu_begin)(void *arg, const struct serve_cpu *options);
	bool (*cpu_look)(void *arg);
	void (*cpu_end)(void *arg);
	uint64_t (*cpu_recording)(void *arg, struct serve_cpu *out);
	/* Is CPU time sampled all the time? Then captures are differences, and any number may be made at once. */
	bool cpu_always;

	/*
	 * Names, without the collector, for they may take seconds. names_open: for the addresses of a profile (packed,
	 * without names); *fn is then called with the collector taken. Gives 0 or -errno. symbolize: put names and
	 * lines into such a profile; NULL: the names of names_open are written instead, as hints that readers replace.
	 */
	int (*names_open)(void *arg, const struct body *profile, snap_names_fn **fn, void **names);
	void (*names_close)(void *arg, void *names);
	int (*symbolize)(void *arg, struct body *profile);
};

struct serve_options {
	int max_seconds;   /* of a capture; 0: the usual */
	bool hide_cmdline; /* /cmdline has the name of the program alone */
	bool names;        /* profiles have names unless ?symbolize=0 is said */
};

/* A request. Texts end with 0 and are borrowed until serve_begin returns. */
struct serve_request {
	const char *method;
	const char *target; /* as in the request line: path and query, escaped */
	const char *body;   /* [n_body]; of POST */
	size_t n_body;
};

struct serve_answer {
	int status;
	const char *type;                  /* Content-Type */
	char file[SNAP_NAME_MAX + 8];      /* of Content-Disposition: attachment; "": there is none */
	char location[SERVE_LOCATION_MAX]; /* of a redirection; "": none */
	const char *allow;                 /* Allow; NULL: none */
	bool is_error;  /* X-Go-Pprof: 1, by which pprof knows that the body is a message for people */
	bool no_length; /* of HEAD: what GET would give was not made, so there is no Content-Length */
	struct body body;
};

struct serve;     /* what all requests share */
struct serve_job; /* a request that is being answered */

/* The host is borrowed. Gives 0 or -ENOMEM. */
int serve_new(const struct serve_host *host, const struct serve_options *options, struct serve **out);
/* After the last job. Takes NULL. */
void serve_free(struct serve *s);

/* Begin to answer. Whatever is wrong with the request is an answer. Gives 0 or -ENOMEM. */
int serve_begin(struct serve *s, const struct serve_request *r, struct serve_job **out);

/*
 * Do what is due: begin, look, finish a capture. It may take as long as names take, but waits for nothing.
 *
 * hurry   end a capture now, with what there is
 * Gives   the time of CLOCK_MONOTONIC in ns at which to come again; 0: the answer is ready
 */
uint64_t serve_step(struct serve_job *j, bool hurry);

/* After serve_step gave 0; good until serve_end. */
const struct serve_answer *serve_answer(const struct serve_job *j);

/* At any time, also in the middle of a capture, which then ends. Takes NULL. */
void serve_end(struct serve_job *j);

/*
 * The header lines of an answer, each ended by CR LF, without Date, Content-Length and those of a connection.
 *
 * out     [n] cut to what fits, ended by 0
 * Gives   the length of all of it, as snprintf
 */
size_t serve_headers(const struct serve_answer *a, char *out, size_t n);

/* The words that go with a status: "Not Found". */
const char *serve_reason(int status);

/*
 * Fill in an answer of one line. pprof: it is told by /debug/pprof itself (is_error). Gives 0 or -ENOMEM.
 */
int serve_say(struct serve_answer *a, int status, bool pprof, const char *text);

#endif
