/*
 * increase.c - columns counted since the start of a process, as the increase since the profile before
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/increase.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/time.h"
#include "profile/temporality.h"
#include "store/local/format/dict.h"
#include "store/local/tier/tier.h"

#include <stdlib.h>
#include <string.h>

enum {
	DICT_BYTES_MIN = 16 << 20, /* memory of a dictionary from which on it is made again */
	SEED_HOURS = 25,           /* the age of a last profile that is looked up */
};

/* The series of a service, with their last profiles. */
struct increase_service {
	char *name;
	struct dict dict;
	struct stored *last; /* [dict.n_series]; row is NULL before the first profile */
	size_t n, cap;
	size_t renew_bytes; /* memory from which on the dictionary is made again from the last profiles */
};

struct sink_increases {
	struct increase_service *service; /* [n] */
	size_t n, cap;
	struct idtab by_name;
};

struct sink_increases *sink_increases_new(void)
{
	struct sink_increases *x = mem_zalloc(1, sizeof(*x));

	idtab_init(&x->by_name, 16);
	return x;
}

static void increase_release_service(struct increase_service *s)
{
	for (size_t i = 0; i < s->n; i++)
		dict_release_stored(&s->last[i]);
	free(s->last);
	dict_release(&s->dict);
}

void sink_increases_free(struct sink_increases *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++) {
		increase_release_service(&x->service[i]);
		free(x->service[i].name);
	}
	free(x->service);
	idtab_release(&x->by_name);
	free(x);
}

bool sink_is_cumulative(const struct profile *p)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		if (profile_temporality(p, t) == TEMPORALITY_CUMULATIVE)
			return true;
	return false;
}

static struct increase_service *increase_find_service(struct sink_increases *x, const char *name)
{
	uint64_t hash = hash_bytes(name, strlen(name));
	struct increase_service *s;
	uint32_t i;

	for (size_t pos = idtab_start(&x->by_name, hash); idtab_next(&x->by_name, hash, &pos, &i);)
		if (strcmp(x->service[i].name, name) == 0)
			return &x->service[i];
	x->service = mem_grow(x->service, &x->cap, x->n + 1, sizeof(*x->service));
	s = &x->service[x->n];
	*s = (struct increase_service){ .name = mem_strndup(name, strlen(name)), .renew_bytes = DICT_BYTES_MIN };
	dict_init(&s->dict);
	idtab_put(&x->by_name, hash, (uint32_t)x->n++);
	return s;
}

/* Rows of an earlier profile that a later one lacks, or whose counters fell, show that the process is another one. */
static bool increase_is_restart(const struct dict *d, const struct stored *before, const struct stored *now)
{
	const struct dict_meta *meta = &d->meta[now->meta];
	struct tier_process a = tier_find_process(d, &d->meta[before->meta]), b = tier_find_process(d, meta);
	uint32_t k = 0;

	if (before->n_columns != now->n_columns || d->meta[before->meta].same_types != meta->same_types ||
	    tier_is_other_process(&a, &b))
		return true;
	for (uint32_t i = 0; i < before->n; i++) {
		while (k < now->n && now->row[k] < before->row[i])
			k++;
		for (uint32_t t = 0; t < now->n_columns; t++) {
			bool has_it = k < now->n && now->row[k] == before->row[i];
			int64_t after = has_it ? now->value[(size_t)t * now->n + k] : 0;

			if (meta->temporality[t] == TEMPORALITY_CUMULATIVE &&
			    tier_fell(before->value[(size_t)t * before->n + i], after))
				return true;
		}
	}
	return false;
}

/* Replace counters by their increase; a fall by 1 is rounding. is_first: there is nothing to compare with, so they are 0. */
static void increase_subtract(const struct dict_meta *meta, const struct stored *before, bool is_first,
			      const struct stored *now, int64_t *value)
{
	for (uint32_t t = 0; t < now->n_columns; t++) {
		int64_t *column = value + (size_t)t * now->n;
		uint32_t k = 0;

		if (meta->temporality[t] != TEMPORALITY_CUMULATIVE)
			continue;
		if (is_first)
			memset(column, 0, now->n * sizeof(*column));
		for (uint32_t i = 0; before && i < now->n; i++) {
			int64_t base;

			while (k < before->n && before->row[k] < now->row[i])
				k++;
			if (k == before->n || before->row[k] != now->row[i])
				continue;
			base = before->value[(size_t)t * before->n + k];
			column[i] = column[i] > base ? column[i] - base : 0;
		}
	}
}

/* Drop rows whose values are all 0. */
static void increase_drop_zeros(struct stored *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		bool is_used = false;

		for (uint32_t t = 0; t < s->n_columns; t++)
			is_used |= s->value[(size_t)t * s->n + i] != 0;
		if (!is_used)
			continue;
		s->row[n] = s->row[i];
		for (uint32_t t = 0; t < s->n_columns; t++)
			s->value[(size_t)t * s->n + n] = s->value[(size_t)t * s->n + i];
		n++;
	}
	for (uint32_t t = 1; t < s->n_columns && n < s->n; t++)
		memmove(s->value + (size_t)t * n, s->value + (size_t)t * s->n, n * sizeof(*s->value));
	s->n = n;
}

/*
 * The increases of a profile, as a profile.
 *
 * last      the profile before it; NULL if there is none, and all counters are 0
 * restarts  the process is another one, whose counters began at 0
 */
