/*
 * sum.c - one profile of the sums that servers of profiles return, which have one sample type each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/pyroscope/sum.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "profile/temporality.h"
#include "store/instance.h"

#include <stdlib.h>
#include <string.h>

/* ---- series ---- */

void pyro_sets_init(struct pyro_sets *s)
{
	*s = (struct pyro_sets){ .memory = arena_new(), .seen = strtab_new() };
}

void pyro_sets_release(struct pyro_sets *s)
{
	free(s->column);
	free(s->set);
	strtab_free(s->seen);
	arena_free(s->memory);
	*s = (struct pyro_sets){ 0 };
}

void pyro_sets_add_column(struct pyro_sets *s, const char *id, const char *type, const char *unit, bool is_delta)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (strcmp(s->column[i].id, id) == 0)
			return;
	s->column = mem_grow(s->column, &s->cap_columns, s->n_columns + 1, sizeof(*s->column));
	s->column[s->n_columns++] = (struct pyro_column){ id, type, unit, is_delta };
}

/* "samples" is the first type, as in profiles of Go; then by name and unit. */
static int sum_compare_columns(const void *a, const void *b)
{
	const struct pyro_column *x = a, *y = b;
	bool is_first = strcmp(x->type, "samples") == 0;
	int order;

	if (is_first != (strcmp(y->type, "samples") == 0))
		return is_first ? -1 : 1;
	order = strcmp(x->type, y->type);
	order = order ? order : strcmp(x->unit, y->unit);
	return order ? order : strcmp(x->id, y->id);
}

void pyro_sets_sort(struct pyro_sets *s)
{
	if (s->n_columns)
		qsort(s->column, s->n_columns, sizeof(*s->column), sum_compare_columns);
}

static int sum_compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct store_label *)a)->name, ((const struct store_label *)b)->name);
}

static void sum_add_word(struct buf *out, const char *word)
{
	buf_add(out, word, strlen(word) + 1);
}

void pyro_sets_add(struct pyro_sets *s, const char *kind, const char *service_label, const struct store_label *label,
		   size_t n)
{
	struct store_label *own = arena_alloc(s->memory, n + 1, sizeof(*own));
	struct pyro_set set = { "", kind, own, 0 };
	struct buf key = { 0 };
	str_id before = strtab_count(s->seen);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(label[i].name, service_label) == 0)
			set.service = label[i].value;
		else if (!starts_with(label[i].name, "__"))
			own[set.n_labels++] = label[i];
	}
	if (set.n_labels)
		qsort(own, set.n_labels, sizeof(*own), sum_compare_labels);
	sum_add_word(&key, set.service);
	sum_add_word(&key, kind);
	for (size_t i = 0; i < set.n_labels; i++) {
		sum_add_word(&key, own[i].name);
		sum_add_word(&key, own[i].value);
	}
	if (strtab_add(s->seen, key.data, key.len) >= before) {
		s->set = mem_grow(s->set, &s->cap_sets, s->n_sets + 1, sizeof(*s->set));
		s->set[s->n_sets++] = set;
	}
	buf_release(&key);
}

const struct store_label *pyro_keep_of(const struct store_query *q, const struct pyro_set *set, struct arena *mem)
{
	struct store_label *keep = arena_alloc(mem, q->n_keep, sizeof(*keep));

	for (size_t i = 0; i < q->n_keep; i++) {
		keep[i] = (struct store_label){ q->keep[i], strcmp(q->keep[i], "service") == 0 ? set->service : "" };
		for (size_t k = 0; k < set->n_labels; k++)
			if (strcmp(set->label[k].name, keep[i].name) == 0)
				keep[i].value = set->label[k].value;
	}
	return keep;
}

bool pyro_is_gauge(const char *type, const char *unit)
{
	struct strtab *str = strtab_new();
	struct value_type own = { strtab_addz(str, type), strtab_addz(str, unit) };
	const struct profile p = { .str = str, .n_types = 1, .type = &own };
	bool yes = profile_temporality(&p, 0) == TEMPORALITY_GAUGE;

	strtab_free(str);
	return yes;
}

/* ---- sums ---- */

int pyro_check_query(const struct store_query *q, const char *system, struct err *err)
{
	if (q->pin && *q->pin)
		return err_set(err, ERR_USAGE, "%s has no pins", system);
	if (q->tier != TIER_RAW)
		return err_set(err, ERR_USAGE, "%s has no tiers; leave out +tier", system);
	if (q->limit)
		return err_set(err, ERR_USAGE, "%s has sums only, not single profiles; leave out +limit", system);
	if (q->reduce != REDUCE_DEFAULT && q->reduce != REDUCE_SUM && q->reduce != REDUCE_INCREASE)
		return err_set(err, ERR_USAGE, "%s adds up profiles; of +reduce only sum and increase are possible",
			       system);
	return 0;
}

void pyro_sum_init(struct pyro_sum *s, const struct store_query *q, const char *system, const char *server,
		   struct stop *stop)
{
	*s = (struct pyro_sum){ .q = q, .system = system, .server = server, .stop = stop };
}

void pyro_sum_release(struct pyro_sum *s)
{
	merger_free(s->merger);
	profile_free(s->first);
	for (size_t i = 0; i < s->n_parts; i++)
		profile_free(s->part[i]);
	free(s->part);
	buf_release(&s->snapshots);
	*s = (struct pyro_sum){ 0 };
}

/* Merge a profile with those before it, if there are any. Takes it over. */
static int sum_merge(struct pyro_sum *s, struct profile *p, struct err *err)
{
	const struct profile *one[1] = { s->first };
	int rc = 0;

	if (!s->first && !s->merger) {
		s->first = p;
		return 0;
	}
	if (!s->merger) {
		s->merger = merger_new(false);
		merger_set_stop(s->merger, s->stop);
		rc = merger_add(s->merger, one, NULL, 1, err);
		profile_free(s->first);
		s->first = NULL;
	}
	one[0] = p;
	rc = rc < 0 ? rc : merger_add(s->merger, one, NULL, 1, err);
	profile_free(p);
	return rc;
}

