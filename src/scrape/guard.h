/*
 * guard.h - the cardinality guard: bounds the labels that targets and clients can put into the store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Labels are removed or their values replaced; samples keep their stacks and values, so totals do not change.
 */
#ifndef SCRAPE_GUARD_H
#define SCRAPE_GUARD_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "scrape/scrape_config.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SCRAPE_LABELS_MAX = 16,        /* labels of a sample */
	SCRAPE_SERIES_LABELS_MAX = 32, /* labels of a series from a client, with SCRAPE_CUT */
	SCRAPE_NAMES_MAX = 100,        /* names of labels of samples, per service and day */
	SCRAPE_LABEL_NAME_MAX = 128,   /* bytes of a name */
	SCRAPE_VALUE_MAX = 256,        /* bytes of a value */
	SCRAPE_SERIES_MAX = 10000,     /* of a service */
	SCRAPE_SERIES_MAX_ALL = 100000,
	SCRAPE_NUMBERS_MAX = 10000, /* distinct values of the numeric label bytes of heap profiles */
	SCRAPE_CUT_NAMES_MAX = 100, /* names that are counted; further ones are counted as "(more)" */
};
#define SCRAPE_OTHER "other"
#define SCRAPE_CUT "labels_cut"

/* Its functions may be called by any thread. Values are counted per UTC day. */
struct scrape_guard;

/* Called at the first removal of each name, of a service; it must not call the guard. */
typedef void scrape_guard_cut_fn(void *arg, const char *service, const char *name, const char *why);
void scrape_guard_set_log(struct scrape_guard *g, scrape_guard_cut_fn *fn, void *arg);

/* Fails with ERR_USAGE when a pattern of shape is invalid, naming it. */
int scrape_guard_new(struct scrape_config *c, struct scrape_guard **out, struct err *err);
void scrape_guard_free(struct scrape_guard *g);

/* Use other rules; counts remain. Fails like scrape_guard_new; the rules are then unchanged. */
int scrape_guard_reload(struct scrape_guard *g, struct scrape_config *c, struct err *err);

/*
 * Apply the rules to the labels of samples. The profile must not be shared yet.
 *
 * series         [n_series] labels of the series: samples lose labels of these names
 * honors_labels  samples keep them
 * cut            names of labels that were removed or replaced are appended, once each; NULL: not wanted
 */
void scrape_guard_profile(struct scrape_guard *g, const char *service, const struct store_label *series,
			  size_t n_series, bool honors_labels, int64_t now_ns, struct profile *p, struct buf *cut);

/*
 * Bound the labels of a series that a client has sent: all are kept, since series that become one have wrong numbers, but
 * not more than SCRAPE_SERIES_LABELS_MAX, nor long names and values. If some are removed or shortened, the label
 * SCRAPE_CUT has a hash of them, which keeps the series apart.
 *
 * label  [n + 1] n of them, sorted by name; changed in place. New strings are in mem
 * cut    as for scrape_guard_profile
 * Returns the number of labels that remain
 */
size_t scrape_guard_labels(struct scrape_guard *g, const char *service, struct store_label *label, size_t n,
			   struct arena *mem, struct buf *cut);

/* Count a series. Fails with ERR_LIMIT when the service or the store has too many series. */
int scrape_guard_series(struct scrape_guard *g, const char *service, const char *kind, const struct store_label *label,
			size_t n, int64_t now_ns, struct err *err);

/* Removals since the start. */
struct scrape_cut {
	const char *name;
	uint64_t n_removed; /* labels that were removed: not kept, too many, or the name of a label of the series */
	uint64_t n_other;   /* values that became "other", or were shortened */
};
typedef void scrape_cut_fn(void *arg, const struct scrape_cut *cut);
void scrape_guard_each_cut(struct scrape_guard *g, scrape_cut_fn *fn, void *arg);

/* Series refused with ERR_LIMIT, and series today. */
void scrape_guard_count_series(struct scrape_guard *g, uint64_t *n_refused, uint64_t *n_series);

#endif
