/*
 * pprof.h - profiles of this process, taken by the program itself: runtime/pprof of Go, for C and C++
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions return 0 or -errno unless stated otherwise. None of them ends the program. Only cpa_labels_set and
 * cpa_labels_get may be called in signal handlers. C11; C++ programs include <cpa/pprof.hpp>. The manual is
 * cpa-profiler(3).
 */
#ifndef LIBCPAPROF_API_CPA_PPROF_H
#define LIBCPAPROF_API_CPA_PPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpa_profile cpa_profile; /* a profile, found by its name */
typedef uint32_t cpa_labels;            /* id of a set of labels; 0: no labels */

/*
 * Receives the bytes of a profile, piece by piece. Returns 0 to continue; any other value stops writing and is
 * returned to the caller.
 */
typedef int (*cpa_write_fn)(void *arg, const void *buf, size_t n);

enum { CPA_OVERWRITE = 1 }; /* flag: replace an existing file */

typedef struct cpa_cpu_opts {
	size_t size;        /* sizeof(cpa_cpu_opts) */
	int hz;             /* samples per second of CPU time, 1 to 1000; 0: the rate of cpa_cpu_set_rate, or 100 */
	int max_depth;      /* maximum frames per stack, up to 254; 0: 254 */
	const char *engine; /* "timer" (default, also NULL), "perf" or "itimer" */
	unsigned flags;
} cpa_cpu_opts;

/*
 * Start profiling CPU time, in all threads. cpa_cpu_stop writes the profile. If the process ends before that, a profile
 * for a descriptor or a path is written then.
 *
 * fd      is duplicated; when the profile is written it must still refer to the same file
 * path    a new file of mode 0600, created when the profile is written; symbolic links are not followed. %p becomes
 *         the process id, %t the time in seconds since 1970, %h the host name. CPA_OVERWRITE replaces an existing
 *         file
 * write   is called with arg by cpa_cpu_stop
 * o       NULL: all defaults
 * Fails   -EBUSY if CPU profiling is on already, also by cpa run; -EINVAL; or with an error of the system
 */
int cpa_cpu_start_fd(int fd, const cpa_cpu_opts *o);
int cpa_cpu_start_path(const char *path, const cpa_cpu_opts *o);
int cpa_cpu_start_fn(cpa_write_fn write, void *arg, const cpa_cpu_opts *o);
/* Stop profiling and write the profile. Fails with -EINVAL if profiling is not on, or with the error of writing. */
int cpa_cpu_stop(void);
/* Write the profile so far to its path, replace what was written there before, and continue. */
int cpa_cpu_flush(void);
/* Set the rate for the next start. Fails with -EBUSY while CPU profiling is on. */
int cpa_cpu_set_rate(int hz);

/* Sampling rates. Each function sets one and returns the previous value. Initially they are 0: nothing is sampled. */
/* bytes: mean number of bytes between samples; 1: sample all objects, SIZE_MAX: only return the rate */
size_t cpa_heap_set_rate(size_t bytes);
/* ns: waits of at least this time are all recorded, shorter ones are sampled; 1: record all, < 0: only return it */
int64_t cpa_block_set_rate(int64_t ns);
/* n: one in n contended unlocks is recorded; 1: record all, < 0: only return it */
int cpa_mutex_set_fraction(int n);

/* Write the profile heap. */
int cpa_heap_write(cpa_write_fn write, void *arg);

/*
 * Profiles by name: heap, allocs, threads (also called goroutine), block, mutex, threadcreate, and those that the
 * program creates. Profiles are never freed.
 */
/* Find a profile. Returns NULL if there is none with this name. */
cpa_profile *cpa_profile_lookup(const char *name);
/* Create a profile. Returns NULL and sets errno: EEXIST, EINVAL (an empty name, or one with spaces) or ENOMEM. */
cpa_profile *cpa_profile_new(const char *name);
/* List all profiles, sorted by name. Stores at most n in out. Returns the number of profiles. */
size_t cpa_profile_list(cpa_profile **out, size_t n);
const char *cpa_profile_name(const cpa_profile *p);
/* Current size of a profile: number of threads, of values that were added, or of stacks. */
int64_t cpa_profile_count(cpa_profile *p);
/*
 * Add a value, with the stack of the caller without its first skip frames. The value is never dereferenced. Fails
 * with -EEXIST (value is in the profile already), -EPERM (built-in profile) or -ENOMEM.
 */
int cpa_profile_add(cpa_profile *p, const void *value, int skip);
/* Remove a value. Fails with -ENOENT (value is not in the profile) or -EPERM (built-in profile). */
int cpa_profile_remove(cpa_profile *p, const void *value);
/*
 * Write a profile as it is now. debug 0: profile.proto, compressed with gzip; 1: text; 2: text, each thread
 * separately.
 */
int cpa_profile_write(cpa_profile *p, int debug, cpa_write_fn write, void *arg);
/* Write a profile to a file; path as for cpa_cpu_start_path. flags: CPA_OVERWRITE. */
int cpa_profile_write_path(cpa_profile *p, int debug, const char *path, unsigned flags);

enum { CPA_DELTA_ALLOC = 1 }; /* flag: values in use are those at the end, not differences */
/*
 * Wait for some seconds and write the difference between the profiles before and after. The caller is blocked
 * meanwhile.
 */
int cpa_profile_delta(cpa_profile *p, int seconds, unsigned flags, cpa_write_fn write, void *arg);