static int increase_make(const struct dict *d, const struct stored *last, bool restarts, const struct stored *now,
			 struct profile **out, struct err *err)
{
	static const struct dict_profile_options options = { .place_mappings = true };
	size_t cells = (size_t)now->n * now->n_columns;
	struct stored s = *now;
	int rc;

	s.row = mem_alloc(now->n + 1, sizeof(*s.row));
	s.value = mem_alloc(cells + 1, sizeof(*s.value));
	if (now->n) {
		memcpy(s.row, now->row, now->n * sizeof(*s.row));
		memcpy(s.value, now->value, cells * sizeof(*s.value));
	}
	if (last && now->duration_ns == 0)
		s.duration_ns = now->start_ns - last->start_ns;
	increase_subtract(&d->meta[now->meta], restarts ? NULL : last, !last, now, s.value);
	increase_drop_zeros(&s);
	rc = dict_make_profile(d, &s, &options, out, err);
	free(s.row);
	free(s.value);
	return rc;
}

/* Copy the last profile of a series into another dictionary. */
static int increase_copy(const struct increase_service *from, uint32_t i, struct increase_service *to, struct err *err)
{
	static const struct dict_profile_options options = { .place_mappings = true };
	struct profile *p;
	int rc = dict_make_profile(&from->dict, &from->last[i], &options, &p, err);

	if (rc < 0)
		return rc;
	rc = dict_add_profile(&to->dict, p, &to->last[i], err);
	profile_free(p);
	return rc;
}

/* Make the dictionary again from the last profiles, when most of it is no longer used. */
static int increase_renew(struct increase_service *s, struct err *err)
{
	struct increase_service fresh = { .name = s->name, .n = s->n, .cap = s->n + 1 };
	struct dict_translation *t;
	int rc = 0;

	if (s->dict.memory < s->renew_bytes)
		return 0;
	dict_init(&fresh.dict);
	fresh.last = mem_zalloc(s->n + 1, sizeof(*fresh.last));
	t = dict_translation_new(&fresh.dict, &s->dict);
	for (uint32_t i = 0; rc == 0 && i < s->n; i++) { /* in the same order, so series keep their numbers */
		uint32_t series;

		rc = dict_translate_series(t, i, &series, err);
		if (rc == 0 && s->last[i].row)
			rc = increase_copy(s, i, &fresh, err);
	}
	dict_translation_free(t);
	if (rc < 0) {
		increase_release_service(&fresh);
		return rc;
	}
	increase_release_service(s);
	*s = fresh;
	s->renew_bytes = 2 * s->dict.memory > DICT_BYTES_MIN ? 2 * s->dict.memory : DICT_BYTES_MIN;
	return 0;
}

/* The series of an item; it is added if it is new. Fails with ERR_LIMIT. */
static int increase_find_series(struct increase_service *s, const struct sink_item *item, uint32_t *series,
				struct err *err)
{
	int rc = dict_add_series(&s->dict, item->service, item->kind, item->label, item->n_labels, series, err);

	if (rc < 0 || *series < s->n)
		return rc;
	s->last = mem_grow(s->last, &s->cap, *series + 1, sizeof(*s->last));
	memset(&s->last[s->n], 0, (*series + 1 - s->n) * sizeof(*s->last));
	s->n = *series + 1;
	return 0;
}

void sink_increases_seed(struct sink_increases *x, const struct sink_item *item, struct store *s, struct stop *stop)
{
	struct increase_service *service = increase_find_service(x, item->service);
	struct store_query q = { .service = item->service,
				 .kind = item->kind,
				 .n_match = item->n_labels,
				 .t0 = item->start_ns - SEED_HOURS * NS_PER_HOUR,
				 .t1 = item->start_ns,
				 .reduce = REDUCE_LAST };
	struct sink_item before = *item;
	struct store_sum sum = { 0 };
	struct label_match *match;
	struct profile *p = NULL;
	struct err ignored;
	uint32_t series;

	if (increase_find_series(service, item, &series, &ignored) < 0 || service->last[series].row)
		return;
	q.match = match = mem_zalloc(item->n_labels + 1, sizeof(*match));
	for (size_t i = 0; i < item->n_labels; i++)
		match[i] = (struct label_match){ .op = MATCH_EQUAL,
						 .name = item->label[i].name,
						 .value = item->label[i].value };
	if (store_read(s, &q, stop, &p, &sum, &ignored) == 0 && sum.series == 1) {
		before.profile = p;
		before.start_ns = sum.last_ns;
		sink_increases_apply(x, &before, NULL, &ignored);
	}
	profile_free(p);
	store_sum_release(&sum);
	free(match);
}

int sink_increases_apply(struct sink_increases *x, const struct sink_item *item, struct profile **out, struct err *err)
{
	struct increase_service *s = increase_find_service(x, item->service);
	struct stored now, *last;
	uint32_t series;
	bool is_first, is_old;
	int rc = increase_renew(s, err);

	if (rc == 0)
		rc = increase_find_series(s, item, &series, err);
	if (rc == 0)
		rc = dict_add_profile(&s->dict, item->profile, &now, err);
	if (rc < 0)
		return rc;
	now.start_ns = item->start_ns;
	now.duration_ns = item->duration_ns;
	now.series = series;
	last = &s->last[series];
	is_old = last->row && now.start_ns < last->start_ns;
	is_first = !last->row || is_old;
	if (out)
		rc = increase_make(&s->dict, is_first ? NULL : last,
				   !is_first && increase_is_restart(&s->dict, last, &now), &now, out, err);
	dict_release_stored(is_old ? &now : last);
	if (!is_old)
		*last = now;
	return rc < 0 ? rc : is_first;
}
