/*
 * remote.c - the backend of stores of collectors
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/remote/remote.h"

#include "base/mem.h"
#include "base/str.h"
#include "formats/pprof/pprof.h"
#include "store/remote/remote_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct rpc_store {
	struct store store;
	char *url;       /* ends with / */
	struct buf name; /* the URL for messages */
	struct fetch_options options;
};

/* Read the fields of a record and pass it on. Returns 0, or ERR_*. */
typedef int rpc_record_fn(struct rpc_reader *r, void *arg, struct err *err);

/* ---- requests ---- */

/* Send a query to an operation. Fails as fetch_all; the message begins with the URL. */
static int rpc_request(struct rpc_store *s, const char *operation, const struct store_query *q, struct stop *stop,
		       struct bytes *out, struct err *err)
{
	struct fetch_request r = { 0 };
	struct url url;
	struct buf text = { 0 }, body = { 0 }, notes = { 0 };
	int rc;

	buf_addf(&text, "%s%s%s", s->url, &RPC_PATH[1], operation);
	rc = url_parse(buf_text(&text), 0, &url, err);
	if (rc == 0) {
		rpc_put_query(&body, q);
		r.url = &url;
		r.body = body.data;
		r.n_body = body.len;
		fetch_all(&r, 1, &s->options, NULL, stop, &notes);
		rc = r.rc;
		*out = r.bytes;
		if (rc < 0 && err) {
			*err = r.err;
			err_wrap(err, "%.300s", buf_text(&s->name));
		}
		url_release(&url);
	}
	buf_release(&text);
	buf_release(&body);
	buf_release(&notes);
	return rc;
}

/* Read the end of a response: the result of the operation. */
static int rpc_read_end(struct rpc_reader *r, struct rpc_store *s, struct err *err)
{
	int64_t code = rpc_get_number(r);
	const char *message = rpc_get_text(r), *damage = rpc_get_text(r);

	if (r->is_bad || r->at != r->end || code > 0 || code < ERR_MEMORY)
		return err_set(err, ERR_FORMAT, "%s: the response is damaged, or of another version of cpa",
			       buf_text(&s->name));
	s->store.damage.len = 0;
	buf_addz(&s->store.damage, damage);
	return code < 0 ? err_set(err, (int)code, "%s", message) : 0;
}

static int rpc_run(struct store *store, const char *operation, const struct store_query *q, struct stop *stop,
		   rpc_record_fn *fn, void *arg, struct err *err)
{
	struct rpc_store *s = (struct rpc_store *)store;
	struct bytes bytes = { 0 };
	struct rpc_reader r = { 0 };
	bool has_end = false;
	int rc = rpc_request(s, operation, q, stop, &bytes, err);

	r.at = (const char *)bytes.data;
	r.end = r.at + bytes.n;
	while (rc == 0 && !r.is_bad && !has_end) {
		const char *tag = rpc_get_text(&r);

		if (strcmp(tag, "record") == 0) {
			r.memory = arena_new();
			rc = fn(&r, arg, err);
			arena_free(r.memory);
		} else {
			has_end = strcmp(tag, "end") == 0;
			r.is_bad |= !has_end;
			rc = rpc_read_end(&r, s, err);
		}
	}
	if (rc == 0 && !has_end)
		rc = err_set(err, ERR_FORMAT, "%s: the response is damaged, or of another version of cpa",
			     buf_text(&s->name));
	free(bytes.data);
	return rc;
}

/* ---- records ---- */

static int rpc_get_profile(struct rpc_reader *r, struct profile **out, struct err *err)
{
	static const struct format_options limits = { 0 }; /* the options of the request have the limit */
	size_t n = rpc_get_count(r);
	int rc = r->is_bad ? err_set(err, ERR_FORMAT, "the response of the collector is damaged")
			   : pprof_read((const uint8_t *)r->at, n, &limits, out, err);

	r->at += n;
	return rc;
}

struct rpc_sum {
	struct profile **p;
	struct store_sum *sum;
};

static int rpc_record_sum(struct rpc_reader *r, void *arg, struct err *err)
{
	const struct rpc_sum *x = arg;
	struct store_sum *sum = x->sum;

	sum->profiles = (uint64_t)rpc_get_number(r);
	sum->series = (uint32_t)rpc_get_number(r);
	sum->instances = (uint32_t)rpc_get_number(r);
	sum->first_ns = rpc_get_number(r);
	sum->last_ns = rpc_get_number(r);
	sum->profiles_missing = (uint64_t)rpc_get_number(r);
	sum->is_damaged = rpc_get_number(r) != 0;
	sum->tiers = (unsigned)rpc_get_enum(r, (1 << N_TIERS) - 1);
	buf_addz(&sum->samples, rpc_get_text(r));
	buf_addz(&sum->builds, rpc_get_text(r));
	buf_addz(&sum->notes, rpc_get_text(r));
	return *x->p ? err_set(err, ERR_FORMAT, "the response of the collector has two profiles")
		     : rpc_get_profile(r, x->p, err);
}

