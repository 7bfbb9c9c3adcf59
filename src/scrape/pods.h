/*
 * pods.h - targets that are pods of Kubernetes: what their annotations say, and the API server that lists them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A pod is a target if an annotation says so. The address is always that of the pod, as the server has it: an annotation
 * cannot make the collector connect to another host.
 */
#ifndef SCRAPE_PODS_H
#define SCRAPE_PODS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "base/words.h"
#include "scrape/scrape_config.h"
#include "scrape/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRAPE_PODS_SOURCES_MAX = 32, SCRAPE_PODS_PAGE = 200, SCRAPE_PODS_BODY_MAX = 16 << 20 };

/* Annotations that make a pod a target, as bits. */
enum { SCRAPE_PODS_CPA = 1, SCRAPE_PODS_DAPR = 2, SCRAPE_PODS_PYROSCOPE = 4, SCRAPE_PODS_ALL = 8 };

/* A label of a pod, which becomes a label of its targets. */
struct scrape_pods_label {
	const char *from, *to;
};

/* The words of a line "targets kubernetes". Strings are "" if they are not set. */
struct scrape_pods_options {
	const char *server;          /* URL of the API server; "": that of the cluster in which the collector runs */
	const char *token_file, *ca; /* in a cluster without server: those of the service account */
	const char *cert, *key;      /* PEM files of the client */
	const char *namespace, *selector; /* selector: of labels, as the API server takes it */
	unsigned annotations;             /* SCRAPE_PODS_*; 0: SCRAPE_PODS_CPA */
	uint32_t port;                    /* of pods that name none */
	bool is_ready;                    /* leave out pods that are not ready */
	bool is_job;                      /* the service is the name of the job, not that of the pod */
	struct scrape_pods_label *label;  /* [n_labels] */
	size_t n_labels;
};

/* Read the words of a line "targets kubernetes" into a source. The words are its address, for messages. */
int scrape_pods_read_words(struct arena *mem, const struct words *w, struct scrape_source *out, struct err *err);

/* ---- the pods of a list ---- */

struct scrape_pod;

/* Zero-initialised but for source: empty. */
struct scrape_pods_set {
	const struct scrape_source *source; /* borrowed */
	struct scrape_pod *pod;             /* [n] those with targets or notes, sorted by namespace and name */
	size_t n, cap;
	size_t n_targets;
	char *version;   /* resourceVersion of the newest list or event; NULL before the first one */
	char *next_page; /* of a list that is not complete; NULL: it is */
};
void scrape_pods_set_release(struct scrape_pods_set *s);

/*
 * Add a page of a list, PodList as JSON, [n] bytes. After the last one next_page is NULL and the pods are sorted.
 *
 * Fails  ERR_FORMAT; ERR_LIMIT for more than SCRAPE_TARGETS_MAX targets; ERR_IO without libjansson
 */
int scrape_pods_add_page(struct scrape_pods_set *s, const char *text, size_t n, struct err *err);

/*
 * Apply an event of a watch, a line of JSON.
 *
 * changed  set if the targets or notes of the set may differ
 * Fails    ERR_FORMAT; ERR_LIMIT as a page; ERR_RANGE if the server no longer has the changes since version; ERR_IO for
 *          another error that the server reports
 */
int scrape_pods_add_event(struct scrape_pods_set *s, const char *text, size_t n, bool *changed, struct err *err);

/* Append the message of a response that is an error, a Status as JSON. Returns its code; 0 if it is none. */
long scrape_pods_read_status(const char *text, size_t n, struct buf *message);

/* Add the targets to a list, and what is wrong with annotations to notes, some lines. */
void scrape_pods_add_targets(const struct scrape_pods_set *s, uint32_t job, struct scrape_list *out, struct buf *notes);

/* ---- the API server ---- */

/*
 * List all pods once.
 *
 * set    filled in; its source is set. Unchanged on failure
 * wait_s seconds that the server asks to wait after a failure; 0: it does not say
 * Fails  ERR_IO, ERR_FORMAT, ERR_LIMIT, ERR_STOPPED
 */
int scrape_pods_list(struct scrape_pods_set *set, struct stop *stop, int64_t *wait_s, struct err *err);

/* List the pods of a source once, and add its targets and notes. Fails as scrape_pods_list. */
int scrape_pods_find(uint32_t job, const struct scrape_source *source, struct scrape_list *out, struct buf *notes,
		     struct err *err);

/* A thread that lists pods, and watches them for changes. */
struct scrape_pods;

/*
 * Start the thread.
 *
 * c        the configuration of the source; a reference is taken
 * changed  called by the thread when there is something to take
 * Returns NULL if there can be no thread
 */
struct scrape_pods *scrape_pods_start(struct scrape_config *c, const struct scrape_source *source,
				      void (*changed)(void *arg), void *arg);

/*
 * Take what is new, if there is something.
 *
 * out       the targets are added
 * has_list  set if the pods were listed once; else the targets are not known
 * problem   lines are appended: that the server cannot be read, and what is wrong with annotations
 * Returns   false if nothing is new; then nothing is added
 */
bool scrape_pods_take(struct scrape_pods *p, uint32_t job, struct scrape_list *out, bool *has_list,
		      struct buf *problem);

/* Ask the thread to end; then wait for it and free. Both take NULL. */
void scrape_pods_stop(struct scrape_pods *p);
void scrape_pods_free(struct scrape_pods *p);

#endif
