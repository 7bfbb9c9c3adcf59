/*
 * stored_labels.c - properties of the labels in a store, for cpa labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/stored_labels.h"

#include "base/mem.h"
#include "base/time.h"
#include "sources/stored.h"

#include <stdlib.h>
#include <string.h>

enum { DAYS_MAX = 31 };

static struct label_fact *stored_labels_fact(struct label_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->n; i++)
		if (strcmp(facts->fact[i].name, name) == 0)
			return &facts->fact[i];
	facts->fact = mem_grow(facts->fact, &facts->cap, facts->n + 1, sizeof(*facts->fact));
	facts->fact[facts->n] = (struct label_fact){ .name = mem_strndup(name, strlen(name)) };
	return &facts->fact[facts->n++];
}

void stored_labels_release(struct label_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		free((char *)(uintptr_t)facts->fact[i].name);
	free(facts->fact);
	*facts = (struct label_facts){ 0 };
}

/* ---- series ---- */

struct stored_labels_series {
	struct label_facts *facts;
	struct strtab *values; /* "NAME\0VALUE" */
};

static int stored_labels_add_series(void *arg, const struct store_series *s, struct err *err)
{
	struct stored_labels_series *x = arg;
	struct buf word = { 0 };

	(void)err;
	for (size_t i = 0; i < s->n_labels; i++) {
		struct label_fact *fact = stored_labels_fact(x->facts, s->label[i].name);
		uint32_t before = strtab_count(x->values);

		word.len = 0;
		buf_add(&word, s->label[i].name, strlen(s->label[i].name) + 1);
		buf_addz(&word, s->label[i].value);
		fact->is_series = true;
		fact->n_values += strtab_add(x->values, word.data, word.len) == before;
		x->facts->n_cut_series += strcmp(s->label[i].name, "labels_cut") == 0;
	}
	buf_release(&word);
	return 0;
}

/* The labels of all series of the service: a name of one of them is none of samples. */
static int stored_labels_read_series(const struct stored_source *s, struct label_facts *out, struct err *err)
{
	struct stored_labels_series x = { out, strtab_new() };
	struct store_query q = s->query;
	int rc;

	q.n_match = 0;
	rc = store_each_series(s->store, &q, stored_labels_add_series, &x, err);
	strtab_free(x.values);
	return rc;
}

/* ---- days ---- */

/* Raise the numbers of values of a day. */
static void stored_labels_add_day(const struct profile *p, struct label_facts *out)
{
	uint64_t *n = mem_zalloc(strtab_count(p->str), sizeof(*n));

	for (uint32_t l = 0; l < p->n_labels; l++)
		n[p->label_key[l]] += p->label_is_text[l];
	for (uint32_t l = 0; l < p->n_labels; l++) {
		str_id key = p->label_key[l];
		struct label_fact *fact;

		if (!n[key])
			continue;
		fact = stored_labels_fact(out, profile_text(p, key));
		fact->per_day = n[key] > fact->per_day ? n[key] : fact->per_day;
		n[key] = 0;
	}
	free(n);
}

static int stored_labels_count(void *arg, const struct store_item *item, struct err *err)
{
	(void)item, (void)err;
	++*(size_t *)arg;
	return 0;
}

static int stored_labels_read_days(const struct stored_source *s, struct stop *stop, struct label_facts *out,
				   struct err *err)
{
	struct store_query q = s->query;
	int64_t t0, t1, first;
	int rc = 0;

	if (!stored_span(s, stop, &t0, &t1))
		return 0;
	first = t1 - t0 > DAYS_MAX * NS_PER_DAY ? t1 - DAYS_MAX * NS_PER_DAY : t0;
	q.n_keep = 0;
	q.reduce = REDUCE_SUM;
	for (int64_t day = first; rc == 0 && day < t1; day = q.t1) {
		struct store_sum sum = { 0 };
		struct profile *p = NULL;
		size_t n = 0;

		q.t0 = day;
		q.t1 = day - day % NS_PER_DAY + NS_PER_DAY < t1 ? day - day % NS_PER_DAY + NS_PER_DAY : t1;
		rc = store_list(s->store, &q, stop, stored_labels_count, &n, err);
		if (rc < 0 || n == 0)
			continue;
		rc = store_read(s->store, &q, stop, &p, &sum, err);
		if (rc == 0)
			stored_labels_add_day(p, out);
		profile_free(p);
		store_sum_release(&sum);
	}
	return rc;
}

int stored_labels_read(const char *source, const struct query *q, struct label_facts *out, struct err *err)
{
	struct stored_source s;
	int rc = stored_open(source, q, &s, err);

	rc = rc < 0 ? rc : stored_labels_read_series(&s, out, err);
	rc = rc < 0 ? rc : stored_labels_read_days(&s, q->stop, out, err);
	stored_close(&s);
	return rc < 0 ? err_wrap(err, "%.300s", source) : 0;
}
