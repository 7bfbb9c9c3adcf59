/*
 * query.c - the profiles that a request of Pyroscope's API selects
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/grafana/grafana_int.h"

#include "base/mem.h"
#include "base/regex.h"
#include "base/str.h"
#include "base/time.h"
#include "store/window/window.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int grafana_refuse(struct grafana_call *c, int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->err.msg, sizeof(c->err.msg), fmt, args);
	va_end(args);
	c->err.code = ERR_USAGE;
	c->status = status;
	return ERR_USAGE;
}

/* ---- labels ---- */

const char *grafana_store_label(const char *name)
{
	return strcmp(name, "service_name") == 0 ? "service" : name;
}

const char *grafana_type_label(const struct pyro_type *t, const char *name, struct buf *scratch)
{
	if (strcmp(name, "__profile_type__") == 0) {
		scratch->len = 0;
		pyro_add_id(t, scratch);
		return buf_text(scratch);
	}
	return strcmp(name, "__name__") == 0          ? t->name
	       : strcmp(name, "__type__") == 0        ? t->type
	       : strcmp(name, "__unit__") == 0        ? t->unit
	       : strcmp(name, "__period_type__") == 0 ? t->period_type
	       : strcmp(name, "__period_unit__") == 0 ? t->period_unit
						      : NULL;
}

static int query_match(struct grafana_call *c, const struct label_match *m, const char *value)
{
	bool yes;

	if (m->op == MATCH_EQUAL || m->op == MATCH_NOT_EQUAL)
		return (strcmp(m->value, value) == 0) == (m->op == MATCH_EQUAL);
	if (regex_match(m->regex, value, strlen(value), &yes, &c->err) < 0)
		return c->err.code;
	return yes == (m->op == MATCH_REGEX);
}

int grafana_type_matches(struct grafana_call *c, const struct grafana_selection *s, const struct pyro_type *t)
{
	struct buf scratch = { 0 };
	int rc = 1;

	for (size_t i = 0; rc > 0 && i < s->n_about; i++)
		rc = query_match(c, &s->about[i], grafana_type_label(t, s->about[i].name, &scratch));
	buf_release(&scratch);
	return rc;
}

/* ---- selections ---- */

/* Divide the conditions into those of the store and those of the profile type, and compile them. */
static int query_split(struct grafana_call *c, struct label_match *match, size_t n, struct grafana_selection *out)
{
	static const struct pyro_type any = { "", "", "", "", "" };
	struct arena *mem = c->request.memory;
	struct buf scratch = { 0 };
	int rc = 0;

	out->match = arena_zalloc(mem, n + 3, sizeof(*out->match)); /* grafana_select_values adds conditions */
	out->about = arena_zalloc(mem, n + 1, sizeof(*out->about));
	for (size_t i = 0; rc == 0 && i < n; i++) {
		bool is_about = grafana_type_label(&any, match[i].name, &scratch);
		struct label_match *m = is_about ? &out->about[out->n_about++] : &out->match[out->q.n_match++];

		*m = match[i];
		m->name = grafana_store_label(m->name);
		rc = m->op == MATCH_REGEX || m->op == MATCH_NOT_REGEX ? window_compile_match(m, &c->err) : 0;
		if (!is_about && m->op == MATCH_EQUAL && strcmp(m->name, "service") == 0) {
			out->q.service = m->value;
			out->q.is_pattern = false;
		}
	}
	buf_release(&scratch);
	return rc;
}

static int64_t query_ns(int64_t ms)
{
	return ms > INT64_MAX / NS_PER_MS ? INT64_MAX : ms * NS_PER_MS;
}

/* Set the times: both ends are included, as in Pyroscope. */
static int query_set_times(struct grafana_call *c, const struct pyro_request *r, bool is_list, struct store_query *q)
{
	if (r->start_ms < 0 || r->end_ms < 0 || (r->end_ms && r->start_ms > r->end_ms))
		return grafana_refuse(c, GRAFANA_BAD, "start is after end, or before 1970");
	if (!r->end_ms && !is_list)
		return grafana_refuse(c, GRAFANA_BAD, "end is missing; start and end are milliseconds since 1970");
	q->t0 = query_ns(r->start_ms);
	q->t1 = r->end_ms ? query_ns(r->end_ms + (r->end_ms < INT64_MAX)) : INT64_MAX;
	return 0;
}

static int query_set_type(struct grafana_call *c, const char *id, struct grafana_selection *out)
{
	const char *kind;
	int rc;

	out->type = (struct pyro_type){ "", "", "", "", "" };
	if (!*id)
		return 0;
	rc = pyro_parse_id(id, c->request.memory, &out->type, &c->err);
	if (rc == 0) {
		kind = pyro_kind_of_name(out->type.name);
		out->q.kind = kind ? kind : out->type.name;
	}
	return rc;
}

