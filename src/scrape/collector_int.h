/*
 * collector_int.h - internals shared by the files of the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_COLLECTOR_INT_H
#define SCRAPE_COLLECTOR_INT_H

#include "access/check.h"
#include "base/err.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "fetch/loop.h"
#include "httpd/httpd.h"
#include "scrape/accept.h"
#include "scrape/collector.h"
#include "scrape/scrape_config.h"
#include "scrape/stats.h"
#include "scrape/target.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* ---- threads that read the responses of targets ---- */

enum { SCRAPE_ERROR_MAX = 256, SCRAPE_BUILD_ID_MAX = 64 };

struct scrape_decoders;
struct scrape_collector;
struct scrape_forward;
struct scrape_state;

/* A response. References are owned. */
struct scrape_decode {
	struct scrape_collector *c;
	struct scrape_state *state;
	struct scrape_config *config;
	const struct scrape_job *job;
	const struct scrape_kind *kind;
	struct scrape_labels *labels;
	struct bytes bytes;
	size_t n_bytes; /* counted in the loop */
	int64_t begin_ns;
	char version[SCRAPE_VERSION_MAX + 1]; /* of the server; "" */
	struct scrape_decode *next;

	/* the result, for the loop */
	int rc;
	char build_id[SCRAPE_BUILD_ID_MAX], error[SCRAPE_ERROR_MAX];
};

/* Start n threads. Fails with ERR_IO. */
int scrape_decoders_new(unsigned n, struct scrape_decoders **out, struct err *err);

/* Add a response to the queue; takes ownership. */
void scrape_decoders_add(struct scrape_decoders *d, struct scrape_decode *x);

/* Take the results of responses that were stored or refused. The lock of the collector is held. */
void scrape_take_results(struct scrape_collector *c);

/* Read what was added, then end the threads. Takes NULL. */
void scrape_decoders_free(struct scrape_decoders *d);

/* ---- the collector ---- */

enum {
	SCRAPE_OPEN_MAX = 10000, /* requests at once */
	SCRAPE_BODIES_MAX = 64 << 20,
	SCRAPE_LISTENERS_MAX = 16,
	SCRAPE_LOG_LINES = 64, /* lines that are not repeated within a minute */
};

/*
 * State of a target beside its schedule. Requests and decoders have references. Guarded by the lock of the
 * collector.
 */
struct scrape_state {
	unsigned n_refs;
	struct scrape_target *target; /* NULL: removed */
	int64_t due_ns;               /* next request; INT64_MAX: none */
	size_t at;                    /* in the heap; SIZE_MAX: not in it */
	struct fetch_open *open;
	uint64_t done;   /* kinds that were scraped, by index, for once */
	bool has_failed; /* for once */
	uint64_t n_profiles, n_bytes;
	int64_t last_profile_ns, last_error_ns;
	char error[SCRAPE_ERROR_MAX]; /* the last one; "": none since its kind was scraped again */
	char error_kind[64];          /* its kind; "": the target did not respond, so any kind ends it */
	enum scrape_result logged;    /* state of the last log line */
	bool has_logged;
	char version[SCRAPE_VERSION_MAX + 1], build_id[SCRAPE_BUILD_ID_MAX];
	bool has_no_threads; /* not a server of cpa, which has threads instead of goroutines */
	bool wants_version;  /* ask the server for its version before the next request */
};

/* Targets by the time of their next request: a heap, the earliest first. */
struct scrape_heap {
	struct scrape_state **item; /* [n] */
	size_t n, cap;
};

/* A listener with its access rules. */
struct scrape_listener {
	struct scrape_collector *c;
	const struct scrape_listen *listen; /* NULL: the socket of the user */
	struct access_secret *secret;       /* [n_secrets] */
	struct access_rules rules;          /* without secret */
	struct access_failures failures;    /* guarded by the lock of the collector */
	struct httpd *http;                 /* guarded by the lock of the collector */
};

struct scrape_log_line {
	uint64_t hash;
	int64_t at_ns;
};

enum { SCRAPE_PEERS = 256 };

/* Requests of a client address. */
struct scrape_peer {
	char address[64];
	double tokens, bytes; /* pushes and bytes that it may send now; bytes may be below 0 */
	int64_t last_ns;
	unsigned n_running;
};

struct scrape_collector {
	struct scrape_collector_options o;
	struct buf directory, socket;
	pthread_mutex_t lock; /* guards targets, states, config; held by the loop except while it waits */
	struct scrape_config *config;
	struct fetch_group **group; /* [config->n_jobs] NULL if its files cannot be read */
	struct fetch_loop *loop;
	struct scrape_targets targets;
	struct scrape_heap heap;
	struct scrape_finder *finder;
	int epoll, timer, wake, list; /* wake: eventfd of other threads; list: of the finder */
	struct scrape_rate rate;
	struct scrape_clock clock;
	size_t open_max;
	bool has_list; /* targets were found once */

