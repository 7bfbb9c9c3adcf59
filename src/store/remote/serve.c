/*
 * serve.c - responses of a collector to queries of its store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/remote/remote.h"

#include "base/mem.h"
#include "base/regex.h"
#include "profile/encode.h"
#include "store/remote/remote_int.h"

#include <stdlib.h>
#include <string.h>

enum { RESPONSE_MAX = 1 << 30 };

/* ---- requests ---- */

static int serve_compile(struct label_match *m, struct err *err)
{
	struct buf whole = { 0 };
	int rc;

	if (m->op != MATCH_REGEX && m->op != MATCH_NOT_REGEX)
		return 0;
	buf_addf(&whole, "^(?:%s)$", m->value);
	rc = regex_new(buf_text(&whole), &m->regex, err);
	buf_release(&whole);
	return rc;
}

static int serve_read_matches(struct rpc_reader *r, struct rpc_query *out, struct err *err)
{
	size_t n = rpc_get_count(r);
	int rc = 0;

	out->match = mem_zalloc(n + 1, sizeof(*out->match));
	out->q.match = out->match;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct label_match *m = &out->match[i];

		m->op = (enum match_op)rpc_get_enum(r, MATCH_NOT_REGEX);
		m->name = rpc_get_text(r);
		m->value = rpc_get_text(r);
		out->q.n_match = i + 1;
		rc = r->is_bad ? 0 : serve_compile(m, err);
	}
	return rc;
}

static void serve_read_rest(struct rpc_reader *r, struct rpc_query *out)
{
	struct store_query *q = &out->q;
	int64_t limit;

	q->t0 = rpc_get_number(r);
	q->t1 = rpc_get_number(r);
	q->begin_ns = rpc_get_number(r);
	q->pin = rpc_get_text(r);
	q->reduce = (enum reduce)rpc_get_enum(r, REDUCE_INCREASE);
	q->n_keep = rpc_get_count(r);
	q->keep = rpc_get_texts(r, q->n_keep);
	if (rpc_get_number(r)) {
		for (int i = 0; i < 16; i++)
			out->id[i] = (uint8_t)rpc_get_number(r);
		q->id = out->id;
	}
	limit = rpc_get_number(r);
	q->limit = (size_t)limit;
	q->step_ns = rpc_get_number(r);
	q->partial = rpc_get_number(r) != 0;
	q->tier = (enum store_tier)rpc_get_enum(r, N_TIERS - 1);
	r->is_bad |= limit < 0 || q->step_ns < 0;
}

int rpc_query_parse(const char *body, size_t n, struct rpc_query *out, struct err *err)
{
	struct rpc_reader r = { .at = body, .end = body + n };
	int rc;

	*out = (struct rpc_query){ .memory = arena_new() };
	r.memory = out->memory;
	r.at = arena_strndup(out->memory, body, n);
	r.end = r.at + n;
	out->q.service = rpc_get_text(&r);
	out->q.is_pattern = rpc_get_number(&r) != 0;
	out->q.kind = rpc_get_text(&r);
	rc = serve_read_matches(&r, out, err);
	if (rc < 0)
		return rc;
	serve_read_rest(&r, out);
	return r.is_bad || r.at != r.end ? err_set(err, ERR_USAGE, "the query is damaged, or of another version of cpa")
					 : 0;
}

void rpc_query_release(struct rpc_query *r)
{
	for (size_t i = 0; i < r->q.n_match; i++)
		regex_free(r->match[i].regex);
	free(r->match);
	arena_free(r->memory);
}

/* ---- responses ---- */

static int serve_check_size(const struct buf *out, struct err *err)
{
	return out->len <= RESPONSE_MAX
		       ? 0
		       : err_set(err, ERR_LIMIT, "the response has more than 1 GiB; choose a shorter window");
}

static int serve_add_record(struct buf *out, struct err *err)
{
	int rc = serve_check_size(out, err);

	if (rc == 0)
		rpc_put_text(out, "record");
	return rc;
}

static int serve_profile(struct buf *out, const struct profile *p, struct err *err)
{
	struct buf bytes = { 0 };
	int rc = profile_encode(p, &bytes, err);

	if (rc == 0) {
		rpc_put_number(out, (int64_t)bytes.len);
		buf_add(out, bytes.data, bytes.len);
	}
	buf_release(&bytes);
	return rc;
}

static void serve_item_fields(struct buf *out, const struct store_item *i)
{
	for (int k = 0; k < 16; k++)
		rpc_put_number(out, i->id[k]);
	rpc_put_text(out, i->service);
	rpc_put_text(out, i->kind);
	rpc_put_labels(out, i->label, i->n_labels);
	rpc_put_number(out, i->start_ns);
	rpc_put_number(out, i->duration_ns);
	rpc_put_number(out, i->tier);
	rpc_put_number(out, i->n_types);
	rpc_put_texts(out, i->type, i->n_types);
	rpc_put_texts(out, i->unit, i->n_types);
}

static int serve_item(void *out, const struct store_item *i, struct err *err)
{
	int rc = serve_add_record(out, err);

	if (rc == 0)
		serve_item_fields(out, i);
	return rc;
}

static int serve_item_profile(void *out, const struct store_item *i, struct profile *p, struct err *err)
{
	int rc = serve_item(out, i, err);

	rc = rc < 0 ? rc : serve_profile(out, p, err);
	profile_free(p);
	return rc;
}