int grafana_select(struct grafana_call *c, const struct pyro_request *r, const char *selector, const char *type,
		   struct grafana_selection *out)
{
	struct label_match *match;
	size_t n = 0;
	int rc;

	*out = (struct grafana_selection){ .q = { .service = "*", .is_pattern = true, .kind = "", .pin = "" } };
	rc = query_set_times(c, r, !*type, &out->q);
	rc = rc < 0 ? rc : query_set_type(c, type, out);
	rc = rc < 0 ? rc : pyro_parse_selector(selector, c->request.memory, &match, &n, &c->err);
	rc = rc < 0 ? rc : query_split(c, match, n, out);
	out->q.match = out->match;
	if (rc < 0)
		return rc;
	if (!out->q.is_pattern && !c->reader->allows(c->reader->secret, out->q.service))
		return grafana_refuse(c, GRAFANA_FORBIDDEN, "this secret does not allow the service %s",
				      out->q.service);
	if (*type && out->q.is_pattern && c->reader->is_limited)
		return grafana_refuse(c, GRAFANA_FORBIDDEN,
				      "this secret is limited to some services; name one: {service_name=\"...\"}");
	if (!*type)
		return 0;
	rc = grafana_type_matches(c, out, &out->type);
	return rc < 0 ? rc : !rc;
}

void grafana_selection_release(struct grafana_selection *s)
{
	for (size_t i = 0; s->match && i < s->q.n_match; i++)
		regex_free(s->match[i].regex);
	for (size_t i = 0; s->about && i < s->n_about; i++)
		regex_free(s->about[i].regex);
	*s = (struct grafana_selection){ 0 };
}

/* Append text as an expression that matches only it. */
static void query_add_quoted(const char *text, struct buf *out)
{
	for (; *text; text++)
		buf_addf(out, strchr("\\.+*?()|[]{}^$", *text) ? "\\%c" : "%c", *text);
}

int grafana_select_values(struct grafana_call *c, struct grafana_selection *s, const char *label,
			  const struct pyro_texts *values)
{
	struct label_match *m = &s->match[s->q.n_match];
	struct buf text = { 0 };

	if (!values->n)
		return 0;
	for (size_t i = 0; i < values->n; i++) {
		buf_addz(&text, i ? "|" : "");
		query_add_quoted(values->item[i], &text);
	}
	*m = (struct label_match){ .op = MATCH_REGEX, .name = label, .value = arena_move(c->request.memory, &text) };
	s->q.n_match++;
	return window_compile_match(m, &c->err);
}

/* ---- reading ---- */

static int query_count_profiles(void *arg, const struct store_block_total *t, struct err *err)
{
	(void)err;
	*(uint64_t *)arg += t->profiles;
	return 0;
}

bool grafana_is_nothing(struct grafana_call *c, const struct store_query *q, int rc)
{
	struct buf text = { 0 };
	struct err ignored;
	uint64_t n = 0;
	bool is_unknown;

	if (rc != ERR_IO)
		return false;
	if (store_totals(c->store, q, c->stop, query_count_profiles, &n, &ignored) == 0)
		return n == 0;
	is_unknown = store_describe_samples(c->store, q, &text, &ignored) == ERR_IO; /* no label has this name */
	buf_release(&text);
	return is_unknown;
}

/* Note what was read. */
static void query_note(struct grafana_call *c, const struct store_query *q, const struct store_sum *sum)
{
	struct buf line = { 0 };

	store_sum_describe(q, sum, &line);
	buf_addf(&c->sources, "%s%s", c->sources.len ? "; " : "", buf_text(&line));
	buf_release(&line);
}

int grafana_read(struct grafana_call *c, const struct grafana_selection *s, struct profile **out, uint32_t *type)
{
	struct store_sum sum = { 0 };
	struct profile *p = NULL;
	int rc = store_read(c->store, &s->q, c->stop, &p, &sum, &c->err);

	*out = NULL;
	if (rc < 0 && grafana_is_nothing(c, &s->q, rc))
		rc = 0;
	else if (rc < 0 && c->reader->is_limited && rc != ERR_USAGE)
		err_set(&c->err, rc, "nothing of %s can be read", s->q.service); /* without names of others */
	for (uint32_t t = 0; rc == 0 && p && t < p->n_types; t++)
		if (strcmp(profile_text(p, p->type[t].name), s->type.type) == 0 &&
		    strcmp(profile_text(p, p->type[t].unit), s->type.unit) == 0) {
			*out = p;
			*type = t;
			query_note(c, &s->q, &sum);
			break;
		}
	if (!*out)
		profile_free(p);
	store_sum_release(&sum);
	return rc;
}