	struct store_writer *store;
	struct scrape_writer *writer;
	struct scrape_guard *guard;
	struct scrape_versions *versions;
	struct scrape_accepter accepter;
	struct scrape_stats stats;
	struct scrape_decoders *decoders;
	pthread_mutex_t ended_lock;
	struct scrape_decode *ended; /* results for the loop */
	atomic_uint n_readers;       /* threads that wait for the lock to read the state */
	atomic_bool has_profile;     /* one was stored */
	atomic_size_t n_pending;     /* responses that are decoded or written */

	struct scrape_forward *forward; /* [n_forwards] sinks */
	size_t n_forwards;

	struct scrape_listener listener[SCRAPE_LISTENERS_MAX];
	size_t n_listeners; /* guarded by lock */
	pthread_mutex_t peers_lock;
	struct scrape_peer peer[SCRAPE_PEERS];
	unsigned n_push_decoding; /* guarded by peers_lock */
	pthread_cond_t push_done;
	unsigned n_queries; /* running, of readers; guarded by peers_lock */
	pthread_cond_t query_done;

	int64_t started_ns;          /* wall clock */
	atomic_int_fast64_t beat_ns; /* monotonic: the loop ran last */
	int64_t stop_ns;             /* monotonic: the end of the grace; 0: not stopping */
	pthread_mutex_t log_lock;
	struct scrape_log_line logged[SCRAPE_LOG_LINES];
};

/* Take the lock in a thread other than the loop, which makes room for it. */
void scrape_lock(struct scrape_collector *c);

/* Log a line, unless it was logged within a minute. Any thread. */
void scrape_log(struct scrape_collector *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Copy a message for a log line or a header: quotes become single ones, control characters question marks, and advice about
 * options of other commands is left out.
 *
 * to  [SCRAPE_ERROR_MAX]
 */
const char *scrape_plain(char *to, const char *message);

/* ---- targets: targets.c; the lock is held ---- */

void scrape_state_unref(struct scrape_state *s);

/* Note an error, which a profile of ended_by ends; "": of any kind. */
void scrape_state_fail(struct scrape_state *s, const char *ended_by, const char *kind, const char *message);

/* A profile of this kind was stored: forget the error that it ends. */
void scrape_state_recover(struct scrape_state *s, const char *kind);

/* Take the newest list of targets from the finder. */
void scrape_take_list(struct scrape_collector *c);

/* Read the configuration again. The old one stays if the new one is invalid. */
void scrape_reload(struct scrape_collector *c);

/* Make a request group per job. */
void scrape_make_groups(struct scrape_collector *c);

void scrape_heap_set(struct scrape_heap *h, struct scrape_state *s, int64_t due_ns);
void scrape_heap_remove(struct scrape_heap *h, struct scrape_state *s);

/* ---- requests: requests.c; the lock is held ---- */

/* Start the requests that are due. Returns the time until the next one in ns; INT64_MAX: none. */
int64_t scrape_start_due(struct scrape_collector *c);

/* Compute the next request of a target. */
void scrape_plan_next(struct scrape_collector *c, struct scrape_state *s, int64_t now_ns);

/* End running requests: those not more than half done, or all. */
void scrape_cancel_open(struct scrape_collector *c, bool all);

/* ---- sinks: forward.c ---- */

/* Start the sinks of the configuration, and release those that are not in it. Fails with ERR_IO. */
int scrape_sinks_start(struct scrape_collector *c, struct err *err);

/* Use the sinks of a new configuration. Those whose line is as before continue. The lock is held. */
void scrape_sinks_reload(struct scrape_collector *c, struct scrape_config *config);

/* End them; waits a while for what is stored. */
void scrape_sinks_stop(struct scrape_collector *c);

/* Append their numbers. The lock is held. */
void scrape_sinks_add_json(const struct scrape_collector *c, struct json *j);
void scrape_sinks_add_text(const struct scrape_collector *c, struct buf *out);
void scrape_sinks_add_html(const struct scrape_collector *c, struct buf *out);
void scrape_sinks_add_metrics(const struct scrape_collector *c, struct buf *out);

/* ---- HTTP: routes.c, push.c, page.c ---- */

int scrape_listen_all(struct scrape_collector *c, struct err *err);
void scrape_listen_stop(struct scrape_collector *c);

/* Answer a push. service: patterns that the secret allows. */
void scrape_push(struct scrape_collector *c, const struct scrape_secret *allowed, const struct http_request *q,
		 struct http_response *out);

/*
 * May a holder of the secret push and read this service? A pattern as service is one of several, all of which must be allowed.
 *
 * secret  NULL: no secret is needed
 */
bool scrape_secret_allows(const struct scrape_secret *secret, const char *service);

/* Is it the path of a push? */
bool scrape_is_push(const char *path);

/* Answer /api/v1/due: when the next profile of service= and kind= is expected. */
void scrape_due(struct scrape_collector *c, const char *service, const char *kind, struct http_response *out);

void scrape_page(struct scrape_collector *c, struct http_response *out);
void scrape_status_text(struct scrape_collector *c, struct http_response *out);
void scrape_status_json(struct scrape_collector *c, struct http_response *out);
void scrape_metrics(struct scrape_collector *c, struct http_response *out);

#endif
