/*
 * store.h - a store of profiles over time, which backends provide
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A local store is a directory with one writer and any number of readers; docs/store.md describes its files. Readers never
 * write, never wait for the writer, and see each profile once.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "profile/profile.h"
#include "profile/temporality.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directory of the store: name if it is not "", else $CPA_STORE, else $XDG_DATA_HOME/cpa/store, else
   ~/.local/share/cpa/store. Appends to out. */
void store_directory(const char *name, struct buf *out);

/* A label of a series. */
struct store_label {
	const char *name, *value;
};

/* The label of a series of a tier that adds up others: the names of the labels that differ, separated by commas. */
#define STORE_MERGED_LABEL "__merged__"

/* The resolution of stored profiles. */
enum store_tier { TIER_RAW, TIER_10M, TIER_1H, TIER_1D, N_TIERS };

/* "raw", "10m", "1h", "1d"; and the tier of a name of n bytes, N_TIERS if there is none. */
const char *store_tier_name(enum store_tier tier);
enum store_tier store_tier_parse(const char *name, size_t n);

/* A named event of a service. */
struct store_mark {
	int64_t time_ns;
	char *env, *kind, *text; /* kind: deploy, incident, note, watch */
};

/* --- reading --- */

struct store_backend;

/* A store that is open for reading, the first member of the struct of its backend. */
struct store {
	const struct store_backend *backend;
	struct buf damage; /* for store_get_damage */
};

/* Takes NULL. */
void store_close(struct store *s);

/* Messages about damaged journals, whose profiles the answers of this store lack so far, a line each; "" if there are none. The services
   of these profiles are not known, so a message concerns all. Borrowed until store_close. */
const char *store_get_damage(const struct store *s);

enum match_op { MATCH_EQUAL, MATCH_NOT_EQUAL, MATCH_REGEX, MATCH_NOT_REGEX };
struct regex;

/* A condition on a label of a series or a sample; a label that is missing is "". */
struct label_match {
	enum match_op op;
	const char *name, *value;
	struct regex *regex; /* compiled value, which must match all of the label */
};

enum reduce { REDUCE_DEFAULT, REDUCE_SUM, REDUCE_MEAN, REDUCE_LAST, REDUCE_FIRST, REDUCE_MAX, REDUCE_INCREASE };

/* Selects profiles and the way to combine them. Borrowed. */
struct store_query {
	const char *service; /* with * and ? if is_pattern */
	bool is_pattern;
	const char *kind; /* "cpu"; "" for all, in store_list only */
	const struct label_match
		*match; /* conditions on series, or on samples if no series of the service has the label */
	size_t n_match;
	const struct label_match *sample_match; /* set by a backend: those of match that are conditions on samples */
	size_t n_sample_match;
	int64_t t0, t1;   /* ns since 1970; profiles that start in [t0, t1) */
	int64_t begin_ns; /* counters of processes that started from then on begin at 0; 0: t0 */
	const char *pin;  /* "": not from a pin */
	enum reduce reduce;
	const char *const *keep; /* [n_keep] labels of series that become labels of samples */
	size_t n_keep;
	const uint8_t *id; /* [16] only this profile; NULL: all */
	size_t limit;      /* at most so many profiles; 0: all */
	int64_t step_ns; /* for store_totals and store_each_increase: those within one step from t0 may be one; 0: the window */
	bool partial;         /* leave out damaged chapters, with a note, instead of failing */
	bool adds_up;         /* for store_read: the result may have a forest (profile/forest.h) */
	enum store_tier tier; /* for store_read: finer profiles are added up to slots of this tier first */
};

/* The origin of a result. Released with store_sum_release. */
struct store_sum {
	uint64_t profiles; /* 0: not known, as the store has sums only */
	uint32_t series, instances;
	int64_t first_ns, last_ns; /* starts of the first and the last profile */
	uint64_t profiles_missing; /* by the usual distance of the profiles of each series */
	unsigned tiers;            /* 1 << tier for each from which profiles were read */
	bool is_damaged;           /* something is left out: damaged chapters, with partial, or a part of a journal */
	struct buf samples;        /* the conditions on samples, "route=/a"; empty if all samples are selected */
	struct buf builds; /* "versions 1.4, 1.5" or "builds ID, ID" if the profiles of a service are of several */
	struct buf notes;  /* a line each */
};

/* Append the names of tiers, coarsest first: "1h, 10m and raw"; "raw" if there is none. */
void store_add_tiers(unsigned tiers, struct buf *out);

/* Append a description of a result: "store: checkout/cpu, 36 profiles of 6 instances, raw, 2026-11-22 14:00..15:00 UTC; versions
   1.4, 1.5; 2 scrapes missing". */
void store_sum_describe(const struct store_query *q, const struct store_sum *sum, struct buf *out);

/* Add that and the notes to the comments of a profile. */
void store_sum_add_comments(const struct store_query *q, const struct store_sum *sum, struct profile *p);

/*
 * The profiles of a query as one profile.
 *
 * out    owned by the caller
 * Fails  ERR_IO "nothing of SERVICE in T..T; the last profile before it is of T" when there is none; ERR_FORMAT when a part
 *        of the store is damaged; ERR_RANGE when a sum overflows; ERR_STOPPED
 */
