/*
 * store.c - reads a store through its backend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/store.h"

#include "base/time.h"
#include "profile/edit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void store_directory(const char *name, struct buf *out)
{
	const char *env = getenv("CPA_STORE"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (name && *name)
		buf_addz(out, name);
	else if (env && *env)
		buf_addz(out, env);
	else if (data && *data == '/')
		buf_addf(out, "%s/cpa/store", data);
	else
		buf_addf(out, "%s/.local/share/cpa/store", home ? home : "");
}

static const char *const store_tiers[N_TIERS] = { "raw", "10m", "1h", "1d" };

const char *store_tier_name(enum store_tier tier)
{
	return store_tiers[tier];
}

enum store_tier store_tier_parse(const char *name, size_t n)
{
	int tier = 0;

	while (tier < N_TIERS && (strlen(store_tiers[tier]) != n || memcmp(store_tiers[tier], name, n) != 0))
		tier++;
	return (enum store_tier)tier;
}

void store_add_tiers(unsigned tiers, struct buf *out)
{
	unsigned left = tiers ? tiers : 1;

	for (int t = N_TIERS - 1; t >= 0; t--) {
		if (!(left & 1U << t))
			continue;
		left &= ~(1U << t);
		buf_addf(out, "%s%s", store_tiers[t], !left ? "" : (left & (left - 1)) ? ", " : " and ");
	}
}

void store_close(struct store *s)
{
	if (s)
		s->backend->close(s);
}

const char *store_get_damage(const struct store *s)
{
	return s->damage.len ? s->damage.data : "";
}

int store_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
	       struct store_sum *sum, struct err *err)
{
	return s->backend->read(s, q, stop, out, sum, err);
}

int store_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err)
{
	return q->n_match ? s->backend->describe_samples(s, q, out, err) : 0;
}

int store_list(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	       struct err *err)
{
	return s->backend->list(s, q, stop, fn, arg, err);
}

int store_totals(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		 struct err *err)
{
	return s->backend->totals(s, q, stop, fn, arg, err);
}

int store_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			void *arg, struct err *err)
{
	return s->backend->each_increase(s, q, stop, fn, arg, err);
}

int store_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn, void *arg,
		       struct err *err)
{
	return s->backend->each_profile(s, q, stop, fn, arg, err);
}

int store_each_series(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg, struct err *err)
{
	return s->backend->each_series(s, q, fn, arg, err);
}

int store_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
		    void *arg, struct err *err)
{
	return s->backend->each_mark(s, service, is_pattern, kind, fn, arg, err);
}

int store_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	return s->backend->each_pin(s, fn, arg, err);
}

void store_sum_describe(const struct store_query *q, const struct store_sum *sum, struct buf *out)
{
	bool is_open = q->t0 == INT64_MIN || q->t1 == INT64_MAX;

	buf_addf(out, "store: %s/%s, ", q->service, q->kind);
	if (sum->profiles)
		buf_addf(out, "%" PRIu64 " ", sum->profiles);
	buf_addf(out, "profile%s of %" PRIu32 " instance%s, ", sum->profiles == 1 ? "" : "s", sum->instances,
		 sum->instances == 1 ? "" : "s");
	store_add_tiers(sum->tiers, out);
	buf_addz(out, ", ");
	if (*q->pin)
		buf_addf(out, "pin %s, ", q->pin);
	time_add_span(out, is_open ? sum->first_ns : q->t0, is_open ? sum->last_ns : q->t1);
	if (sum->samples.len)
		buf_addf(out, "; only samples with %s", buf_text(&sum->samples));
	if (sum->builds.len)
		buf_addf(out, "; %s", buf_text(&sum->builds));
	if (sum->profiles_missing)
		buf_addf(out, "; %" PRIu64 " scrape%s missing", sum->profiles_missing,
			 sum->profiles_missing == 1 ? "" : "s");
	if (sum->is_damaged)
		buf_addz(out, "; damaged parts are left out");
}

void store_sum_add_comments(const struct store_query *q, const struct store_sum *sum, struct profile *p)
{
	struct buf line = { 0 };

	store_sum_describe(q, sum, &line);
	profile_add_comment(p, buf_text(&line));
	for (const char *at = buf_text(&sum->notes); *at;) {
		size_t n = strcspn(at, "\n");

		line.len = 0;
		buf_add(&line, at, n);
		profile_add_comment(p, buf_text(&line));
		at += n + (at[n] == '\n');
	}
	buf_release(&line);
}

void store_sum_release(struct store_sum *s)
{
	buf_release(&s->samples);
	buf_release(&s->builds);
	buf_release(&s->notes);
	*s = (struct store_sum){ 0 };
}
