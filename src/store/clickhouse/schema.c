/*
 * schema.c - the tables of a store in ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/clickhouse/schema.h"

#include <stddef.h>

enum { CLICK_COLUMNS_MAX = 24 };

/* codec: for servers that have codecs. A text with few distinct values has the codec "few": LowCardinality. */
struct click_column {
	const char *name, *type, *codec;
};

#define CLICK_FEW "few"
#define CLICK_ZSTD "ZSTD(1)"

/* clang-format off */
static const struct {
	const char *name, *version, *partition, *order;
	struct click_column column[CLICK_COLUMNS_MAX];
} click_tables[] = {
	[CLICK_SERIES] = { "series", "", NULL, "service, kind, series",
		{ { "service", "String", CLICK_FEW }, { "kind", "String", CLICK_FEW }, { "series", "FixedString(16)", "" },
		  { "label_names", "Array(String)", CLICK_ZSTD }, { "label_values", "Array(String)", CLICK_ZSTD } } },
	[CLICK_METAS] = { "metas", "", "week", "service, epoch, id",
		{ { "week", "Date", "" }, { "service", "String", CLICK_FEW }, { "epoch", "UInt64", "" }, { "id", "UInt32", "" },
		  { "types", "Array(String)", CLICK_ZSTD }, { "units", "Array(String)", CLICK_ZSTD },
		  { "counted", "Array(UInt8)", CLICK_ZSTD }, { "period", "Int64", "" }, { "period_type", "String", "" },
		  { "period_unit", "String", "" }, { "has_period_type", "UInt8", "" }, { "default_type", "String", "" },
		  { "drop_frames", "String", "" }, { "keep_frames", "String", "" }, { "doc_url", "String", "" },
		  { "comments", "Array(String)", CLICK_ZSTD }, { "place_mappings", "Array(UInt32)", CLICK_ZSTD },
		  { "place_starts", "Array(UInt64)", CLICK_ZSTD }, { "place_limits", "Array(UInt64)", CLICK_ZSTD },
		  { "place_files", "Array(String)", CLICK_ZSTD }, { "place_symbols", "Array(String)", CLICK_ZSTD },
		  { "place_flags", "Array(UInt8)", CLICK_ZSTD } } },
	[CLICK_MAPPINGS] = { "mappings", "", "week", "service, epoch, id",
		{ { "week", "Date", "" }, { "service", "String", CLICK_FEW }, { "epoch", "UInt64", "" }, { "id", "UInt32", "" },
		  { "start", "UInt64", "" }, { "limit", "UInt64", "" }, { "offset", "UInt64", "" }, { "file", "String", CLICK_ZSTD },
		  { "build_id", "String", CLICK_ZSTD }, { "symbol", "String", CLICK_ZSTD }, { "flags", "UInt8", "" } } },
	[CLICK_FRAMES] = { "frames", "", "week", "service, epoch, id, depth",
		{ { "week", "Date", "" }, { "service", "String", CLICK_FEW }, { "epoch", "UInt64", "" }, { "id", "UInt32", "" },
		  { "depth", "UInt32", "" }, { "lines", "UInt32", "" }, { "name", "String", CLICK_ZSTD },
		  { "system_name", "String", CLICK_ZSTD }, { "file", "String", CLICK_ZSTD }, { "start_line", "Int64", "" },
		  { "line", "Int64", "" }, { "col", "Int64", "" }, { "address", "UInt64", "" }, { "mapping", "UInt32", "" },
		  { "folded", "UInt8", "" } } },
	[CLICK_STACKS] = { "stacks", "", "week", "service, epoch, id",
		{ { "week", "Date", "" }, { "service", "String", CLICK_FEW }, { "epoch", "UInt64", "" }, { "id", "UInt32", "" },
		  { "frames", "Array(UInt32)", CLICK_ZSTD }, { "label_names", "Array(String)", CLICK_ZSTD },
		  { "label_values", "Array(String)", CLICK_ZSTD }, { "label_units", "Array(String)", CLICK_ZSTD },
		  { "label_is_number", "Array(UInt8)", CLICK_ZSTD } } },
	[CLICK_PROFILES] = { "profiles", "", "day", "service, kind, series, ts",
		{ { "day", "Date", "" }, { "service", "String", CLICK_FEW }, { "kind", "String", CLICK_FEW },
		  { "series", "FixedString(16)", "" }, { "ts", "Int64", "DoubleDelta, LZ4" }, { "dur", "Int64", "" },
		  { "epoch", "UInt64", "" }, { "meta", "UInt32", "" }, { "shape", "UInt64", "" },
		  { "types", "Array(String)", CLICK_ZSTD }, { "rows", "Array(UInt32)", CLICK_ZSTD },
		  { "vals", "Array(Array(Int64))", CLICK_ZSTD }, { "total", "Array(Int64)", CLICK_ZSTD },
		  { "weight", "Float64", "" } } },
	[CLICK_MARKS] = { "marks", "", NULL, "service, ts, kind, text",
		{ { "service", "String", CLICK_FEW }, { "ts", "Int64", "" }, { "env", "String", "" }, { "kind", "String", "" },
		  { "text", "String", "" } } },
	[CLICK_BATCHES] = { "batches", "tries", "day", "day, batch",
		{ { "day", "Date", "" }, { "batch", "UInt64", "" }, { "writer", "String", "" }, { "made", "DateTime", "" },
		  { "profiles", "UInt32", "" }, { "tries", "UInt16", "" }, { "is_done", "UInt8", "" } } },
};
/* clang-format on */

