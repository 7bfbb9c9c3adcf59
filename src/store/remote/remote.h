/*
 * remote.h - stores of collectors, which are read over HTTP: the backend, and the answers of the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_REMOTE_REMOTE_H
#define STORE_REMOTE_REMOTE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "fetch/fetch.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Open the store of the collector at a URL. Nothing is requested yet.
 *
 * options  for requests; its strings must live until store_close
 * Fails    ERR_USAGE
 */
int rpc_store_open(const char *url, const struct fetch_options *options, struct store **out, struct err *err);

/* The path before the name of an operation. */
#define RPC_PATH "/api/v1/read/"

/* The query of a request, [n] bytes. q is valid until rpc_query_release, also after a failure. */
struct rpc_query {
	struct store_query q;
	struct arena *memory;
	struct label_match *match;
	uint8_t id[16];
};
int rpc_query_parse(const char *body, size_t n, struct rpc_query *out, struct err *err);
void rpc_query_release(struct rpc_query *r);

/*
 * Append the response to an operation: "read", "list", "totals".
 *
 * failure  replaces messages that are not about usage, and the damage, for clients that may not see names of other services;
 *          NULL: nothing is replaced
 * Returns  false if there is no such operation
 */
bool rpc_serve(struct store *s, const char *operation, const struct store_query *q, struct stop *stop,
	       const char *failure, struct buf *out);

#endif
