/*
 * target.h - the servers that are scraped, and the thread that looks them up
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_TARGET_H
#define SCRAPE_TARGET_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "fetch/url.h"
#include "scrape/schedule.h"
#include "scrape/scrape_config.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRAPE_TARGETS_MAX = 100000 };

/* Service and labels of a target; constant, shared by requests and threads. */
struct scrape_labels {
	struct store_label *label; /* [n] sorted by name: those of the file, the job and the target, and "instance" */
	size_t n;
	char *service; /* "": the file name of the program in each profile */
};
struct scrape_labels *scrape_labels_ref(struct scrape_labels *l);
void scrape_labels_unref(struct scrape_labels *l); /* takes NULL */

/* A server. Only the loop thread may use it; a request takes a reference to labels. */
struct scrape_target {
	char *key;      /* service, blank, folder URL without secrets: stable over restarts */
	char *instance; /* "10.0.0.7:6060" or the path of the socket */
	char *kinds;    /* names of the kinds that are scraped, of those of the job, separated by commas; "": all */
	uint32_t job;   /* in the current configuration */
	struct url folder;
	struct scrape_labels *labels;
	struct scrape_schedule schedule;
	bool is_removed;  /* removed from the list; to be freed when the request ends */
	void *owner_data; /* for the loop; freed by its callback */
};

/* A target as it was found. */
struct scrape_found {
	uint32_t job;
	const char *address;             /* HOST:PORT, URL or unix:SOCKET */
	const struct store_label *label; /* [n_labels] sorted by name */
	size_t n_labels;
	const char *service; /* NULL or "": that of the job */
	const char *kinds;   /* as in struct scrape_target; NULL: all */
};

/* A zero-initialised list is empty. */
struct scrape_list {
	struct arena *mem;          /* owns the strings and labels */
	struct scrape_found *found; /* [n] */
	size_t n, cap;
};
void scrape_list_release(struct scrape_list *l);

/*
 * Look up all targets of a configuration once; this may wait for the network.
 *
 * out    must be zero-initialised; released with scrape_list_release
 * notes  problems are appended, a line each: a file that cannot be read, a name that does not exist
 * Returns the number of sources with problems
 */
size_t scrape_find(const struct scrape_config *c, struct scrape_list *out, struct buf *notes);

/* A thread that looks up targets again: names every 30 s, files when they change. */
struct scrape_finder;

/*
 * Start the thread.
 *
 * fd     an eventfd to which 1 is written when the list has changed
 */
struct scrape_finder *scrape_finder_new(struct scrape_config *c, int fd);

/* Use another configuration, and look up everything now. */
void scrape_finder_reload(struct scrape_finder *f, struct scrape_config *c);

/*
 * Take the newest list. If a source failed, the list has its targets of the last success.
 *
 * config  the configuration to which it belongs; a reference that the caller owns
 * Returns false if there is no new list
 */
bool scrape_finder_take(struct scrape_finder *f, struct scrape_list *out, struct scrape_config **config,
			struct buf *notes);
void scrape_finder_free(struct scrape_finder *f); /* takes NULL; waits for the thread */

/* The set of targets. */
struct scrape_targets {
	struct scrape_target **target; /* [n] sorted by key */
	size_t n;
};

/*
 * Replace the set. Targets in both keep their schedule and owner_data. Targets of other shards are left out, and those
 * without a valid address, with a note.
 *
 * at_once  the first scrape of new targets begins now instead of in their next slot
 * removed  called for each target that is not in the list; takes ownership: scrape_target_free
 */
typedef void scrape_removed_fn(void *arg, struct scrape_target *t);
void scrape_targets_update(struct scrape_targets *t, const struct scrape_config *c, const struct scrape_list *list,
			   int64_t now_ns, bool at_once, scrape_removed_fn *removed, void *arg, struct buf *notes);
void scrape_targets_release(struct scrape_targets *t);
void scrape_target_free(struct scrape_target *t); /* takes NULL */

/* The plan for cpa collect --check: targets, kinds, first times, estimated bytes per day. */
void scrape_targets_add_plan(const struct scrape_targets *t, const struct scrape_config *c, int64_t now_ns,
			     struct buf *out);

/*
 * The folder with the profiles of a target: HOST:PORT, :PORT (of this machine), a URL, or unix:SOCKET.
 *
 * folder  path for addresses without one; "" for /debug/pprof
 * out     released with url_release
 * Fails   ERR_USAGE; the message begins with the address, without secrets
 */
int scrape_target_url(const char *address, const char *folder, struct url *out, struct err *err);

/* Does the address end with a port? */
bool scrape_target_has_port(const char *address);

#endif
