/*
 * schema.h - the tables of a store in ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_CLICKHOUSE_SCHEMA_H
#define STORE_CLICKHOUSE_SCHEMA_H

#include "base/buf.h"

#include <stdbool.h>

/* In the order in which a batch is written: what profiles refer to before them. docs/clickhouse.md describes the columns. */
enum click_table {
	CLICK_SERIES,
	CLICK_METAS,
	CLICK_MAPPINGS,
	CLICK_FRAMES,
	CLICK_STACKS,
	CLICK_PROFILES,
	CLICK_MARKS,
	CLICK_BATCHES,
	N_CLICK_TABLES
};

/* "series" and so on. */
const char *click_table_name(enum click_table t);

/* Is a table divided by "day" or "week"? NULL: it is not. */
const char *click_table_partition(enum click_table t);

/* Append "INSERT INTO ... FORMAT RowBinary" with all columns of a table. */
void click_add_insert(enum click_table t, struct buf *sql);

struct click_schema_options {
	const char *database;
	const char *
		cluster; /* "" for one server: else each table has its rows in NAME_local of each server of the cluster */
	bool is_replicated; /* NAME_local has replicas, which ZooKeeper or Keeper coordinates */
	bool is_old;        /* the server is older than 20: without codecs and LowCardinality */
};

/* Append the statement that makes a table, or its local part. Returns false if there is no such part. */
bool click_add_create(enum click_table t, const struct click_schema_options *o, bool is_local, struct buf *sql);

#endif
