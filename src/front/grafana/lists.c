/*
 * lists.c - profile types, labels and series of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Labels of series come from the catalogue, sample types from the directories of segments. Labels of samples are known only to
 * profiles: those of one kind, of a named service, in the newest hour of the window are read.
 */
#include "config.h"

#include "front/grafana/grafana_int.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/strtab.h"
#include "base/time.h"

#include <stdlib.h>
#include <string.h>

/* A series, with one of its sample types if they were asked for. */
struct lists_series {
	const char *service, *kind;
	const struct store_label *label;
	size_t n_labels;
	int64_t last_ns;
	const struct pyro_type *type; /* NULL: not read */
};

/* Add a series to a list. Returns 0 or ERR_*. */
typedef int lists_fn(void *arg, const struct lists_series *s);

struct lists_walker {
	struct grafana_call *c;
	const struct grafana_selection *s;
	struct strtab *kinds; /* of the series */
	lists_fn *fn;
	void *arg;
	int64_t oldest_ms, newest_ms;
	bool has_data;
};

static int lists_add_series(void *arg, const struct store_series *s, struct err *err)
{
	struct lists_walker *w = arg;
	const struct lists_series series = { s->service, s->kind, s->label, s->n_labels, s->last_ns, NULL };

	(void)err;
	if (!w->c->reader->allows(w->c->reader->secret, s->service))
		return 0;
	strtab_addz(w->kinds, s->kind);
	if (!w->has_data || s->first_ns / NS_PER_MS < w->oldest_ms)
		w->oldest_ms = s->first_ns / NS_PER_MS;
	if (!w->has_data || s->last_ns / NS_PER_MS > w->newest_ms)
		w->newest_ms = s->last_ns / NS_PER_MS;
	w->has_data = true;
	return w->fn ? w->fn(w->arg, &series) : 0;
}

static int lists_add_types(void *arg, const struct store_block_total *t, struct err *err)
{
	struct lists_walker *w = arg;
	struct lists_series series = { t->service, t->kind, t->label, t->n_labels, t->t1, NULL };
	int rc = 0;

	(void)err;
	if (!w->c->reader->allows(w->c->reader->secret, t->service))
		return 0;
	for (uint32_t i = 0; rc == 0 && i < t->n_types; i++) {
		struct pyro_type type = pyro_make_type(t->kind, t->type[i], t->unit[i]);
		int matches = grafana_type_matches(w->c, w->s, &type);

		series.type = &type;
		rc = matches <= 0 ? matches : w->fn(w->arg, &series);
	}
	return rc;
}

/* Call fn for the series of a selection, or with types, for each of their sample types in each block. */
static int lists_each(struct lists_walker *w, bool with_types)
{
	struct grafana_call *c = w->c;
	lists_fn *fn = w->fn;
	int rc;

	w->kinds = strtab_new();
	if (with_types)
		w->fn = NULL;
	rc = store_each_series(c->store, &w->s->q, lists_add_series, w, &c->err);
	w->fn = fn;
	for (uint32_t i = 1; rc == 0 && with_types && i < strtab_count(w->kinds); i++) {
		struct store_query q = w->s->q;

		q.kind = strtab_text(w->kinds, i);
		rc = store_totals(c->store, &q, c->stop, lists_add_types, w, &c->err);
		if (rc < 0 && grafana_is_nothing(c, &q, rc))
			rc = 0;
	}
	strtab_free(w->kinds);
	return rc;
}

/* Walk the series of all selectors of a request. */
static int lists_each_matcher(struct grafana_call *c, bool with_types, lists_fn *fn, void *arg)
{
	const struct pyro_texts *m = &c->request.matchers;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < (m->n ? m->n : 1); i++) {
		struct grafana_selection s;
		struct lists_walker w = { .c = c, .s = &s, .fn = fn, .arg = arg };

		rc = grafana_select(c, &c->request, m->n ? m->item[i] : "", "", &s);
		rc = rc < 0 ? rc : lists_each(&w, with_types || s.n_about > 0);
		grafana_selection_release(&s);
	}
	return rc;
}

/* ---- sorted texts ---- */

static int lists_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The texts of a table but "", sorted. Owned by the caller. */
static const char **lists_sort(const struct strtab *t, size_t *n)
{
	const char **text = mem_alloc(strtab_count(t), sizeof(*text));

	*n = strtab_count(t) - 1;
	for (uint32_t i = 1; i < strtab_count(t); i++)
		text[i - 1] = strtab_text(t, i);
	if (*n)
		qsort(text, *n, sizeof(*text), lists_compare);
	return text;
}

static void lists_put_names(const struct strtab *t, struct buf *out)
{
	size_t n;
	const char **text = lists_sort(t, &n);

	for (size_t i = 0; i < n; i++)
		pyro_put_bytes(out, 1, text[i], strlen(text[i]));
	free(text);
}

/* ---- profile types ---- */