int pyro_sum_add(struct pyro_sum *s, struct profile *p, const struct store_label *keep, struct err *err)
{
	int rc = 0;

	if (p->n_rows == 0) {
		profile_free(p);
		return 0;
	}
	if (p->n_types != 1)
		rc = err_set(err, ERR_FORMAT, "%s: the response has %u sample types instead of one", s->server,
			     p->n_types);
	for (size_t i = 0; rc == 0 && keep && i < s->q->n_keep; i++)
		if (*keep[i].value)
			rc = profile_set_label(p, s->q->keep[i], keep[i].value, err);
	if (rc == 0)
		return sum_merge(s, p, err);
	profile_free(p);
	return rc;
}

void pyro_sum_end(struct pyro_sum *s, const char *type, bool is_snapshots)
{
	struct profile *p = s->merger ? merger_finish(s->merger) : s->first;

	merger_free(s->merger);
	s->merger = NULL;
	s->first = NULL;
	if (!p)
		return;
	if (s->q->reduce != REDUCE_SUM && (is_snapshots || profile_temporality(p, 0) == TEMPORALITY_GAUGE)) {
		buf_addf(&s->snapshots, "%s%s", s->snapshots.len ? ", " : "", type);
		profile_free(p);
		return;
	}
	s->part = mem_grow(s->part, &s->cap_parts, s->n_parts + 1, sizeof(struct profile *));
	s->part[s->n_parts++] = p;
}

/* Give a profile with one sample type those of all parts, with values of 0. */
static void sum_widen(const struct pyro_sum *s, size_t own)
{
	struct profile *p = s->part[own];
	struct value_type *type = arena_alloc(p->mem, s->n_parts, sizeof(*type));
	int64_t **value = arena_alloc(p->mem, s->n_parts, sizeof(*value));

	for (size_t i = 0; i < s->n_parts; i++) {
		const struct profile *from = s->part[i];
		const struct value_type *t = &from->type[i < own ? i : 0]; /* those before own are wide already */

		type[i].name = strtab_addz(p->str, profile_text(from, t->name));
		type[i].unit = strtab_addz(p->str, profile_text(from, t->unit));
		value[i] = i == own ? p->value[0] : arena_zalloc(p->mem, p->n_rows, sizeof(**value));
	}
	p->n_types = (uint32_t)s->n_parts;
	p->type = type;
	p->value = value;
	p->meta.default_type = 0;
}

static int sum_fail_empty(const struct pyro_sum *s, struct err *err)
{
	struct buf span = { 0 };
	int rc;

	if (s->snapshots.len)
		return err_set(
			err, ERR_USAGE,
			"%s: %s adds up all snapshots, which is no mean and no increase; +reduce=sum reads the sum",
			buf_text(&s->snapshots), s->system);
	time_add_span(&span, s->q->t0, s->q->t1);
	rc = err_set(err, ERR_IO, "nothing of %s/%s in %s on %s", s->q->service, s->q->kind, buf_text(&span),
		     s->server);
	buf_release(&span);
	return rc;
}

int pyro_sum_finish(struct pyro_sum *s, struct profile **out, struct err *err)
{
	struct profile_meta meta;
	int rc;

	if (s->n_parts == 0)
		return sum_fail_empty(s, err);
	if (s->n_parts == 1) {
		*out = s->part[0];
		s->n_parts = 0;
		return 0;
	}
	meta = s->part[0]->meta;
	for (size_t i = 0; i < s->n_parts; i++)
		sum_widen(s, i);
	rc = profile_merge((const struct profile *const *)s->part, s->n_parts, NULL, out, err);
	if (rc == 0) {
		(*out)->meta.time_ns = meta.time_ns;
		(*out)->meta.duration_ns = meta.duration_ns; /* not once per sample type */
	}
	return rc;
}

/* The place where a series comes from: the value of a usual label, else all labels, of which some may be of samples. */
static void sum_name_instance(const struct pyro_set *set, struct buf *name)
{
	static const char *const labels[] = { "instance", "pod", "hostname", "host" };

	instance_begin(name, set->service);
	for (size_t l = 0; l < sizeof(labels) / sizeof(labels[0]); l++)
		for (size_t k = 0; k < set->n_labels; k++)
			if (strcmp(set->label[k].name, labels[l]) == 0) {
				instance_add(name, labels[l], set->label[k].value);
				return;
			}
	for (size_t k = 0; k < set->n_labels; k++)
		instance_add(name, set->label[k].name, set->label[k].value);
}

void pyro_sum_describe(const struct pyro_sum *s, const struct pyro_sets *sets, const struct pyro_span *span,
		       struct store_sum *out)
{
	struct strtab *instances = strtab_new();
	struct buf name = { 0 };

	for (size_t i = 0; i < sets->n_sets; i++) {
		sum_name_instance(&sets->set[i], &name);
		strtab_add(instances, name.data, name.len);
	}
	*out = (struct store_sum){ .series = (uint32_t)sets->n_sets,
				   .instances = strtab_count(instances) - 1,
				   .first_ns = span->start_ms * NS_PER_MS,
				   .last_ns = span->end_ms * NS_PER_MS,
				   .tiers = 1U << TIER_RAW };
	if (s->snapshots.len)
		buf_addf(&out->notes, "store: %s left out: %s adds up all snapshots; +reduce=sum reads the sum\n",
			 buf_text(&s->snapshots), s->system);
	strtab_free(instances);
	buf_release(&name);
}
