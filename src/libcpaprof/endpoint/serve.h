/*
 * serve.h - answer requests to /debug/pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * This code is independent of sockets: the server (libcpaprof/endpoint/server.h) has its own connections, and a program
 * may use its own HTTP server (cpa_http_handle). Paths, parameters, status codes and texts are those of Go's
 * net/http/pprof, plus those that clients of gperftools need. No function allocates from the host's heap, exits or
 * prints, because this also runs in a thread of the profiled program.
 */
#ifndef LIBCPAPROF_ENDPOINT_SERVE_H
#define LIBCPAPROF_ENDPOINT_SERVE_H

#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/write/body.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	SERVE_SECONDS_DEFAULT = 300, /* max seconds of a capture */
	SERVE_DELTAS_MAX = 8,        /* max concurrent captures other than CPU time */
	SERVE_BODY_MAX = 1 << 20,    /* max size of a request body; a larger one is answered with 413 */
	SERVE_ANSWER_MAX = 64 << 20,
	SERVE_CHECK_MS = 100, /* interval at which a capture checks if its process has ended */
	SERVE_LOCATION_MAX = 256
};

struct serve_cpu {
	uint32_t hz;     /* 0: default */
	uint32_t engine; /* enum engine_request + 1; 0: default */
};

/* Callbacks of the program that serves. They are called with the collector lock held, except where noted. */
struct serve_host {
	void *arg;

	/* Called without the lock: acquire the collector lock. Returns false if the collector is gone. */
	bool (*lock)(void *arg);
	void (*unlock)(void *arg);

	/* Drain the collector, and find a process. pid 0 is the main process. Returns NULL if it is not found or has
	 * ended. */
	struct process *(*process)(void *arg, pid_t pid);
	/* The message if the main process is not found; NULL: it has ended. */
	const char *(*explain_missing)(void *arg);
	/* List up to n other processes that can be requested by pid. Returns their number. NULL: there are none. */
	size_t (*list_others)(void *arg, struct process_info *out, size_t n);

	/*
	 * CPU time. cpu_begin starts a recording. It returns 0, -EBUSY during another recording, even one of the
	 * program itself, or another -errno. cpu_poll is called every few ms while it returns true; NULL: not needed.
	 * cpu_end ends the recording, with all samples drained. cpu_recording returns the id of the current recording,
	 * which is never reused, and its settings in *out; 0: none.
	 */
	int (*cpu_begin)(void *arg, const struct serve_cpu *options);
	bool (*cpu_poll)(void *arg);
	void (*cpu_end)(void *arg);
	uint64_t (*cpu_recording)(void *arg, struct serve_cpu *out);
	/* CPU time is always sampled, so any number of captures can run concurrently. */
	bool is_cpu_always;

	/*
	 * Names. names_take copies what is needed to look up the addresses of a snap; NULL: out of memory. names_find
	 * and names_write are called without the collector lock, because they may take seconds, and return 0 or -errno.
	 * names_find looks up the addresses, for names_at, which is called with the lock held; NULL: names_at needs no
	 * preparation. names_write writes the snap as profile.proto with names and lines; NULL: the names of names_at are
	 * written as hints, which readers replace.
	 */
	void *(*names_take)(void *arg, const struct snap *s);
	int (*names_find)(void *arg, void *names);
	snap_names_fn *names_at;
	int (*names_write)(void *arg, void *names, struct body *out);
	void (*names_close)(void *arg, void *names);
};

struct serve_options {
	int max_seconds;   /* max length of a capture; 0: default */
	bool hide_cmdline; /* does /cmdline show only the name of the program? */
	bool wants_names;  /* names are added to profiles, unless ?symbolize=0 */
};

/* A request. Texts end with NUL and are borrowed until serve_begin returns. */
struct serve_request {
	const char *method;
	const char *target; /* target of the request line: path and query, escaped */
	const char *body;   /* [n_body] body of a POST */
	size_t n_body;
};

struct serve_answer {
	int status;
	const char *type;                  /* Content-Type */
	char file[SNAP_NAME_MAX + 8];      /* file name in Content-Disposition; "": none */
	char location[SERVE_LOCATION_MAX]; /* location of a redirection; "": none */
	const char *allow;                 /* value of Allow; NULL: none */
	bool is_error;                     /* send X-Go-Pprof: 1, by which pprof detects an error message */
	bool no_length;                    /* HEAD: the body was not generated, so there is no Content-Length */
	struct body body;
};

struct serve;     /* shared state of all requests */
struct serve_job; /* a request in progress */

/* host is borrowed. Returns 0 or -ENOMEM. */
int serve_new(const struct serve_host *host, const struct serve_options *options, struct serve **out);
/* Call this after the last job ended. Takes NULL. */
void serve_free(struct serve *s);

/* Start to answer a request. An invalid request gets an answer, too. Returns 0 or -ENOMEM. */
int serve_begin(struct serve *s, const struct serve_request *r, struct serve_job **out);

/*
 * Do the next step: start, poll or finish a capture. It does not sleep, but may take as long as the lookup of names.
 *
 * hurry   true: end a capture now, with the data so far
 * Returns the time of the next step, CLOCK_MONOTONIC in ns; 0: the answer is ready
 */
uint64_t serve_step(struct serve_job *j, bool hurry);

/* The answer, available after serve_step has returned 0. Valid until serve_end. */
const struct serve_answer *serve_answer(const struct serve_job *j);

/* End a job at any time, also during a capture. Takes NULL. */
void serve_end(struct serve_job *j);

/*
 * Format the header lines of an answer, each with CR LF, without Date, Content-Length and Connection.
 *
 * out     [n] truncated to fit, ends with NUL
 * Returns the full length, like snprintf
 */
size_t serve_headers(const struct serve_answer *a, char *out, size_t n);

/* The reason phrase of a status: "Not Found". */
const char *serve_reason(int status);

/*
 * Set an answer of one line. pprof: it is an error of /debug/pprof (is_error). Returns 0 or -ENOMEM.
 */
int serve_set_text(struct serve_answer *a, int status, bool pprof, const char *text);

#endif
