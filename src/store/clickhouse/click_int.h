/*
 * click_int.h - parts of the backend for stores in ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The answers are those of the code of a local store (store/local/read). The chapters that it reads are made here, of what the server
 * returns: of sums, if the query adds up profiles; else of profiles.
 */
#ifndef STORE_CLICKHOUSE_CLICK_INT_H
#define STORE_CLICKHOUSE_CLICK_INT_H

#include "base/arena.h"
#include "store/clickhouse/epoch.h"
#include "store/clickhouse/rows.h"
#include "store/clickhouse/server.h"
#include "store/local/read/local.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The part of each profile that chapters must contain. */
enum click_use {
	CLICK_HEADS,  /* no rows */
	CLICK_TOTALS, /* one row, with the totals of the columns */
	CLICK_FULL,   /* all rows */
	CLICK_STEPS,  /* the snapshots from which the increases of the steps of the query are computed */
	CLICK_SUMS,   /* sums, and the snapshots from which the query computes increases: see sums.c */
};

/* A series of the services of a query. */
struct click_series {
	const char *service, *kind;
	uint8_t hash[16];
	struct store_label *label; /* [n_labels] sorted by name */
	size_t n_labels;
	bool is_wanted;
};

struct click_store {
	struct local_store local;
	struct click_server server;
	struct click_dictionary **dictionary; /* [n_dictionaries] */
	size_t n_dictionaries, cap_dictionaries;
	/* of the function of the interface that runs */
	struct arena *memory;
	enum click_use use;
	struct stop *stop;
	const char *service; /* of the query for which series are loaded; borrowed */
	bool is_loaded, is_pattern;
	struct click_series *series; /* [n_series] sorted by service, kind, hash */
	size_t n_series, cap_series;
	uint16_t *repeated; /* [n_repeated] days that may have repeated rows */
	size_t n_repeated, cap_repeated;
};

static inline struct click_store *click_of(struct store *s)
{
	return (struct click_store *)s;
}

/* The rows of a profile, or of a sum, as the server returned them; borrowed from the result. */
struct click_lists {
	size_t n, n_columns;
	const uint8_t *row;   /* [n] u32; of a profile, differences */
	const uint8_t *value; /* [n_columns] lists of i64, with their counts; or totals, if there are no rows */
};

/* The profiles of a query that have equal types. */
struct click_shape {
	uint64_t shape;
	uint32_t n_types;
	enum reduce *reduce; /* [n_types] */
	bool *is_counter;    /* [n_types] */
	uint32_t n_added;    /* columns that are sums or means */
	uint32_t n_counters; /* columns that are counted since the start of the process, and are increases */
	bool has_increase;
	bool is_single;    /* a column needs all profiles */
	bool is_by_series; /* the sums are those of each series */
};

/* Is a column computed of sums? */
static inline bool click_is_added(enum reduce reduce)
{
	return reduce == REDUCE_SUM || reduce == REDUCE_MEAN;
}

struct click_profile {
	const struct click_series *series;
	int64_t start_ns, duration_ns;
	uint64_t epoch, shape;
	uint32_t meta;
	bool is_total, is_repeat;        /* is_repeat: it has the rows of the profile of its series before it */
	const struct click_shape *parts; /* NULL: all columns are in own */
	struct click_lists own;          /* its rows; or totals */
	struct click_lists sum;          /* columns that are added up, of several profiles */
};

/* Profiles, and the results that they borrow from. */
struct click_profiles {
	struct click_profile *p; /* [n] */
	size_t n, cap;
	struct bytes *result; /* [n_results] */
	size_t n_results, cap_results;
};

void click_profiles_release(struct click_profiles *x);

/* --- series.c --- */

/* Load the series of services. They stay until click_forget. */
int click_load_series(struct click_store *c, const char *service, bool is_pattern, struct err *err);
void click_forget(struct click_store *c);

/* Set is_wanted of the series that a query needs: those that match, and others of their instances. */
int click_want_series(struct click_store *c, const struct store_query *q, struct err *err);

/* The series [*lo, return value) of the service of series lo. */
size_t click_service_end(const struct click_store *c, size_t lo);

