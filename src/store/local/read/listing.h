/*
 * listing.h - the series and profiles of a query, in order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_READ_LISTING_H
#define STORE_LOCAL_READ_LISTING_H

#include "profile/keys.h"
#include "store/local/read/select.h"

/* A block with profiles of a series. */
struct store_listing_part {
	uint32_t chapter, block;
};

struct store_listing_series {
	uint32_t chapter, series;        /* a chapter that contains it, and its id there */
	struct store_listing_part *part; /* [n_parts] */
	size_t n_parts, cap_parts;
};

struct store_listing {
	const struct store_query *from; /* the query as it was asked */
	struct store_query own;         /* the same after select_split */
	const struct store_query *q;    /* &own */
	struct stop *stop;
	struct selection sel;
	struct chapter **chapter; /* [sel.n] NULL: damaged, or without profiles of the query */
	struct select_cut cut;
	struct keys keys;                    /* hashes */
	struct store_listing_series *series; /* [keys.n], after local_listing_open sorted by service, kind, labels */
	size_t cap_series;
	struct store_label *label; /* buffer of local_listing_labels */
	size_t cap_labels;
};

/* Find the series of a query, and decode their chapters. */
int local_listing_open(struct store *s, const struct store_query *q, struct stop *stop, struct store_listing *l,
		       struct err *err);
void local_listing_close(struct store_listing *l);

const struct dict_series *local_listing_series_of(const struct store_listing *l, const struct store_listing_series *s);

/* The labels of a series; valid until the next call. */
const struct store_label *local_listing_labels(struct store_listing *l, const struct store_listing_series *s);

/* A profile. */
struct store_listing_entry {
	struct store_listing_part part;
	uint32_t k; /* in the block */
	uint32_t meta;
	int64_t start_ns, duration_ns;
};

/* The profiles of a series in the window, sorted by start; the caller frees *entry. */
int local_listing_entries(struct store_listing *l, const struct store_listing_series *s,
			  struct store_listing_entry **entry, size_t *n, struct err *err);

/* Names of types and units of a meta: [2 * n_types], freed by the caller. */
const char **local_listing_types(const struct chapter *c, const struct dict_meta *m);

#endif