static int rpc_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
		    struct store_sum *sum, struct err *err)
{
	struct profile *p = NULL;
	struct store_sum result = { 0 };
	struct rpc_sum x = { &p, &result };
	int rc = rpc_run(s, "read", q, stop, rpc_record_sum, &x, err);

	if (rc == 0 && !p)
		rc = err_set(err, ERR_FORMAT, "the response of the collector has no profile");
	if (rc < 0) {
		profile_free(p);
		store_sum_release(&result);
		return rc;
	}
	*out = p;
	*sum = result;
	return 0;
}

struct rpc_samples {
	struct buf *out;
	bool is_selected;
};

static int rpc_record_samples(struct rpc_reader *r, void *arg, struct err *err)
{
	struct rpc_samples *x = arg;

	(void)err;
	buf_addz(x->out, rpc_get_text(r));
	x->is_selected = rpc_get_number(r) != 0;
	return 0;
}

static int rpc_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err)
{
	struct rpc_samples x = { .out = out };
	int rc = rpc_run(s, "samples", q, NULL, rpc_record_samples, &x, err);

	return rc < 0 ? rc : x.is_selected;
}

/* A function of the caller, and its argument. */
struct rpc_caller {
	union {
		store_item_fn *item;
		store_profile_fn *profile;
		store_total_fn *total;
		store_increase_fn *increase;
		store_series_fn *series;
		store_mark_fn *mark;
		store_pin_fn *pin;
	};
	void *arg;
};

static struct store_item rpc_get_item(struct rpc_reader *r)
{
	struct store_item i = { 0 };

	for (int k = 0; k < 16; k++)
		i.id[k] = (uint8_t)rpc_get_number(r);
	i.service = rpc_get_text(r);
	i.kind = rpc_get_text(r);
	i.label = rpc_get_labels(r, &i.n_labels);
	i.start_ns = rpc_get_number(r);
	i.duration_ns = rpc_get_number(r);
	i.tier = (enum store_tier)rpc_get_enum(r, N_TIERS - 1);
	i.n_types = (uint32_t)rpc_get_count(r);
	i.type = rpc_get_texts(r, i.n_types);
	i.unit = rpc_get_texts(r, i.n_types);
	return i;
}

static int rpc_record_item(struct rpc_reader *r, void *arg, struct err *err)
{
	const struct rpc_caller *c = arg;
	struct store_item i = rpc_get_item(r);

	return r->is_bad ? 0 : c->item(c->arg, &i, err);
}

static int rpc_list(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
		    struct err *err)
{
	return rpc_run(s, "list", q, stop, rpc_record_item, &(struct rpc_caller){ .item = fn, .arg = arg }, err);
}

static int rpc_record_profile(struct rpc_reader *r, void *arg, struct err *err)
{
	const struct rpc_caller *c = arg;
	struct store_item i = rpc_get_item(r);
	struct profile *p;
	int rc = rpc_get_profile(r, &p, err);

	return rc < 0 ? rc : c->profile(c->arg, &i, p, err);
}

static int rpc_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn,
			    void *arg, struct err *err)
{
	return rpc_run(s, "profiles", q, stop, rpc_record_profile, &(struct rpc_caller){ .profile = fn, .arg = arg },
		       err);
}

static int rpc_record_total(struct rpc_reader *r, void *arg, struct err *err)
{
	const struct rpc_caller *c = arg;
	struct store_block_total t = { .service = rpc_get_text(r) };
	enum temporality *temporality;
	int64_t *total;

	t.kind = rpc_get_text(r);
	t.label = rpc_get_labels(r, &t.n_labels);
	t.t0 = rpc_get_number(r);
	t.t1 = rpc_get_number(r);
	t.profiles = (uint32_t)rpc_get_number(r);
	t.tier = (enum store_tier)rpc_get_enum(r, N_TIERS - 1);
	t.n_types = (uint32_t)rpc_get_count(r);
	t.type = rpc_get_texts(r, t.n_types);
	t.unit = rpc_get_texts(r, t.n_types);
	t.temporality = temporality = arena_alloc(r->memory, t.n_types + 1, sizeof(*temporality));
	t.total = total = arena_alloc(r->memory, t.n_types + 1, sizeof(*total));
	for (uint32_t i = 0; i < t.n_types; i++) {
		temporality[i] = (enum temporality)rpc_get_enum(r, TEMPORALITY_GAUGE);
		total[i] = rpc_get_number(r);
	}
	return r->is_bad ? 0 : c->total(c->arg, &t, err);
}