int store_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
	       struct store_sum *sum, struct err *err);
void store_sum_release(struct store_sum *s);

/* A stored profile, without its values. Strings live until the end of the call. */
struct store_item {
	uint8_t id[16];
	const char *service, *kind;
	const struct store_label *label; /* [n_labels] */
	size_t n_labels;
	int64_t start_ns, duration_ns;
	enum store_tier tier;
	uint32_t n_types;
	const char *const *type, *const *unit; /* [n_types] */
};

/*
 * Append the conditions of a query that concern labels of samples, because no series of the service has such a label:
 * "route=/a". store_read and store_totals add up only these samples; store_each_profile leaves the others out. For store_list and
 * store_each_series these conditions do not matter.
 *
 * Returns 1 if samples are selected; 0 if there is no such condition, or only some on labels that no sample has, which leave nothing
 * out. Fails with ERR_IO when neither a series nor a sample has a label of the name
 */
int store_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err);

/* Called for each profile of a query, in order of series, then start. Returns 0, or ERR_* to end the listing. */
typedef int store_item_fn(void *arg, const struct store_item *item, struct err *err);
int store_list(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	       struct err *err);

/*
 * Totals of each series in a window, in order of series and time. A block whose profiles are all in one step of the window
 * is reported as a whole, from directories. Other blocks are decoded and reported profile by profile. Totals of a cumulative
 * type are those of snapshots, which do not contain the part that was counted in between: a process may have ended.
 */
struct store_block_total {
	const char *service, *kind;
	const struct store_label *label;
	size_t n_labels;
	int64_t t0, t1;    /* first and last start */
	uint32_t profiles; /* 1: t0 == t1 */
	enum store_tier tier;
	uint32_t n_types;
	const char *const *type, *const *unit;
	const enum temporality *temporality;
	const int64_t *total; /* [n_types] sum over the profiles */
};
typedef int store_total_fn(void *arg, const struct store_block_total *t, struct err *err);
int store_totals(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		 struct err *err);

/* The increase of a cumulative type between two snapshots, of all samples; each time that it is not 0. */
struct store_increase {
	const char *kept; /* value of the first label of q->keep; "" without one */
	const char *type, *unit;
	int64_t time_ns, value; /* start of the second snapshot, which is in the window */
};
typedef void store_increase_fn(void *arg, const struct store_increase *i);

/* The increases of a query with REDUCE_DEFAULT, in any order: store_read adds them up. Those of a series within a step may be one. Fails
   as store_read, but not without profiles. */
int store_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			void *arg, struct err *err);

/* Each profile of a query as it was scraped. fn owns the profile. */
typedef int store_profile_fn(void *arg, const struct store_item *item, struct profile *p, struct err *err);
int store_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn, void *arg,
		       struct err *err);

/* A service or kind with its series, from the catalogue, for lists and completion. */
struct store_series {
	const char *service, *kind;
	const struct store_label *label;
	size_t n_labels;
	int64_t first_ns, last_ns;
	uint64_t profiles;
};
typedef int store_series_fn(void *arg, const struct store_series *s, struct err *err);

int store_each_series(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg, struct err *err);

/* Marks of a service (a pattern if is_pattern), oldest first; kind "" for all. */
typedef int store_mark_fn(void *arg, const char *service, const struct store_mark *m, struct err *err);
int store_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
		    void *arg, struct err *err);

/* A pin: a permanent copy of a window. */
struct store_pin_info {
	const char *name, *spec; /* spec: the source it was made of, with absolute times */
	int64_t made_ns;
	uint64_t bytes;
};
typedef int store_pin_fn(void *arg, const struct store_pin_info *p, struct err *err);
int store_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err);

/* Sizes and numbers of a local store. */
struct store_stat {
	uint64_t cap, used;
	uint64_t bytes[N_TIERS], index_bytes, pin_bytes, bad_bytes;
	uint64_t journal_bytes; /* with journals that are kept for sinks */
	uint64_t profiles[N_TIERS], head_profiles;
	uint32_t segments, services;
	uint64_t dict_bytes, block_bytes; /* of segments: dictionaries, samples */
	int64_t first_ns, last_ns;
};

/* --- backends --- */

/* The functions of a kind of stores, as described at the functions store_NAME. They release the damage themselves. */
struct store_backend {
	void (*close)(struct store *s);
	int (*read)(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
		    struct store_sum *sum, struct err *err);
	int (*describe_samples)(struct store *s, const struct store_query *q, struct buf *out, struct err *err);
	int (*list)(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
		    struct err *err);
	int (*totals)(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		      struct err *err);
	int (*each_increase)(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			     void *arg, struct err *err);
	int (*each_profile)(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn,
			    void *arg, struct err *err);
	int (*each_series)(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg,
			   struct err *err);
	int (*each_mark)(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
			 void *arg, struct err *err);
	int (*each_pin)(struct store *s, store_pin_fn *fn, void *arg, struct err *err);
};

#endif