static int lists_note_type(void *arg, const struct lists_series *s)
{
	struct buf id = { 0 };

	pyro_add_id(s->type, &id);
	strtab_add(arg, buf_text(&id), id.len);
	buf_release(&id);
	return 0;
}

int grafana_profile_types(struct grafana_call *c)
{
	struct strtab *ids = strtab_new();
	int rc = lists_each_matcher(c, true, lists_note_type, ids);
	size_t n;
	const char **id = lists_sort(ids, &n);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		size_t mark = pyro_open(&c->out, 1);
		struct pyro_type t;

		rc = pyro_parse_id(id[i], c->request.memory, &t, &c->err);
		if (rc == 0) {
			pyro_put_text(&c->out, 1, id[i]);
			pyro_put_text(&c->out, 2, t.name);
			pyro_put_text(&c->out, 4, t.type);
			pyro_put_text(&c->out, 5, t.unit);
			pyro_put_text(&c->out, 6, t.period_type);
			pyro_put_text(&c->out, 7, t.period_unit);
		}
		pyro_close(&c->out, mark);
	}
	free(id);
	strtab_free(ids);
	return rc;
}

/* ---- labels of samples ---- */

struct lists_labels {
	struct grafana_call *c;
	struct strtab *found; /* names or values */
	const char *name;     /* label whose values are listed; NULL: names of labels */
};

/* The kind that a selector names; cpu if it names none. */
static const char *lists_kind(struct grafana_call *c, const struct grafana_selection *s)
{
	struct pyro_type t = { "process_cpu", "", "", "", "" };
	const char *kind;

	for (size_t i = 0; i < s->n_about; i++) {
		const struct label_match *m = &s->about[i];

		if (m->op == MATCH_EQUAL && strcmp(m->name, "__name__") == 0)
			t.name = m->value;
		else if (m->op == MATCH_EQUAL && strcmp(m->name, "__profile_type__") == 0)
			pyro_parse_id(m->value, c->request.memory, &t, NULL);
	}
	kind = pyro_kind_of_name(t.name);
	return kind ? kind : t.name;
}

static int lists_note_last(void *arg, const struct store_series *s, struct err *err)
{
	int64_t *last_ns = arg;

	(void)err;
	*last_ns = s->last_ns > *last_ns ? s->last_ns : *last_ns;
	return 0;
}

static void lists_note_samples(const struct profile *p, const char *name, struct strtab *found)
{
	for (uint32_t i = 0; i < p->n_labels; i++) {
		const char *key = profile_text(p, p->label_key[i]);

		if (!p->label_is_text[i])
			continue;
		if (!name)
			strtab_addz(found, key);
		else if (strcmp(key, name) == 0)
			strtab_addz(found, profile_text(p, p->label_text[i]));
	}
}

/* Add labels of samples of a service that the selector names. */
static int lists_read_samples(struct grafana_call *c, const char *selector, const char *name, struct strtab *found)
{
	struct grafana_selection s;
	struct store_sum sum = { 0 };
	struct profile *p = NULL;
	int64_t last_ns = 0;
	int rc = grafana_select(c, &c->request, selector, "", &s);

	if (rc == 0 && !s.q.is_pattern) {
		s.q.kind = lists_kind(c, &s);
		rc = store_each_series(c->store, &s.q, lists_note_last, &last_ns, &c->err);
		if (rc == 0 && last_ns > s.q.t0 + NS_PER_HOUR)
			s.q.t0 = last_ns - NS_PER_HOUR;
		if (rc == 0 && last_ns)
			rc = store_read(c->store, &s.q, c->stop, &p, &sum, &c->err);
		if (rc < 0 && grafana_is_nothing(c, &s.q, rc))
			rc = 0;
	}
	if (p)
		lists_note_samples(p, name, found);
	profile_free(p);
	store_sum_release(&sum);
	grafana_selection_release(&s);
	return rc;
}

/* ---- labels ---- */

static int lists_note_names(void *arg, const struct lists_series *s)
{
	for (size_t i = 0; i < s->n_labels; i++)
		strtab_addz(arg, s->label[i].name);
	return 0;
}

int grafana_label_names(struct grafana_call *c)
{
	static const char *const always[] = { "__name__", "__period_type__", "__period_unit__", "__profile_type__",
					      "__type__", "__unit__",        "service_name" };
	struct strtab *names = strtab_new();
	int rc = lists_each_matcher(c, false, lists_note_names, names);

	for (size_t i = 0; rc == 0 && i < c->request.matchers.n; i++)
		rc = lists_read_samples(c, c->request.matchers.item[i], NULL, names);
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		strtab_addz(names, always[i]);
	if (rc == 0)
		lists_put_names(names, &c->out);
	strtab_free(names);
	return rc;
}

/* The value of a label of a series; NULL if it has none. */
static const char *lists_value(const struct lists_series *s, const char *name, struct buf *scratch)
{
	const char *own = grafana_store_label(name);

	if (strcmp(own, "service") == 0)
		return s->service;
	for (size_t i = 0; i < s->n_labels; i++)
		if (strcmp(s->label[i].name, own) == 0)
			return s->label[i].value;
	return s->type ? grafana_type_label(s->type, name, scratch) : NULL;
}