static int serve_total(void *out, const struct store_block_total *t, struct err *err)
{
	int rc = serve_add_record(out, err);

	if (rc < 0)
		return rc;
	rpc_put_text(out, t->service);
	rpc_put_text(out, t->kind);
	rpc_put_labels(out, t->label, t->n_labels);
	rpc_put_number(out, t->t0);
	rpc_put_number(out, t->t1);
	rpc_put_number(out, t->profiles);
	rpc_put_number(out, t->tier);
	rpc_put_number(out, t->n_types);
	rpc_put_texts(out, t->type, t->n_types);
	rpc_put_texts(out, t->unit, t->n_types);
	for (uint32_t i = 0; i < t->n_types; i++) {
		rpc_put_number(out, t->temporality[i]);
		rpc_put_number(out, t->total[i]);
	}
	return 0;
}

static void serve_increase(void *out, const struct store_increase *i)
{
	if (serve_add_record(out, NULL) < 0) /* serve_increases fails */
		return;
	rpc_put_text(out, i->kept);
	rpc_put_text(out, i->type);
	rpc_put_text(out, i->unit);
	rpc_put_number(out, i->time_ns);
	rpc_put_number(out, i->value);
}

static int serve_increases(struct store *s, const struct store_query *q, struct stop *stop, struct buf *out,
			   struct err *err)
{
	int rc = store_each_increase(s, q, stop, serve_increase, out, err);

	return rc < 0 ? rc : serve_check_size(out, err);
}

static int serve_series(void *out, const struct store_series *s, struct err *err)
{
	int rc = serve_add_record(out, err);

	if (rc < 0)
		return rc;
	rpc_put_text(out, s->service);
	rpc_put_text(out, s->kind);
	rpc_put_labels(out, s->label, s->n_labels);
	rpc_put_number(out, s->first_ns);
	rpc_put_number(out, s->last_ns);
	rpc_put_number(out, (int64_t)s->profiles);
	return 0;
}

static int serve_mark(void *out, const char *service, const struct store_mark *m, struct err *err)
{
	const char *const text[] = { service, m->env, m->kind, m->text };
	int rc = serve_add_record(out, err);

	if (rc == 0) {
		rpc_put_texts(out, text, 4);
		rpc_put_number(out, m->time_ns);
	}
	return rc;
}

static int serve_pin(void *out, const struct store_pin_info *p, struct err *err)
{
	int rc = serve_add_record(out, err);

	if (rc < 0)
		return rc;
	rpc_put_text(out, p->name);
	rpc_put_text(out, p->spec);
	rpc_put_number(out, p->made_ns);
	rpc_put_number(out, (int64_t)p->bytes);
	return 0;
}

static int serve_sum(struct store *s, const struct store_query *q, struct stop *stop, struct buf *out, struct err *err)
{
	struct profile *p = NULL;
	struct store_sum sum = { 0 };
	int rc = store_read(s, q, stop, &p, &sum, err);

	rc = rc < 0 ? rc : serve_add_record(out, err);
	if (rc == 0) {
		rpc_put_number(out, (int64_t)sum.profiles);
		rpc_put_number(out, sum.series);
		rpc_put_number(out, sum.instances);
		rpc_put_number(out, sum.first_ns);
		rpc_put_number(out, sum.last_ns);
		rpc_put_number(out, (int64_t)sum.profiles_missing);
		rpc_put_number(out, sum.is_damaged);
		rpc_put_number(out, sum.tiers);
		rpc_put_text(out, buf_text(&sum.samples));
		rpc_put_text(out, buf_text(&sum.builds));
		rpc_put_text(out, buf_text(&sum.notes));
		rc = serve_profile(out, p, err);
	}
	profile_free(p);
	store_sum_release(&sum);
	return rc;
}

static int serve_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err)
{
	struct buf text = { 0 };
	int selects = store_describe_samples(s, q, &text, err);
	int rc = selects < 0 ? selects : serve_add_record(out, err);

	if (rc == 0) {
		rpc_put_text(out, buf_text(&text));
		rpc_put_number(out, selects);
	}
	buf_release(&text);
	return rc;
}

static int serve_run(struct store *s, const char *operation, const struct store_query *q, struct stop *stop,
		     struct buf *out, struct err *err)
{
	if (strcmp(operation, "read") == 0)
		return serve_sum(s, q, stop, out, err);
	if (strcmp(operation, "samples") == 0)
		return serve_samples(s, q, out, err);
	if (strcmp(operation, "list") == 0)
		return store_list(s, q, stop, serve_item, out, err);
	if (strcmp(operation, "totals") == 0)
		return store_totals(s, q, stop, serve_total, out, err);
	if (strcmp(operation, "increases") == 0)
		return serve_increases(s, q, stop, out, err);
	if (strcmp(operation, "profiles") == 0)
		return store_each_profile(s, q, stop, serve_item_profile, out, err);
	if (strcmp(operation, "series") == 0)
		return store_each_series(s, q, serve_series, out, err);
	if (strcmp(operation, "marks") == 0)
		return store_each_mark(s, q->service, q->is_pattern, q->kind, serve_mark, out, err);
	return strcmp(operation, "pins") == 0 ? store_each_pin(s, serve_pin, out, err) : 1;
}

bool rpc_serve(struct store *s, const char *operation, const struct store_query *q, struct stop *stop,
	       const char *failure, struct buf *out)
{
	struct err err = { 0 };
	int rc = serve_run(s, operation, q, stop, out, &err);

	if (rc > 0)
		return false;
	rpc_put_text(out, "end");
	rpc_put_number(out, rc);
	rpc_put_text(out, rc == 0 ? "" : failure && rc != ERR_USAGE ? failure : err.msg);
	rpc_put_text(out, failure ? "" : store_get_damage(s));
	return true;
}
