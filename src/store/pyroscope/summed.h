/*
 * summed.h - stores of servers that return sums: the parts that Pyroscope and Parca share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Such a server has neither marks nor pins. Its values over time are those of a series in a step, not of single profiles.
 */
#ifndef STORE_PYROSCOPE_SUMMED_H
#define STORE_PYROSCOPE_SUMMED_H

#include "base/buf.h"
#include "base/err.h"
#include "fetch/fetch.h"
#include "store/pyroscope/sum.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* A store that is open; all of it is released by summed_close. */
struct pyro_store {
	struct store store;
	char *server;    /* its URL */
	struct buf name; /* the URL for messages */
	struct fetch_options options;
};

/*
 * Open a store. Nothing is requested yet.
 *
 * url     as given: "pyroscope+https://HOST"
 * prefix  "pyroscope+", which is left out
 * Fails   ERR_USAGE
 */
int summed_open(const struct store_backend *backend, const char *url, const char *prefix,
		const struct fetch_options *options, struct store **out, struct err *err);

/* Functions of struct store_backend. */
void summed_close(struct store *store);
int summed_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
		     void *arg, struct err *err);
int summed_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err);

/* Pass the series to fn, as if all had profiles in the whole window. */
int summed_each_set(const struct pyro_sets *sets, const struct pyro_span *span, store_series_fn *fn, void *arg,
		    struct err *err);

/* ---- values over time ---- */

/* A value of a series in a step that begins at start_ns, as far as it is in the window. */
typedef int summed_point_fn(void *arg, const struct pyro_set *set, int64_t start_ns, int64_t value, struct err *err);

/* For store_totals. arg of summed_add_total, a summed_point_fn. */
struct summed_totals {
	const struct pyro_column *column;
	bool counts; /* is it the column of which a step counts as a profile? */
	store_total_fn *fn;
	void *arg;
};
int summed_add_total(void *arg, const struct pyro_set *set, int64_t start_ns, int64_t value, struct err *err);

/* For store_list: a step with a value counts as a profile with all sample types. arg of summed_add_item, a summed_point_fn. */
struct summed_list {
	uint32_t n_types;
	const char **type, **unit; /* [n_types] owned by the memory of the sets */
	int64_t step_ms;
	store_item_fn *fn;
	void *arg;
};
void summed_list_init(struct summed_list *x, const struct pyro_sets *sets, int64_t step_ms, store_item_fn *fn,
		      void *arg);
int summed_add_item(void *arg, const struct pyro_set *set, int64_t start_ns, int64_t value, struct err *err);

#endif
