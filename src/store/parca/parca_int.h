/*
 * parca_int.h - requests to a server of Parca, shared by the files of the backend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_PARCA_PARCA_INT_H
#define STORE_PARCA_PARCA_INT_H

#include "base/buf.h"
#include "base/io.h"
#include "fetch/fetch.h"
#include "formats/json/jsonr.h"
#include "store/pyroscope/summed.h"
#include "store/store.h"

#include <stdint.h>

enum { PARCA_LABELS_MAX = 256 /* of a series */, PARCA_NAMES_MAX = 10000 };

/* A query while it is answered. */
struct parca_call {
	struct pyro_store *s;
	const struct store_query *q;
	struct stop *stop;
	struct pyro_span span;
	struct pyro_sets sets;
	const char **name; /* [n_names] of all labels; owned by the memory of the sets */
	size_t n_names, cap_names;
	const char *service_label;
	const struct store_label *keep; /* [q->n_keep] conditions on labels to keep; NULL: none */
	struct err *err;
};

/* Send a GET to /api/profiles/... out: its JSON. Fails as fetch_ask. */
int parca_get(struct parca_call *c, const char *path, struct bytes *out, long *status);

/* Set the error of a response that cannot be read. Returns ERR_FORMAT. */
int parca_damaged(struct parca_call *c, struct jsonr *r);

/* Append NAME=VALUE, escaped, and a time. */
void parca_add_field(struct buf *path, const char *name, const char *value);
void parca_add_time(struct buf *path, const char *name, int64_t ms);

/* Append the query of a profile type: its id and the conditions on labels. */
void parca_add_query(const struct parca_call *c, const char *name, const char *id, struct buf *path);

/* Find the window, the profile types and labels. Returns 1 if there is no type of the kind. */
int parca_begin(struct parca_call *c, const char *kind);
void parca_end(struct parca_call *c);

/* Walk the values of a profile type, by all labels. */
int parca_walk(struct parca_call *c, const struct pyro_column *column, int64_t step_ms, summed_point_fn *fn, void *arg);

/* Add the series of a profile type to the sets. */
int parca_add_sets(struct parca_call *c, const struct pyro_column *column);

/* As the functions of struct store_backend. */
int parca_list(struct store *store, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	       struct err *err);
int parca_totals(struct store *store, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		 struct err *err);
int parca_each_series(struct store *store, const struct store_query *q, store_series_fn *fn, void *arg,
		      struct err *err);

#endif
