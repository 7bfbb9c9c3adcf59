/*
 * server_int.h - requests to a server of Pyroscope, shared by the files of the backend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_PYROSCOPE_SERVER_INT_H
#define STORE_PYROSCOPE_SERVER_INT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/strtab.h"
#include "fetch/fetch.h"
#include "store/pyroscope/summed.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PYRO_DAY_MS INT64_C(86400000) /* servers refuse longer windows by default */

/* Call a method. body: a request in protobuf. Fails as fetch_ask. */
int pyro_call(struct pyro_store *s, const char *method, const struct buf *body, struct stop *stop, struct bytes *out,
	      long *status, struct err *err);

/* The window of a query; of one that is open, that of the server's data. Returns 1 if it is empty. */
int pyro_find_span(struct pyro_store *s, const struct store_query *q, struct stop *stop, struct pyro_span *out,
		   struct err *err);

/* Append the selector of a query, with more conditions: [n] labels with their values. */
void pyro_add_selector(const struct store_query *q, const struct store_label *more, size_t n, struct buf *out);

/*
 * Ask for the series of a query, of its kind, or of all kinds if that is "".
 *
 * out    released with pyro_sets_release, also after a failure
 * Fails  as pyro_call; ERR_FORMAT
 */
int pyro_read_sets(struct pyro_store *s, const struct store_query *q, const struct pyro_span *span, struct stop *stop,
		   struct pyro_sets *out, struct err *err);

/* As the functions of struct store_backend. */
int pyro_list(struct store *store, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	      struct err *err);
int pyro_totals(struct store *store, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		struct err *err);
int pyro_each_series(struct store *store, const struct store_query *q, store_series_fn *fn, void *arg, struct err *err);

#endif
