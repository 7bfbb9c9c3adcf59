/*
 * list_int.h - the series and profiles of a query, in order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LIST_INT_H
#define STORE_LIST_INT_H

#include "profile/keys.h"
#include "store/select.h"

/* A block with profiles of a series. */
struct list_part {
	uint32_t chapter, block;
};

struct list_series {
	uint32_t chapter, series; /* a chapter that contains it, and its id there */
	struct list_part *part;   /* [n_parts] */
	size_t n_parts, cap_parts;
};

struct list {
	const struct store_query *q;
	struct stop *stop;
	struct selection sel;
	struct chapter **chapter; /* [sel.n] NULL: damaged, or without profiles of the query */
	struct select_cut cut;
	struct keys keys;           /* hashes */
	struct list_series *series; /* [keys.n], after list_open sorted by service, kind, labels */
	size_t cap_series;
	struct store_label *label; /* buffer of list_labels */
	size_t cap_labels;
};

/* Find the series of a query, and decode their chapters. */
int list_open(struct store *s, const struct store_query *q, struct stop *stop, struct list *l, struct err *err);
void list_close(struct list *l);

const struct dict_series *list_series_of(const struct list *l, const struct list_series *s);

/* The labels of a series; valid until the next call. */
const struct store_label *list_labels(struct list *l, const struct list_series *s);

/* A profile. */
struct list_entry {
	struct list_part part;
	uint32_t k; /* in the block */
	uint32_t meta;
	int64_t start_ns, duration_ns;
};

/* The profiles of a series in the window, sorted by start; the caller frees *entry. */
int list_entries(struct list *l, const struct list_series *s, struct list_entry **entry, size_t *n, struct err *err);

/* Names of types and units of a meta: [2 * n_types], freed by the caller. */
const char **list_types(const struct chapter *c, const struct dict_meta *m);

#endif