/*
 * Labels show for whom a thread works: a tenant, a request, a step. Sets of labels are interned: equal sets have the
 * same id, and an id remains valid.
 *
 * cpa_labels_make returns the labels of parent plus pairs of key and value, key first. An existing key gets the new
 * value; a NULL value removes it. Returns 0 if no set can be stored at all, and a set with cpa_label_overflow=1 if
 * there are too many sets.
 */
cpa_labels cpa_labels_make(cpa_labels parent, const char *const kv[], size_t pairs);
/* Set the labels of this thread. Returns the previous set. */
cpa_labels cpa_labels_set(cpa_labels l);
cpa_labels cpa_labels_get(void);
/* The value of a key, or NULL if the set does not have it. It stays valid as long as the process. */
const char *cpa_labels_value(cpa_labels l, const char *key);
/* Call f for each label, sorted by key, until it returns a value other than 0. Returns that value, or 0. */
int cpa_labels_each(cpa_labels l, int (*f)(void *arg, const char *key, const char *value), void *arg);
/* Call fn with these labels, then restore the previous ones. */
void cpa_labels_do(cpa_labels l, void (*fn)(void *), void *arg);
/*
 * Choose whether new threads start with the labels of their creator. Initially they do. Returns the previous setting.
 */
int cpa_labels_inherit(int on);
/* For thread pools: capture the labels when a task is created, adopt them when it runs. */
#define cpa_labels_capture cpa_labels_get
#define cpa_labels_adopt cpa_labels_set

/*
 * Other profilers read the labels of threads, and attributes of the process, in the layout of OpenTelemetry: OTEP 4719
 * (process context) and OTEP 4947 (thread context).
 *
 * cpa_context_set sets attributes: pairs of key and value, key first. An existing key gets the new value; a NULL value
 * removes it. The first ones come from OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Fails, and changes nothing, with
 * -EINVAL (an empty key), -EMSGSIZE (more than 64 attributes, or 16 KiB), -EEXIST (another library has published a
 * context), -ECANCELED (after cpa_context_off, or with CPA_CONTEXT=0), -EPERM (in a sandbox) or -ENOMEM.
 */
int cpa_context_set(const char *const kv[], size_t pairs);
/* Withdraw the attributes and all labels from other profilers, and publish none any more. */
void cpa_context_off(void);

/*
 * Report waits that no wrapper sees: futexes, locks of other libraries. Report a block event in the thread that
 * waited, and a mutex event in the thread that released the lock, with the time that others waited for it. The caller
 * is charged, without its first skip frames.
 */
void cpa_block_event(int64_t ns, int skip);
void cpa_mutex_event(const void *lock, int64_t ns, int skip);

/* Register this thread, if it was not created with pthread_create. name: its new name, or NULL. */
void cpa_thread_register(const char *name);
/* Stop sampling this thread, or with 0 start again. */
void cpa_thread_ignore(int on);

/*
 * A server of /debug/pprof in a thread of its own, like net/http/pprof of Go. There is at most one per process.
 *
 * listen       "127.0.0.1:6060", ":0" (loopback, any free port), "unix:/run/me/prof-%p.sock"; NULL: a Unix socket that
 *              only this user can access
 * secret_file  a file of mode 0600 with at least 32 bytes, which clients send as Authorization: Bearer; NULL: no secret
 * allow_hosts  names allowed in a Host header, besides loopback names and addresses, separated by commas; or NULL
 * flags        CPA_HTTP_ANY_USER: other users of this machine may connect; CPA_HTTP_HIDE_CMDLINE: do not show the
 *              arguments of the program; CPA_HTTP_ANY_ADDRESS: allow 0.0.0.0 and ::
 * max_seconds  maximum length of a capture; 0: 300
 */
enum { CPA_HTTP_ANY_USER = 1, CPA_HTTP_HIDE_CMDLINE = 2, CPA_HTTP_ANY_ADDRESS = 4 };

typedef struct cpa_http_opts {
	size_t size; /* sizeof(cpa_http_opts) */
	const char *listen;
	const char *secret_file;
	const char *allow_hosts;
	unsigned flags;
	int max_seconds;
} cpa_http_opts;

/*
 * Start the server; o may be NULL. As in Go, this starts heap sampling, unless cpa_heap_set_rate was called before.
 * Fails with -EBUSY (a server is running, or the program runs under cpa run), -EACCES (a public address without a
 * secret, or 0.0.0.0 or :: without CPA_HTTP_ANY_ADDRESS), -EINVAL, or an error of bind.
 */
int cpa_http_start(const cpa_http_opts *o);
/* Stop the server. Captures in progress end early, with the data so far. Fails with -EINVAL if it is not running. */
int cpa_http_stop(void);
/* Address of the server: "http://127.0.0.1:6060" or "unix:/path". Returns its length like snprintf, or -EINVAL. */
int cpa_http_addr(char *buf, size_t n);
/*
 * Answer one request in the program's own server. The program must decide which clients are allowed. Blocks as long
 * as the request takes (seconds=30).
 *
 * method   "GET", "HEAD" or "POST"
 * target   path and query of the request line, /debug/pprof/...
 * body     [n_body] body of a POST request
 * status, headers
 *          set before write is called; headers are lines that end with CR LF, as many as fit into n
 * Returns  0, -errno, or the value of write
 */
int cpa_http_handle(const char *method, const char *target, const void *body, size_t n_body, cpa_write_fn write,
		    void *arg, int *status, char *headers, size_t n);

/* State of all profiles as JSON. Returns its length like snprintf. */
int cpa_status(char *json, size_t n);
const char *cpa_version(void);

#ifdef __cplusplus
}
#endif
#endif
