/*
 * fields.c - fields of requests and responses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/remote/remote_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void rpc_put_text(struct buf *out, const char *text)
{
	text = text ? text : "";
	buf_add(out, text, strlen(text) + 1);
}

void rpc_put_number(struct buf *out, int64_t v)
{
	buf_addf(out, "%" PRId64, v);
	buf_add(out, "", 1);
}

void rpc_put_texts(struct buf *out, const char *const *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rpc_put_text(out, text[i]);
}

void rpc_put_labels(struct buf *out, const struct store_label *label, size_t n)
{
	rpc_put_number(out, (int64_t)n);
	for (size_t i = 0; i < n; i++) {
		rpc_put_text(out, label[i].name);
		rpc_put_text(out, label[i].value);
	}
}

void rpc_put_query(struct buf *out, const struct store_query *q)
{
	rpc_put_text(out, q->service);
	rpc_put_number(out, q->is_pattern);
	rpc_put_text(out, q->kind);
	rpc_put_number(out, (int64_t)q->n_match);
	for (size_t i = 0; i < q->n_match; i++) {
		rpc_put_number(out, q->match[i].op);
		rpc_put_text(out, q->match[i].name);
		rpc_put_text(out, q->match[i].value);
	}
	rpc_put_number(out, q->t0);
	rpc_put_number(out, q->t1);
	rpc_put_number(out, q->begin_ns);
	rpc_put_text(out, q->pin);
	rpc_put_number(out, q->reduce);
	rpc_put_number(out, (int64_t)q->n_keep);
	rpc_put_texts(out, q->keep, q->n_keep);
	rpc_put_number(out, q->id != NULL);
	for (int i = 0; q->id && i < 16; i++)
		rpc_put_number(out, q->id[i]);
	rpc_put_number(out, (int64_t)q->limit);
	rpc_put_number(out, q->step_ns);
	rpc_put_number(out, q->partial);
	rpc_put_number(out, q->tier);
}

const char *rpc_get_text(struct rpc_reader *r)
{
	const char *text = r->at, *end = memchr(r->at, 0, (size_t)(r->end - r->at));

	if (!end || r->is_bad) {
		r->is_bad = true;
		return "";
	}
	r->at = end + 1;
	return text;
}

int64_t rpc_get_number(struct rpc_reader *r)
{
	const char *text = rpc_get_text(r);
	char *end;
	int64_t v;

	errno = 0;
	v = strtoll(text, &end, 10);
	r->is_bad |= errno != 0 || *end || end == text;
	return r->is_bad ? 0 : v;
}

int rpc_get_enum(struct rpc_reader *r, int max)
{
	int64_t v = rpc_get_number(r);

	r->is_bad |= v < 0 || v > max;
	return r->is_bad ? 0 : (int)v;
}

size_t rpc_get_count(struct rpc_reader *r)
{
	int64_t n = rpc_get_number(r);

	r->is_bad |= n < 0 || n > r->end - r->at;
	return r->is_bad ? 0 : (size_t)n;
}

const struct store_label *rpc_get_labels(struct rpc_reader *r, size_t *n)
{
	struct store_label *label;

	*n = rpc_get_count(r);
	label = arena_alloc(r->memory, *n + 1, sizeof(*label));
	for (size_t i = 0; i < *n; i++) {
		label[i].name = rpc_get_text(r);
		label[i].value = rpc_get_text(r);
	}
	return label;
}

const char *const *rpc_get_texts(struct rpc_reader *r, size_t n)
{
	const char **text = arena_alloc(r->memory, n + 1, sizeof(*text));

	for (size_t i = 0; i < n; i++)
		text[i] = rpc_get_text(r);
	return text;
}
