/*
 * pprof.h - a program profiles itself: what runtime/pprof is for Go, for C and C++
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions give 0 or -errno unless said otherwise. Nothing here ends the program, and nothing may be
 * called in signal handlers unless said. C11; see <cpa/pprof.hpp> for C++, cpa-profiler(3) for all of it.
 */
#ifndef LIBCPAPROF_API_CPA_PPROF_H
#define LIBCPAPROF_API_CPA_PPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpa_profile cpa_profile; /* a named profile */
typedef uint32_t cpa_labels;            /* a set of labels, interned; 0: none */

/* Takes what is written. Gives 0, else writing stops with that. */
typedef int (*cpa_write_fn)(void *arg, const void *buf, size_t n);

enum { CPA_OVERWRITE = 1 }; /* flags: replace a file that is there */

typedef struct cpa_cpu_opts {
	size_t size;        /* sizeof(cpa_cpu_opts) */
	int hz;             /* samples per second of CPU time, 1 to 1000; 0: what cpa_cpu_set_rate said, or 100 */
	int max_depth;      /* frames of a stack that are kept; 0: all that can be */
	const char *engine; /* "timer" (NULL), "perf", "itimer" */
	unsigned flags;
} cpa_cpu_opts;

/*
 * Start to profile CPU time. The profile is written when it stops, before cpa_cpu_stop returns.
 * o may be NULL. Fails -EBUSY while profiling is on (also when cpa run does it), -EINVAL, or what the
 * system says. A path is opened with O_EXCL | O_NOFOLLOW when writing begins, but for CPA_OVERWRITE;
 * %p in it becomes the process, %t the time, %h the host. A descriptor is duplicated, and must at the
 * end still be of the same file.
 */
int cpa_cpu_start_fd(int fd, const cpa_cpu_opts *o);
int cpa_cpu_start_path(const char *path, const cpa_cpu_opts *o);
int cpa_cpu_start_fn(cpa_write_fn write, void *arg, const cpa_cpu_opts *o);
/* Fails -EINVAL when it is not on, and as writing does. */
int cpa_cpu_stop(void);
/* Write what there is so far to the path that was given, in place of what was written before, and go on. */
int cpa_cpu_flush(void);
/* For the next start. Fails -EBUSY while it is on. */
int cpa_cpu_set_rate(int hz);

/* Rates: each sets, and gives what was before. */
size_t cpa_heap_set_rate(size_t bytes); /* mean bytes between samples; 1: all, 0 (at first): none; SIZE_MAX asks */
int64_t cpa_block_set_rate(int64_t ns); /* waits as long are all kept; 1: all, 0 (at first): none; less only asks */
int cpa_mutex_set_fraction(int n);      /* one of n contended unlocks; 0 (at first): none; less only asks */

int cpa_heap_write(cpa_write_fn write, void *arg);

/*
 * Profiles by name: heap, allocs, threads (also goroutine), block, mutex, threadcreate, and those that
 * the program makes. They are never freed.
 */
cpa_profile *cpa_profile_lookup(const char *name); /* NULL: none such */
cpa_profile *cpa_profile_new(const char *name);    /* NULL and errno: EEXIST, EINVAL (empty or with spaces), ENOMEM */
/* All, sorted by name, as many as n. Gives how many there are. */
size_t cpa_profile_list(cpa_profile **out, size_t n);
const char *cpa_profile_name(const cpa_profile *p);
/* What it counts now: threads, values that were added, stacks. */
int64_t cpa_profile_count(cpa_profile *p);
/* Add a value with the stack of the caller, less skip frames. Fails -EEXIST (it is there), -EPERM (built in), -ENOMEM. */
int cpa_profile_add(cpa_profile *p, const void *value, int skip);
/* Fails -ENOENT, -EPERM. */
int cpa_profile_remove(cpa_profile *p, const void *value);
/* debug 0: profile.proto with gzip; 1: text; 2: text, threads one by one. */
int cpa_profile_write(cpa_profile *p, int debug, cpa_write_fn write, void *arg);
/* The same into a file, whose path is as that of cpa_cpu_start_path. flags: CPA_OVERWRITE. */
int cpa_profile_write_path(cpa_profile *p, int debug, const char *path, unsigned flags);