/* A series by its hash; NULL if it is not loaded. */
const struct click_series *click_find_series(const struct click_store *c, size_t lo, size_t hi, const uint8_t hash[16]);

/* Does a condition of a query concern samples: has no series of the services a label of its name? */
bool click_is_of_samples(const struct click_store *c, const struct label_match *m);

/* See struct local_source. */
int click_each_label(struct store *s, const struct store_query *q, const char *wanted, local_label_fn *fn, void *arg,
		     struct err *err);
int click_each_catalogue_series(struct store *s, const struct catalogue_query *q, const char *kind,
				catalogue_series_fn *fn, void *arg, struct err *err);

/* --- fetch.c: profiles of a service, whose series are [lo, hi) --- */

struct click_window {
	struct click_store *c;
	const struct store_query *q;
	size_t lo, hi;
};

/* Append profiles of [t0, t1), as they are needed. shape: [n_shapes] only those; 0: all */
int click_fetch(const struct click_window *w, int64_t t0, int64_t t1, enum click_use use, const uint64_t *shape,
		size_t n_shapes, struct click_profiles *out, struct err *err);

/* The last profiles before t0, or the first ones from t1 on, of each series and shape. */
int click_fetch_beside(const struct click_window *w, bool after, struct click_profiles *out, struct err *err);

/* Keep a result as long as the profiles. */
void click_keep_result(struct click_profiles *x, struct bytes *bytes);

/* Append " FROM profiles WHERE ..." for the service, its kind, the series, if they are few, and times [t0, t1). */
void click_add_from(const struct click_window *w, int64_t t0, int64_t t1, struct buf *sql);

/* Append a condition on the types; and the hash of a series, with a text before it. */
void click_add_shapes(const uint64_t *shape, size_t n, struct buf *sql);
void click_add_hash(const struct click_series *s, const char *before, struct buf *sql);

/* A profile that is wanted. */
struct click_pair {
	uint8_t hash[16];
	uint64_t shape;
	int64_t start_ns;
};

int click_compare_pairs(const void *a, const void *b);

/* Append profiles [n], sorted. Those that do not exist are left out. */
int click_fetch_pairs(const struct click_window *w, const struct click_pair *pair, size_t n, struct click_profiles *out,
		      struct err *err);

/* The error of a result that is damaged. */
int click_cut_off(const struct click_window *w, struct err *err);

/* Cut a window into parts with some thousands of profiles: t[0] .. t[*n], *n parts. The caller frees *t. */
int click_cut_window(const struct click_window *w, int64_t **t, size_t *n, struct err *err);

/* --- sums.c --- */

#define CLICK_SUM_MAX 0x1p62 /* of magnitudes that are added up in the server */

/* Append the heads of a window, the sums of what can be added up in the server, and the profiles of the rest. */
int click_fetch_sums(const struct click_window *w, struct click_profiles *out, struct err *err);

/* The profiles [lo, hi) of a series, of profiles [n] sorted by series. */
void click_find_range(const struct click_profile *p, size_t n, const struct click_series *series, size_t *lo,
		      size_t *hi);

/* --- snapshots.c --- */

/* Is profile i of [n], sorted by series and start, the last one of its series, or of a step with CLICK_STEPS? */
bool click_is_end(const struct click_window *w, const struct click_profile *p, size_t n, size_t i);

/*
 * Read the snapshots from which increases are computed, and the first and last ones: see the head of the file.
 *
 * x      all profiles of the window
 * lo, n  those of the shape, sorted by series and start
 * Returns 1 if the server has other profiles than these, or if their values are too large
 */
int click_fetch_snapshots(const struct click_window *w, const struct click_shape *shape, struct click_profiles *x,
			  size_t lo, size_t n, struct err *err);

/* --- chapters.c --- */

/* The dictionary of an epoch. */
struct click_dictionary *click_get_dictionary(struct click_store *c, const char *service, uint64_t epoch);

/* See struct local_source. */
int click_open_chapters(struct store *s, const struct store_query *q, enum select_which which, struct selection *out,
			struct err *err);

#endif