static int rpc_totals(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		      struct err *err)
{
	return rpc_run(s, "totals", q, stop, rpc_record_total, &(struct rpc_caller){ .total = fn, .arg = arg }, err);
}

static int rpc_record_increase(struct rpc_reader *r, void *arg, struct err *err)
{
	const struct rpc_caller *c = arg;
	struct store_increase i = { .kept = rpc_get_text(r) };

	(void)err;
	i.type = rpc_get_text(r);
	i.unit = rpc_get_text(r);
	i.time_ns = rpc_get_number(r);
	i.value = rpc_get_number(r);
	if (!r->is_bad)
		c->increase(c->arg, &i);
	return 0;
}

static int rpc_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			     void *arg, struct err *err)
{
	return rpc_run(s, "increases", q, stop, rpc_record_increase, &(struct rpc_caller){ .increase = fn, .arg = arg },
		       err);
}

static int rpc_record_series(struct rpc_reader *r, void *arg, struct err *err)
{
	const struct rpc_caller *c = arg;
	struct store_series s = { .service = rpc_get_text(r) };

	s.kind = rpc_get_text(r);
	s.label = rpc_get_labels(r, &s.n_labels);
	s.first_ns = rpc_get_number(r);
	s.last_ns = rpc_get_number(r);
	s.profiles = (uint64_t)rpc_get_number(r);
	return r->is_bad ? 0 : c->series(c->arg, &s, err);
}

static int rpc_each_series(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg,
			   struct err *err)
{
	return rpc_run(s, "series", q, NULL, rpc_record_series, &(struct rpc_caller){ .series = fn, .arg = arg }, err);
}

static int rpc_record_mark(struct rpc_reader *r, void *arg, struct err *err)
{
	const struct rpc_caller *c = arg;
	const char *const *text = rpc_get_texts(r, 4);
	struct store_mark m = { rpc_get_number(r), arena_strndup(r->memory, text[1], strlen(text[1])),
				arena_strndup(r->memory, text[2], strlen(text[2])),
				arena_strndup(r->memory, text[3], strlen(text[3])) };

	return r->is_bad ? 0 : c->mark(c->arg, text[0], &m, err);
}

static int rpc_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
			 void *arg, struct err *err)
{
	const struct store_query q = { .service = service, .is_pattern = is_pattern, .kind = kind };

	return rpc_run(s, "marks", &q, NULL, rpc_record_mark, &(struct rpc_caller){ .mark = fn, .arg = arg }, err);
}

static int rpc_record_pin(struct rpc_reader *r, void *arg, struct err *err)
{
	const struct rpc_caller *c = arg;
	struct store_pin_info p = { .name = rpc_get_text(r) };

	p.spec = rpc_get_text(r);
	p.made_ns = rpc_get_number(r);
	p.bytes = (uint64_t)rpc_get_number(r);
	return r->is_bad ? 0 : c->pin(c->arg, &p, err);
}

static int rpc_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	const struct store_query q = { .service = "*", .is_pattern = true };

	return rpc_run(s, "pins", &q, NULL, rpc_record_pin, &(struct rpc_caller){ .pin = fn, .arg = arg }, err);
}

static void rpc_close(struct store *store)
{
	struct rpc_store *s = (struct rpc_store *)store;

	buf_release(&store->damage);
	buf_release(&s->name);
	free(s->url);
	free(s);
}

static const struct store_backend rpc_backend = {
	.close = rpc_close,
	.read = rpc_read,
	.describe_samples = rpc_describe_samples,
	.list = rpc_list,
	.totals = rpc_totals,
	.each_increase = rpc_each_increase,
	.each_profile = rpc_each_profile,
	.each_series = rpc_each_series,
	.each_mark = rpc_each_mark,
	.each_pin = rpc_each_pin,
};

int rpc_store_open(const char *url, const struct fetch_options *options, struct store **out, struct err *err)
{
	struct url parsed;
	struct buf text = { 0 };
	struct rpc_store *s;
	int rc = url_parse(url, 0, &parsed, err);

	if (rc < 0)
		return rc;
	buf_addf(&text, "%s%s", url, ends_with(url, "/") ? "" : "/");
	s = mem_zalloc(1, sizeof(*s));
	s->store.backend = &rpc_backend;
	s->url = mem_strndup(buf_text(&text), text.len);
	url_add_redacted(&parsed, &s->name);
	url_release(&parsed);
	s->options = *options;
	s->options.stays_on_server = true;
	buf_release(&text);
	*out = &s->store;
	return 0;
}