static int lists_note_value(void *arg, const struct lists_series *s)
{
	struct lists_labels *l = arg;
	struct buf scratch = { 0 };
	const char *value = lists_value(s, l->name, &scratch);

	if (value)
		strtab_addz(l->found, value);
	buf_release(&scratch);
	return 0;
}

static bool lists_is_about_type(const char *name)
{
	static const struct pyro_type any = { "", "", "", "", "" };
	struct buf scratch = { 0 };
	bool yes = grafana_type_label(&any, name, &scratch) != NULL;

	buf_release(&scratch);
	return yes;
}

int grafana_label_values(struct grafana_call *c)
{
	struct lists_labels l = { .c = c, .found = strtab_new(), .name = c->request.name };
	bool is_about_type = lists_is_about_type(l.name);
	int rc = *l.name ? lists_each_matcher(c, is_about_type, lists_note_value, &l)
			 : grafana_refuse(c, GRAFANA_BAD, "the name of the label is missing");

	for (size_t i = 0; rc == 0 && !is_about_type && strtab_count(l.found) == 1 && i < c->request.matchers.n; i++)
		rc = lists_read_samples(c, c->request.matchers.item[i], l.name, l.found);
	if (rc == 0)
		lists_put_names(l.found, &c->out);
	strtab_free(l.found);
	return rc;
}

/* ---- series ---- */

struct lists_sets {
	struct grafana_call *c;
	const struct pyro_texts *names; /* of the labels in the result; none: all */
	struct strtab *sets;            /* encoded: the fields of a message Labels */
};

static int lists_compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct store_label *)a)->name, ((const struct store_label *)b)->name);
}

static void lists_put_label(struct buf *out, const char *name, const char *value)
{
	size_t mark = pyro_open(out, 1);

	pyro_put_text(out, 1, name);
	pyro_put_text(out, 2, value);
	pyro_close(out, mark);
}

/* All labels of a series, sorted by name. Returns their number. */
static size_t lists_all_labels(const struct lists_series *s, const char *id, struct store_label *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_labels; i++)
		out[n++] = s->label[i];
	out[n++] = (struct store_label){ "service_name", s->service };
	if (s->type) {
		out[n++] = (struct store_label){ "__name__", s->type->name };
		out[n++] = (struct store_label){ "__type__", s->type->type };
		out[n++] = (struct store_label){ "__unit__", s->type->unit };
		out[n++] = (struct store_label){ "__period_type__", s->type->period_type };
		out[n++] = (struct store_label){ "__period_unit__", s->type->period_unit };
		out[n++] = (struct store_label){ "__profile_type__", id };
	}
	qsort(out, n, sizeof(*out), lists_compare_labels);
	return n;
}

static int lists_note_set(void *arg, const struct lists_series *s)
{
	struct lists_sets *x = arg;
	struct buf set = { 0 }, id = { 0 };
	struct store_label *label = mem_alloc(s->n_labels + 8, sizeof(*label));
	size_t n;

	if (s->type)
		pyro_add_id(s->type, &id);
	n = lists_all_labels(s, buf_text(&id), label);
	for (size_t i = 0; i < n; i++) {
		bool is_wanted = x->names->n == 0;

		for (size_t k = 0; !is_wanted && k < x->names->n; k++)
			is_wanted = strcmp(x->names->item[k], label[i].name) == 0;
		if (is_wanted)
			lists_put_label(&set, label[i].name, label[i].value);
	}
	strtab_add(x->sets, buf_text(&set), set.len);
	free(label);
	buf_release(&set);
	buf_release(&id);
	return 0;
}

int grafana_series_sets(struct grafana_call *c)
{
	struct lists_sets x = { .c = c, .names = &c->request.label_names, .sets = strtab_new() };
	bool with_types = x.names->n == 0;
	int rc;

	for (size_t i = 0; i < x.names->n; i++)
		with_types |= lists_is_about_type(x.names->item[i]);
	rc = lists_each_matcher(c, with_types, lists_note_set, &x);
	for (uint32_t i = 1; rc == 0 && i < strtab_count(x.sets); i++)
		pyro_put_bytes(&c->out, 2, strtab_text(x.sets, i), strtab_len(x.sets, i));
	strtab_free(x.sets);
	return rc;
}

int grafana_stats(struct grafana_call *c)
{
	struct grafana_selection s;
	struct lists_walker w = { .c = c, .s = &s };
	int rc = grafana_select(c, &c->request, "", "", &s);

	rc = rc < 0 ? rc : lists_each(&w, false);
	if (rc == 0 && w.has_data) {
		pyro_put_int(&c->out, 1, 1);
		pyro_put_int(&c->out, 2, w.oldest_ms);
		pyro_put_int(&c->out, 3, w.newest_ms);
	}
	grafana_selection_release(&s);
	return rc;
}
