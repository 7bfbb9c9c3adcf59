/*
 * cluster.c - stores in ClickHouse: tables, marks, removal of old days
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/amount.h"
#include "base/time.h"
#include "store/backends/backends.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/writer.h"

#include <string.h>

int cmd_store_open(struct store_command *c, struct store **out, struct err *err)
{
	return backends_open(c->directory, &c->fetch, out, err);
}

static int cluster_open(struct store_command *c, const char *place, struct click_server *out, struct err *err)
{
	if (!click_is_place(place))
		return err_set(err, ERR_USAGE,
			       "%s: it is not a store in ClickHouse (clickhouse://HOST/DATABASE); stores in "
			       "directories are made by cpa collect and cpa store import",
			       place);
	return click_server_init(out, place, &c->fetch, err);
}

int cmd_store_init(struct store_command *c, struct err *err)
{
	const struct click_init_options o = { c->a->cluster, c->a->replicated };
	struct click_server s;
	int rc = cluster_open(c, c->a->n_words ? c->a->word[0] : c->directory, &s, err);

	if (rc < 0)
		return rc;
	if (o.is_replicated && !*o.cluster)
		rc = err_set(err, ERR_USAGE, "--replicated needs --cluster=NAME");
	else if (c->a->print)
		rc = click_init_print(&s, &o, false, c->out, err);
	else
		rc = click_init_run(&s, &o, c->stop, err);
	if (rc == 0 && !c->a->print)
		buf_addf(c->out, "%s has the tables of a store\n", s.name);
	click_server_release(&s);
	return rc;
}

int cmd_store_mark_cluster(struct store_command *c, const struct store_mark *m, struct err *err)
{
	struct click_server s;
	struct click_writer *w;
	struct buf rows = { 0 };
	int rc = cluster_open(c, c->directory, &s, err);

	if (rc < 0)
		return rc;
	w = click_writer_new(&s, "cpa store mark");
	click_put_mark(&rows, c->a->word[0], m);
	rc = click_writer_marks(w, &rows, c->stop, err);
	buf_release(&rows);
	click_writer_free(w);
	click_server_release(&s);
	return rc;
}

int cmd_store_gc_cluster(struct store_command *c, struct err *err)
{
	struct click_server s;
	int64_t keep = INT64_MAX;
	int rc = *c->a->retain ? amount_parse_duration("--retain", c->a->retain, &keep, err) : 0;

	if (rc == 0 && keep < NS_PER_DAY)
		rc = err_set(err, ERR_USAGE, "--retain=%s: days are removed as a whole; write 1d or more",
			     c->a->retain);
	rc = rc < 0 ? rc : cluster_open(c, c->directory, &s, err);
	if (rc < 0)
		return rc;
	rc = click_gc_run(&s, keep, clock_wall_ns(), c->a->cluster, c->a->dry_run, c->stop, c->out, err);
	if (rc == 0 && c->out->len == 0)
		buf_addz(c->out, "nothing to remove, nothing to join\n");
	click_server_release(&s);
	return rc;
}
