/*
 * grafana_int.h - a request of Pyroscope's API while it is answered
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_GRAFANA_GRAFANA_INT_H
#define FRONT_GRAFANA_GRAFANA_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "front/grafana/grafana.h"
#include "profile/profile.h"
#include "store/pyroscope/message.h"
#include "store/pyroscope/names.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GRAFANA_BAD = 400,
	GRAFANA_FORBIDDEN = 403,
	GRAFANA_TOO_MANY = 429,
	GRAFANA_INTERNAL = 500,
	GRAFANA_UNIMPLEMENTED = 501
};

/* A request. */
struct grafana_call {
	const struct scrape_reader *reader;
	struct store *store;
	bool is_running; /* between scrape_reader_begin and scrape_reader_end */
	struct stop *stop;
	struct pyro_request request; /* owns the memory of the call */
	struct buf out;              /* the response, in protobuf */
	struct buf sources;          /* the windows that were read: the header Cpa-Source */
	int status;                  /* of the failure if it is not that of the code of err; 0 */
	struct err err;
};

/* Fail with an HTTP status. Returns ERR_USAGE. */
int grafana_refuse(struct grafana_call *c, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- query.c: which profiles a request selects ---- */

struct grafana_selection {
	struct store_query q;
	struct pyro_type type;     /* name "": all */
	struct label_match *match; /* [q.n_match] conditions on labels of the store */
	struct label_match *about; /* [n_about] conditions on the profile type: __profile_type__, __name__, ... */
	size_t n_about;
};

/*
 * Make the query of a selector, in the times of a request.
 *
 * type    id of a profile type; "": lists of series, of any type
 * out     released with grafana_selection_release, also after a failure
 * Returns 0; 1 if nothing can match; or ERR_*, with c->err set
 */
int grafana_select(struct grafana_call *c, const struct pyro_request *r, const char *selector, const char *type,
		   struct grafana_selection *out);
void grafana_selection_release(struct grafana_selection *s);

/* Add a condition that a label is one of several texts; nothing if there are none. */
int grafana_select_values(struct grafana_call *c, struct grafana_selection *s, const char *label,
			  const struct pyro_texts *values);

/* Does a sample type satisfy the conditions on profile types? Returns 1, 0 or ERR_*. */
int grafana_type_matches(struct grafana_call *c, const struct grafana_selection *s, const struct pyro_type *t);

/* The label of a pseudo label of a profile type, "__unit__"; NULL for other labels. */
const char *grafana_type_label(const struct pyro_type *t, const char *name, struct buf *scratch);

/* The name of a label in the store: "service" of "service_name". */
const char *grafana_store_label(const char *name);

/*
 * Read the profiles of a selection as one.
 *
 * out     NULL if there are none; owned by the caller
 * type    out: index of the sample type
 * Fails   as store_read, with c->err set
 */
int grafana_read(struct grafana_call *c, const struct grafana_selection *s, struct profile **out, uint32_t *type);

/* Is a failure only that the store has nothing which matches? */
bool grafana_is_nothing(struct grafana_call *c, const struct store_query *q, int rc);

/* ---- the methods: each appends its response to c->out, or fails with c->err set ---- */

int grafana_profile_types(struct grafana_call *c);
int grafana_label_names(struct grafana_call *c);
int grafana_label_values(struct grafana_call *c);
int grafana_series_sets(struct grafana_call *c);
int grafana_stats(struct grafana_call *c);
int grafana_stacktraces(struct grafana_call *c);
int grafana_profile(struct grafana_call *c);
int grafana_time_series(struct grafana_call *c);
int grafana_diff(struct grafana_call *c);

/* ---- tree.c ---- */

/* Stacks by the names of their functions, of one or two sides. Node 0 is the root, with the name "total". */
struct grafana_tree {
	uint32_t n;
	uint32_t *parent, *name;     /* [n] a parent has a lower number; name in names */
	int64_t *self[2], *total[2]; /* [n] */
	struct strtab *names;
	uint32_t *order,
		*first; /* after grafana_tree_sort: children of i are order[first[i] .. first[i + 1]), by name */
	size_t cap;
	int64_t min; /* nodes with less on both sides are not shown */
};

void grafana_tree_init(struct grafana_tree *t);
void grafana_tree_release(struct grafana_tree *t);

/* Add the stacks of a sample type of a profile to a side: 0 or 1. Fails as view_make and calltree_make. */
int grafana_tree_add(struct grafana_tree *t, int side, const struct profile *p, uint32_t type, struct stop *stop,
		     struct err *err);

/* Keep only the stacks whose first calls are these functions. */
void grafana_tree_keep(struct grafana_tree *t, const struct pyro_texts *path);

/* Order children, and choose the nodes to show: the largest ones, at most max. */
void grafana_tree_sort(struct grafana_tree *t, size_t max);

/* Append a FlameGraph or FlameGraphDiff (two sides) as fields of a message. */
void grafana_tree_put_flame(const struct grafana_tree *t, bool is_diff, struct buf *out);

/* Append the serialized tree of Pyroscope. */
void grafana_tree_put_bytes(const struct grafana_tree *t, struct buf *out);

/* Read both sides of a comparison. is_diff: right too. Fails with c->err set. */
int grafana_tree_read(struct grafana_call *c, const struct pyro_request *left, const struct pyro_request *right,
		      struct grafana_tree *out);

/* ---- render.c ---- */

/* Answer a GET below /pyroscope/. Returns false for an unknown path. */
bool grafana_render(struct grafana_call *c, const char *path, const char *query, struct buf *out, int *rc);

/* The points of a series in SelectSeries. */
struct grafana_points {
	int64_t start_ms, step_ms; /* of the first point, and between points */
	uint32_t n;
};

/* Values of SelectSeries: for each point of a group. has: are there profiles in its step? Returns 0 or ERR_*. */
typedef int grafana_group_fn(void *arg, const char *value, const struct grafana_points *points, const int64_t *total,
			     const bool *has);
int grafana_each_group(struct grafana_call *c, const struct pyro_request *r, grafana_group_fn *fn, void *arg);

#endif
