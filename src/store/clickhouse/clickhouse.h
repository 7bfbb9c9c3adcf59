/*
 * clickhouse.h - stores in ClickHouse: the backend, and what is done with whole stores
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * docs/clickhouse.md describes the tables, and what such a store cannot keep: pins, and resolutions that are reduced.
 */
#ifndef STORE_CLICKHOUSE_CLICKHOUSE_H
#define STORE_CLICKHOUSE_CLICKHOUSE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "fetch/fetch.h"
#include "store/clickhouse/server.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* Is it the place of a store in ClickHouse? */
bool click_is_place(const char *where);

/*
 * Open a store for reading. Nothing is requested yet.
 *
 * where    clickhouse://[USER@]HOST[:PORT]/DATABASE, clickhouse+https://...
 * options  for requests; its strings must live until store_close
 * Fails    ERR_USAGE
 */
int click_store_open(const char *where, const struct fetch_options *options, struct store **out, struct err *err);

struct click_init_options {
	const char *cluster; /* "" for one server */
	bool is_replicated;
};

/* Append the statements that make the tables of a store, a line each. Fails with ERR_USAGE: the name of the cluster. */
int click_init_print(const struct click_server *s, const struct click_init_options *o, bool is_old, struct buf *out,
		     struct err *err);

/* Make the database and the tables that do not exist. With a cluster: on this server of it. */
int click_init_run(struct click_server *s, const struct click_init_options *o, struct stop *stop, struct err *err);

/*
 * Remove the days that are over for more than a time, and the dictionaries of weeks without days. Repeated rows of days that are
 * over are removed, too.
 *
 * keep_ns  INT64_MAX: remove no days
 * cluster  where the tables NAME_local are; "" for one server
 * dry_run  only append lines that say what would be done
 */
int click_gc_run(struct click_server *s, int64_t keep_ns, int64_t now_ns, const char *cluster, bool dry_run,
		 struct stop *stop, struct buf *report, struct err *err);

#endif
