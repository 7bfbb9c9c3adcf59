/*
 * init.c - makes the tables of a store in ClickHouse, and removes old days
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/time.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/rows.h"
#include "store/clickhouse/schema.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_NEW = 20, SETTLED_DAYS = 2 };

static int click_check_cluster(const char *name, struct err *err)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return err_set(err, ERR_USAGE, "--cluster=%s: the name of a cluster has letters, digits and _",
				       name);
	return 0;
}

static struct click_schema_options click_schema_of(const struct click_server *s, const struct click_init_options *o,
						   bool is_old)
{
	return (struct click_schema_options){ s->database, o->cluster, o->is_replicated, is_old };
}

int click_init_print(const struct click_server *s, const struct click_init_options *o, bool is_old, struct buf *out,
		     struct err *err)
{
	struct click_schema_options schema = click_schema_of(s, o, is_old);
	int rc = click_check_cluster(o->cluster, err);

	if (rc < 0)
		return rc;
	buf_addf(out, "CREATE DATABASE IF NOT EXISTS %s;\n", s->database);
	for (int i = 0; i < 2 * N_CLICK_TABLES; i++)
		if (click_add_create((enum click_table)(i / 2), &schema, i % 2 == 0, out))
			buf_addz(out, ";\n");
	return 0;
}

static int click_read_version(struct click_server *s, struct stop *stop, int *version, struct err *err)
{
	struct bytes bytes = { 0 };
	char text[16] = "";
	int rc = click_server_ask(s, "SELECT version()", false, stop, &bytes, err);

	if (rc == 0 && bytes.n)
		memcpy(text, bytes.data, bytes.n < sizeof(text) ? bytes.n : sizeof(text) - 1);
	*version = atoi(text);
	free(bytes.data);
	return rc;
}

int click_init_run(struct click_server *s, const struct click_init_options *o, struct stop *stop, struct err *err)
{
	struct buf all = { 0 };
	int version, rc = click_read_version(s, stop, &version, err);

	rc = rc < 0 ? rc : click_init_print(s, o, version < VERSION_NEW, &all, err);
	for (const char *at = buf_text(&all); rc == 0 && *at;) {
		size_t n = strcspn(at, ";");
		struct bytes ignored = { 0 };
		char *sql = mem_strndup(at, n);

		rc = click_server_ask(s, sql, false, stop, &ignored, err);
		free(sql);
		free(ignored.data);
		at += n + strspn(at + n, ";\n");
	}
	buf_release(&all);
	return rc;
}

/* ---- removing days ---- */

struct click_gc {
	struct click_server *s;
	const char *suffix; /* of the tables with rows */
	bool dry_run;
	struct stop *stop;
	struct buf *report;
};

/* Run a statement that ends with a day, and report it. */
static int click_gc_statement(const struct click_gc *g, const char *before, const char *table, uint16_t day,
			      const char *after, struct err *err)
{
	struct buf sql = { 0 };
	int rc = 0;

	buf_addf(&sql, "%s %s%s%s%s PARTITION '", before, table, g->suffix, *after ? " " : "", after);
	time_add_utc(&sql, day * NS_PER_DAY, "%Y-%m-%d");
	buf_addf(&sql, "'%s", *after ? "" : " FINAL");
	if (!g->dry_run)
		rc = click_server_run(g->s, buf_text(&sql), g->stop, err);
	if (rc == 0)
		buf_addf(g->report, "%s\n", buf_text(&sql));
	buf_release(&sql);
	return rc;
}

/* The days or weeks of the partitions of a table. The caller frees *day. */
static int click_gc_list(const struct click_gc *g, const char *sql, uint16_t **day, size_t *n, struct err *err)
{
	struct bytes bytes = { 0 };
	int rc = click_server_ask(g->s, sql, true, g->stop, &bytes, err);

	*n = bytes.n / sizeof(**day);
	*day = (uint16_t *)bytes.data;
	return rc;
}

static int click_gc_drop_days(const struct click_gc *g, enum click_table t, int64_t end_ns, struct err *err)
{
	const char *partition = click_table_partition(t);
	int64_t length = strcmp(partition, "week") == 0 ? 7 : 1;
	struct buf sql = { 0 };
	uint16_t *day = NULL;
	size_t n = 0;
	int rc;

	buf_addf(&sql,
		 "SELECT toUInt16(toDate(partition)) AS d FROM system.parts WHERE active AND database = "
		 "currentDatabase() AND table = '%s%s' GROUP BY d ORDER BY d FORMAT RowBinary",
		 click_table_name(t), g->suffix);
	rc = click_gc_list(g, buf_text(&sql), &day, &n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if ((day[i] + length) * NS_PER_DAY <= end_ns)
			rc = click_gc_statement(g, "ALTER TABLE", click_table_name(t), day[i], "DROP", err);
	free(day);
	buf_release(&sql);
	return rc;
}

/* Merge the days with repeated rows that are over, and forget that they had some. In a cluster, other servers may still have them. */
static int click_gc_settle(const struct click_gc *g, int64_t now_ns, struct err *err)
{
	struct buf sql = { 0 };
	uint16_t *day = NULL;
	size_t n = 0;
	int rc;

	buf_addf(&sql,
		 "SELECT toUInt16(day) FROM (SELECT day, batch, max(is_done) AS done, max(tries) AS t, max(made) AS "
		 "last FROM batches GROUP BY day, batch) GROUP BY day HAVING (min(done) = 0 OR max(t) > 1) AND "
		 "max(last) < "
		 "toDateTime(%" PRId64 ") ORDER BY day FORMAT RowBinary",
		 (now_ns - SETTLED_DAYS * NS_PER_DAY) / NS_PER_S);
	rc = click_gc_list(g, buf_text(&sql), &day, &n, err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = click_gc_statement(g, "OPTIMIZE TABLE", "profiles", day[i], "", err);
		if (rc == 0 && !*g->suffix)
			rc = click_gc_statement(g, "ALTER TABLE", "batches", day[i], "DROP", err);
	}
	free(day);
	buf_release(&sql);
	return rc;
}

int click_gc_run(struct click_server *s, int64_t keep_ns, int64_t now_ns, const char *cluster, bool dry_run,
		 struct stop *stop, struct buf *report, struct err *err)
{
	/* profiles before their dictionaries */
	static const enum click_table order[] = { CLICK_PROFILES, CLICK_BATCHES,  CLICK_STACKS,
						  CLICK_FRAMES,   CLICK_MAPPINGS, CLICK_METAS };
	struct click_gc g = { s, *cluster ? "_local" : "", dry_run, stop, report };
	int rc = 0;

	for (size_t i = 0; rc == 0 && keep_ns != INT64_MAX && i < sizeof(order) / sizeof(*order); i++)
		rc = click_gc_drop_days(&g, order[i], now_ns - keep_ns, err);
	return rc < 0 ? rc : click_gc_settle(&g, now_ns, err);
}