enum { CPA_DELTA_ALLOC = 1 }; /* flags: values in use are those at the end */
/* Write what comes within the next seconds, during which the caller waits. */
int cpa_profile_delta(cpa_profile *p, int seconds, unsigned flags, cpa_write_fn write, void *arg);

/*
 * Labels say for whom a thread works. A set is interned once, so a thread always has a whole one.
 * cpa_labels_make: parent and pairs of key and value; a key that is there already is replaced. Gives 0
 * when there is no room for any set, and a set that says cpa_label_overflow=1 when there are too many.
 */
cpa_labels cpa_labels_make(cpa_labels parent, const char *const kv[], size_t pairs);
cpa_labels cpa_labels_set(cpa_labels l); /* of this thread; gives the one before; may be called in signal handlers */
cpa_labels cpa_labels_get(void);
const char *cpa_labels_value(cpa_labels l, const char *key); /* NULL: not in it */
/* Call f with each, sorted by key, until it gives other than 0, which is given. */
int cpa_labels_each(cpa_labels l, int (*f)(void *arg, const char *key, const char *value), void *arg);
/* Call fn with these labels, then set those from before. */
void cpa_labels_do(cpa_labels l, void (*fn)(void *), void *arg);
/* Do new threads begin with the labels of their creator? Yes at first. Gives what was before. */
int cpa_labels_inherit(int on);
/* For pools: what a task was made with, and run with. */
#define cpa_labels_capture cpa_labels_get
#define cpa_labels_adopt cpa_labels_set

/*
 * Waits that no wrapper sees: futexes, locks of other libraries. A block event is told by who waited, a mutex
 * event by who let the lock go, with what others waited for it. Its caller, less skip frames, is charged.
 */
void cpa_block_event(int64_t ns, int skip);
void cpa_mutex_event(const void *lock, int64_t ns, int skip);

void cpa_thread_register(const char *name); /* one that was made without pthread_create; name may be NULL */
void cpa_thread_ignore(int on);             /* take no samples of this thread */

/* What net/http/pprof is for Go: a server of /debug/pprof in a thread of its own. One at a time. */
enum { CPA_HTTP_ANY_USER = 1, CPA_HTTP_HIDE_CMDLINE = 2, CPA_HTTP_ANY_ADDRESS = 4 }; /* flags */

typedef struct cpa_http_opts {
	size_t size; /* sizeof(cpa_http_opts) */
	const char
		*listen; /* "127.0.0.1:6060", ":0" (loopback, a free port), "unix:/run/me/prof-%p.sock"; NULL: that */
	const char *secret_file; /* 32 bytes at least, mode 0600; clients send Authorization: Bearer; NULL: none */
	const char *
		allow_hosts; /* names that a Host header may have beside loopback's and addresses, with commas between */
	unsigned flags;
	int max_seconds; /* of a capture; 0: 300 */
} cpa_http_opts;

/*
 * o may be NULL: a Unix socket of this user alone. Samples the heap from now on, unless cpa_heap_set_rate was called
 * before, as Go does. Fails -EBUSY (it is on; under cpa run), -EACCES (a public address without a secret, or without
 * CPA_HTTP_ANY_ADDRESS for 0.0.0.0 and ::), -EINVAL, or as bind does.
 */
int cpa_http_start(const cpa_http_opts *o);
int cpa_http_stop(void); /* -EINVAL when it is not on; captures under way end with what they have */
/* Where it listens: "http://127.0.0.1:6060" or "unix:/path". Gives its length, as snprintf does, or -EINVAL. */
int cpa_http_addr(char *buf, size_t n);
/*
 * Answer one request in a server of the program's own, which decides who may ask. The caller waits as long as that
 * takes (seconds=30). method: "GET", "HEAD", "POST"; target: path and query as in the request line, /debug/pprof/...;
 * body: [n_body] of POST. Before write is called, status and headers (lines that end with CR LF, as many as fit
 * into n) are set. Gives 0, -errno, or what write gave.
 */
int cpa_http_handle(const char *method, const char *target, const void *body, size_t n_body, cpa_write_fn write,
		    void *arg, int *status, char *headers, size_t n);

/* What is on, as JSON. Gives its length, as snprintf does. */
int cpa_status(char *json, size_t n);
const char *cpa_version(void);

#ifdef __cplusplus
}
#endif
#endif