const char *click_table_name(enum click_table t)
{
	return click_tables[t].name;
}

const char *click_table_partition(enum click_table t)
{
	return click_tables[t].partition;
}

void click_add_insert(enum click_table t, struct buf *sql)
{
	buf_addf(sql, "INSERT INTO %s (", click_tables[t].name);
	for (const struct click_column *c = click_tables[t].column; c->name; c++)
		buf_addf(sql, "%s%s", c == click_tables[t].column ? "" : ", ", c->name);
	buf_addz(sql, ") FORMAT RowBinary");
}

static void click_add_columns(enum click_table t, bool is_old, struct buf *sql)
{
	buf_addz(sql, " (");
	for (const struct click_column *c = click_tables[t].column; c->name; c++) {
		buf_addf(sql, "%s%s ", c == click_tables[t].column ? "" : ", ", c->name);
		if (is_old || !*c->codec)
			buf_addz(sql, c->type);
		else if (c->codec[0] == 'f')
			buf_addf(sql, "LowCardinality(%s)", c->type);
		else
			buf_addf(sql, "%s CODEC(%s)", c->type, c->codec);
	}
	buf_addz(sql, ")");
}

bool click_add_create(enum click_table t, const struct click_schema_options *o, bool is_local, struct buf *sql)
{
	const char *name = click_tables[t].name, *version = click_tables[t].version;
	bool has_cluster = *o->cluster;

	if (is_local && !has_cluster)
		return false;
	buf_addf(sql, "CREATE TABLE IF NOT EXISTS %s.%s%s", o->database, name, is_local ? "_local" : "");
	click_add_columns(t, o->is_old, sql);
	if (has_cluster && !is_local) {
		buf_addf(sql, " ENGINE = Distributed(%s, %s, %s_local, %s)", o->cluster, o->database, name,
			 t == CLICK_BATCHES ? "batch" : "cityHash64(service)");
		return true;
	}
	if (o->is_replicated)
		buf_addf(sql,
			 " ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/%s/%s', '{replica}'%s%s)",
			 o->database, name, *version ? ", " : "", version);
	else
		buf_addf(sql, " ENGINE = ReplacingMergeTree(%s)", version);
	if (click_tables[t].partition)
		buf_addf(sql, " PARTITION BY %s", click_tables[t].partition);
	buf_addf(sql, " ORDER BY (%s) SETTINGS index_granularity = %d", click_tables[t].order,
		 t == CLICK_PROFILES ? 1024 : 8192);
	return true;
}
