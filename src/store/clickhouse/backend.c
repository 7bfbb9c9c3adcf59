/*
 * backend.c - the functions of the backend for stores in ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/str.h"
#include "store/clickhouse/click_int.h"
#include "store/clickhouse/clickhouse.h"

#include <stdlib.h>
#include <string.h>

static void click_close(struct store *s)
{
	struct click_store *c = click_of(s);

	click_forget(c);
	for (size_t i = 0; i < c->n_dictionaries; i++)
		click_dictionary_free(c->dictionary[i]);
	free(c->dictionary);
	free(c->series);
	free(c->repeated);
	click_server_release(&c->server);
	buf_release(&s->damage);
	free(c);
}

/* Begin a function of the interface: what was loaded for the last one may have changed. */
static void click_begin(struct store *s, enum click_use use, struct stop *stop)
{
	struct click_store *c = click_of(s);

	click_forget(c);
	c->use = use;
	c->stop = stop;
}

/* Does a query have conditions on samples? */
static int click_selects_samples(struct store *s, const struct store_query *q, bool *out, struct err *err)
{
	struct click_store *c = click_of(s);
	int rc = q->n_match ? click_load_series(c, q->service, q->is_pattern, err) : 0;

	*out = false;
	for (size_t i = 0; rc == 0 && i < q->n_match; i++)
		*out |= click_is_of_samples(c, &q->match[i]);
	return rc;
}

/* Does a query read all profiles of its window, as they are? */
static bool click_is_whole(const struct store_query *q)
{
	return !q->id && !q->limit && q->tier == TIER_RAW;
}

static int click_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
		      struct store_sum *sum, struct err *err)
{
	click_begin(s, click_is_whole(q) ? CLICK_SUMS : CLICK_FULL, stop);
	return local_read(s, q, stop, out, sum, err);
}

static int click_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err)
{
	click_begin(s, CLICK_HEADS, NULL);
	return local_describe_samples(s, q, out, err);
}

static int click_list(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
		      struct err *err)
{
	click_begin(s, CLICK_HEADS, stop);
	return local_list(s, q, stop, fn, arg, err);
}

static int click_totals(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
			struct err *err)
{
	bool selects = false;
	int rc;

	click_begin(s, CLICK_TOTALS, stop);
	rc = click_selects_samples(s, q, &selects, err);
	if (selects)
		click_of(s)->use = CLICK_FULL;
	return rc < 0 ? rc : local_totals(s, q, stop, fn, arg, err);
}

static int click_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			       void *arg, struct err *err)
{
	bool has_steps = click_is_whole(q) && q->step_ns > 0 && q->t0 != INT64_MIN;

	click_begin(s, has_steps ? CLICK_STEPS : CLICK_FULL, stop);
	return local_each_increase(s, q, stop, fn, arg, err);
}

static int click_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn,
			      void *arg, struct err *err)
{
	click_begin(s, CLICK_FULL, stop);
	return local_each_profile(s, q, stop, fn, arg, err);
}

static int click_each_series(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg,
			     struct err *err)
{
	click_begin(s, CLICK_HEADS, NULL);
	return local_each_series(s, q, fn, arg, err);
}

/* ---- marks and pins ---- */

static const char *click_mark_text(struct click_store *c, struct click_rows *r)
{
	size_t n;
	const char *text = click_get_text(r, &n);

	return arena_strndup(c->memory, text, n);
}

static int click_take_marks(struct click_store *c, struct click_rows *r, const struct store_query *q, store_mark_fn *fn,
			    void *arg, struct err *err)
{
	int rc = 0;

	while (rc == 0 && click_has_row(r)) {
		const char *service = click_mark_text(c, r);
		struct store_mark m = { .time_ns = click_get_i64(r) };

		m.env = (char *)click_mark_text(c, r);
		m.kind = (char *)click_mark_text(c, r);
		m.text = (char *)click_mark_text(c, r);
		if (!r->is_bad && select_service(q, service) && (!*q->kind || strcmp(q->kind, m.kind) == 0))
			rc = fn(arg, service, &m, err);
	}
	return rc == 0 && r->is_bad ? err_set(err, ERR_FORMAT, "%.200s: the table marks is damaged", c->server.name)
				    : rc;
}

static int click_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
			   void *arg, struct err *err)
{
	struct click_store *c = click_of(s);
	const struct store_query q = { .service = service, .is_pattern = is_pattern, .kind = kind };
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	int rc;

	click_begin(s, CLICK_HEADS, NULL);
	c->memory = arena_new();
	buf_addz(&sql, "SELECT service, ts, env, kind, text FROM marks");
	if (service && !is_pattern) {
		buf_addz(&sql, " WHERE service = ");
		click_add_text(&sql, service);
	}
	buf_addz(&sql, " GROUP BY service, ts, env, kind, text ORDER BY ts, service, kind, text FORMAT RowBinary");
	rc = click_server_ask(&c->server, buf_text(&sql), true, NULL, &bytes, err);
	r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false };
	rc = rc < 0 ? rc : click_take_marks(c, &r, &q, fn, arg, err);
	free(bytes.data);
	buf_release(&sql);
	return rc;
}

static int click_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	(void)s;
	(void)fn;
	(void)arg;
	(void)err;
	return 0; /* there are none */
}

static const struct local_source click_source = { click_open_chapters, click_each_label, click_each_catalogue_series };

static const struct store_backend click_backend = {
	.close = click_close,
	.read = click_read,
	.describe_samples = click_describe_samples,
	.list = click_list,
	.totals = click_totals,
	.each_increase = click_each_increase,
	.each_profile = click_each_profile,
	.each_series = click_each_series,
	.each_mark = click_each_mark,
	.each_pin = click_each_pin,
};

bool click_is_place(const char *where)
{
	return starts_with(where, "clickhouse://") || starts_with(where, "clickhouse+https://");
}

int click_store_open(const char *where, const struct fetch_options *options, struct store **out, struct err *err)
{
	struct click_store *c = mem_zalloc(1, sizeof(*c));
	int rc = click_server_init(&c->server, where, options, err);

	if (rc < 0) {
		free(c);
		return rc;
	}
	c->local.store.backend = &click_backend;
	c->local.source = &click_source;
	c->local.dir = -1;
	*out = &c->local.store;
	return 0;
}
