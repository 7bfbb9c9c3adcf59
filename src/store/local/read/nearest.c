/*
 * nearest.c - why a query found nothing
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/read/local.h"
#include "store/local/read/select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 8, BESIDE_MAX = 1024, LABEL_CHAPTERS_MAX = 64, VALUES_MAX = 1000 };

/* Distinct names. */
struct nearest_names {
	char **name;
	size_t n, cap;
};

static void nearest_add_name(struct nearest_names *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->name[i], name) == 0)
			return;
	list->name = mem_grow(list->name, &list->cap, list->n + 1, sizeof(*list->name));
	list->name[list->n++] = mem_strndup(name, strlen(name));
}

static int nearest_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_release(struct nearest_names *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->name[i]);
	free(list->name);
}

static bool nearest_is_similar(const char *a, const char *b)
{
	size_t n = strlen(a);

	return *a && (strstr(b, a) || strstr(a, b) || utf8_distance(a, b) <= (n < 4 ? 1 : 1 + n / 4));
}

/* Append the names, or only those similar to a word if there are any. */
static void nearest_add_names(struct buf *out, struct nearest_names *list, const char *word)
{
	size_t shown = 0, similar = 0;

	if (list->n)
		qsort(list->name, list->n, sizeof(*list->name), nearest_compare_names);
	for (size_t i = 0; i < list->n; i++)
		similar += nearest_is_similar(word, list->name[i]);
	for (size_t i = 0; i < list->n && shown < NAMES_MAX; i++)
		if (!similar || nearest_is_similar(word, list->name[i]))
			buf_addf(out, "%s%s", shown++ ? ", " : "", list->name[i]);
	if (shown < (similar ? similar : list->n))
		buf_addz(out, " ...");
}

static int add_service(void *arg, const char *service, struct err *err)
{
	(void)err;
	nearest_add_name(arg, service);
	return 0;
}

/* The chapters of journals of some services. */
static int nearest_open_journals(struct store *s, const char *service, bool is_pattern, struct selection *sel,
				 struct err *err)
{
	/* a window that no segment meets */
	struct store_query q = { .service = service, .is_pattern = is_pattern, .t0 = INT64_MAX, .t1 = INT64_MIN };

	return select_open(s, &q, sel, err);
}

static int nearest_add_service_of(void *list, const struct catalogue_series *series, struct err *err)
{
	return add_service(list, series->service, err);
}

static int nearest_list_services(struct store *s, struct nearest_names *list, struct err *err)
{
	const struct catalogue_query all = { NULL, false, INT64_MIN, INT64_MAX };
	struct selection sel;
	int rc = nearest_open_journals(s, NULL, false, &sel, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sel.n; i++)
		if (*sel.chapter[i].service)
			nearest_add_name(list, sel.chapter[i].service);
	select_close(&sel);
	if (local_of(s)->source)
		return local_find_series(s, &all, "", nearest_add_service_of, list, err);
	rc = catalogue_read_begin(local_of(s)->catalogue, err);
	if (rc == 0) {
		rc = catalogue_each_service(local_of(s)->catalogue, add_service, list, err);
		catalogue_read_end(local_of(s)->catalogue);
	}
	return rc;
}

/* --- the nearest profile --- */

/* Kinds, labels and times of the services of a query. */
struct nearest_search {
	const struct store_query *q;
	struct nearest_names kinds, labels; /* kinds; labels of the query that exclude a series */
	bool has_kind, has_series, has_before, has_after;
	int64_t before, after;
};

/* A series: its labels are those of a chapter or of the catalogue. */
struct nearest_candidate {
	const char *service, *kind;
	const struct store_label *label;
	size_t n_labels;
};

static const char *nearest_label_of(const struct nearest_candidate *c, const char *name)
{
	for (size_t i = 0; i < c->n_labels; i++)
		if (strcmp(c->label[i].name, name) == 0)
			return c->label[i].value;
	if (strcmp(name, "service") == 0)
		return c->service;
	return strcmp(name, "kind") == 0 ? c->kind : "";
}

static int nearest_add_candidate(struct nearest_search *x, const struct nearest_candidate *c, struct err *err)
{
	bool has_all = true;

	nearest_add_name(&x->kinds, c->kind);
	if (x->q->kind && *x->q->kind && strcmp(x->q->kind, c->kind) != 0)
		return 0;
	x->has_kind = true;
	for (size_t i = 0; i < x->q->n_match; i++) {
		int rc = select_match(&x->q->match[i], nearest_label_of(c, x->q->match[i].name), err);

		if (rc < 0)
			return rc;
		if (rc == 0)
			nearest_add_name(&x->labels, x->q->match[i].name);
		has_all &= rc > 0;
	}
	x->has_series |= has_all;
	return 0;
}

static int add_stored_series(void *arg, const struct catalogue_series *s, struct err *err)
{
	struct nearest_candidate c = { s->service, s->kind, s->label, s->n_labels };

	return nearest_add_candidate(arg, &c, err);
}

static int nearest_add_new_series(struct nearest_search *x, const struct chapter *ch, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ch->dict.n_series; i++) {
		const struct dict_series *s = &ch->dict.series[i];
		struct store_label *label = mem_alloc((size_t)s->n_labels + 1, sizeof(*label));
		struct nearest_candidate c = { ch->service, strtab_text(ch->dict.str, s->kind), label, s->n_labels };

		for (uint32_t k = 0; k < s->n_labels; k++)
			label[k] = (struct store_label){ strtab_text(ch->dict.str, s->name[k]),
							 strtab_text(ch->dict.str, s->value[k]) };
		rc = nearest_add_candidate(x, &c, err);
		free(label);
	}
	return rc;
}

/* Find the kinds and series of the services: those of journals, then those of the catalogue. */
static int search_series(struct store *s, struct nearest_search *x, struct err *err)
{
	struct catalogue_query cq = { x->q->service, x->q->is_pattern, INT64_MIN, INT64_MAX };
	struct selection sel;
	int rc = nearest_open_journals(s, x->q->service, x->q->is_pattern, &sel, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < sel.n; i++) {
		struct chapter *c = NULL;

		if (select_read(&sel.chapter[i], &c, NULL) == 0)
			rc = nearest_add_new_series(x, c, err);
		select_release(&sel.chapter[i], c);
	}
	select_close(&sel);
	return rc < 0 ? rc : local_find_series(s, &cq, "", add_stored_series, x, err);
}

static void nearest_add_time(struct nearest_search *x, int64_t t)
{
	if (t < x->q->t0 && (!x->has_before || t > x->before)) {
		x->has_before = true;
		x->before = t;
	}
	if (t >= x->q->t1 && (!x->has_after || t < x->after)) {
		x->has_after = true;
		x->after = t;
	}
}

/* Add the times of a block. Those between its ends matter only if the window is inside the block. */
static int nearest_add_block(struct nearest_search *x, const struct chapter *c, uint32_t i, struct err *err)
{
	const struct block_entry *e = &c->block[i];
	struct buf buffer = { 0 };
	struct block b;
	int rc;

	nearest_add_time(x, e->t0);
	nearest_add_time(x, e->t1);
	if (e->t1 < x->q->t0 || e->t0 >= x->q->t1)
		return 0;
	rc = chapter_open_block(c, i, &buffer, &b, err);
	if (rc == 0) {
		for (uint32_t k = 0; k < b.n; k++)
			nearest_add_time(x, b.start_ns[k]);
		block_release(&b);
	}
	buf_release(&buffer);
	return rc;
}

static int search_chapter(struct nearest_search *x, const struct chapter *c, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc >= 0 && i < c->n_blocks; i++) {
		rc = select_series(x->q, c, &c->dict.series[c->block[i].series], err);
		if (rc > 0)
			rc = nearest_add_block(x, c, i, err);
	}
	return rc < 0 ? rc : 0;
}

/* Search chapters until the next is farther away than what was found. Damaged ones are ignored. */
static int search_selection(struct nearest_search *x, const struct selection *sel, bool is_beside, bool after,
			    struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sel->n; i++) {
		const struct select_chapter *from = &sel->chapter[i];
		struct chapter *c = NULL;

		if (is_beside && !after && x->has_before && from->t1 <= x->before)
			break;
		if (is_beside && after && x->has_after && from->t0 >= x->after)
			break;
		rc = select_read(from, &c, err);
		if (rc == 0)
			rc = search_chapter(x, c, err);
		select_release(from, c);
		if (rc == ERR_FORMAT || rc == ERR_IO)
			rc = 0;
	}
	return rc;
}

static int search_beside(struct store *s, struct nearest_search *x, bool after, struct err *err)
{
	struct selection sel;
	int rc = select_beside(s, x->q, after, BESIDE_MAX, &sel, err);

	if (rc < 0)
		return rc;
	rc = search_selection(x, &sel, true, after, err);
	select_close(&sel);
	return rc;
}

static int search_all(struct store *s, struct nearest_search *x, struct err *err)
{
	struct selection sel;
	int rc = select_open(s, x->q, &sel, err); /* the window, which has other kinds or labels, and the journals */

	if (rc < 0)
		return rc;
	rc = search_selection(x, &sel, false, false, err);
	select_close(&sel);
	if (rc == 0)
		rc = search_beside(s, x, false, err);
	if (rc == 0 && !x->has_before)
		rc = search_beside(s, x, true, err);
	return rc;
}

/* --- the message --- */

static void nearest_add_source(struct buf *out, const struct store_query *q)
{
	buf_addz(out, q->service ? q->service : "any service");
	if (q->kind && *q->kind && strcmp(q->kind, "cpu") != 0)
		buf_addf(out, "/%s", q->kind);
}

static int window_error(const struct nearest_search *x, struct err *err)
{
	const struct store_query *q = x->q;
	struct buf text = { 0 };

	buf_addz(&text, "nothing of ");
	nearest_add_source(&text, q);
	if (q->n_match)
		buf_addz(&text, " with these labels");
	if (q->t0 > INT64_MIN && q->t1 < INT64_MAX) {
		buf_addz(&text, " in ");
		select_print_span(q->t0, q->t1, &text);
	}
	if (x->has_before || x->has_after) {
		buf_addf(&text, "; the %s profile %s it is of ", x->has_before ? "last" : "first",
			 x->has_before ? "before" : "after");
		select_print_time(x->has_before ? x->before : x->after, &text);
	}
	err_set(err, ERR_IO, "%s", text.data);
	buf_release(&text);
	return ERR_IO;
}

/* "nothing of SOURCE; WHAT NAME, NAME" */
static int names_error(const struct store_query *q, const char *what, struct nearest_names *list, const char *word,
		       struct err *err)
{
	struct buf text = { 0 };

	buf_addz(&text, "nothing of ");
	nearest_add_source(&text, q);
	buf_addf(&text, "; %s", what);
	if (list)
		nearest_add_names(&text, list, word);
	err_set(err, ERR_IO, "%s", text.data);
	buf_release(&text);
	return ERR_IO;
}

/* --- labels of samples --- */

/* Labels of series and samples; values of one label of samples. */
struct nearest_labels {
	const char *wanted;
	struct nearest_names names, values;
	bool is_found; /* do samples have the label? */
};

static void nearest_add_value(struct nearest_labels *x, const struct dict *d, uint32_t label)
{
	struct buf digits = { 0 };

	x->is_found = true;
	buf_addf(&digits, "%" PRId64, d->label_num[label]);
	if (x->values.n < VALUES_MAX)
		nearest_add_name(&x->values, d->label_is_text[label] ? strtab_text(d->str, d->label_text[label])
								     : buf_text(&digits));
	buf_release(&digits);
}

static void nearest_add_labels(struct nearest_labels *x, const struct chapter *c)
{
	const struct dict *d = &c->dict;

	for (uint32_t i = 0; i < d->n_labels; i++) {
		const char *name = strtab_text(d->str, d->label_key[i]);

		nearest_add_name(&x->names, name);
		if (strcmp(name, x->wanted) == 0)
			nearest_add_value(x, d, i);
	}
	for (uint32_t i = 0; i < d->n_series; i++)
		for (uint32_t k = 0; k < d->series[i].n_labels; k++)
			nearest_add_name(&x->names, strtab_text(d->str, d->series[i].name[k]));
}

static void nearest_take_label(void *arg, const char *name, const char *value)
{
	struct nearest_labels *x = arg;

	nearest_add_name(&x->names, name);
	x->is_found |= strcmp(name, x->wanted) == 0;
	if (value)
		nearest_add_name(&x->values, value);
}

static int nearest_take_series(void *arg, const struct catalogue_series *s, struct err *err)
{
	struct nearest_labels *x = arg;

	(void)err;
	for (size_t k = 0; k < s->n_labels; k++)
		nearest_add_name(&x->names, s->label[k].name);
	return 0;
}

/* The labels of a store that is not in a directory. */
static int nearest_ask_labels(struct store *s, const struct store_query *q, struct nearest_labels *x, struct err *err)
{
	const struct catalogue_query all = { q->service, q->is_pattern, INT64_MIN, INT64_MAX };
	int rc = local_of(s)->source->each_label(s, q, x->wanted, nearest_take_label, x, err);

	return rc < 0 ? rc : local_find_series(s, &all, "", nearest_take_series, x, err);
}

/* Read the labels of up to max chapters of a query, newest first, until there is the wanted one. */
static int nearest_read_labels(struct store *s, const struct store_query *q, size_t max, struct nearest_labels *x,
			       struct err *err)
{
	struct selection sel;
	int rc;

	if (local_of(s)->source)
		return nearest_ask_labels(s, q, x, err);
	rc = select_open(s, q, &sel, err);
	for (size_t i = 0; rc == 0 && i < sel.n && i < max && !x->is_found; i++) {
		const struct select_chapter *from = &sel.chapter[sel.n - 1 - i];
		struct chapter *c = NULL;

		if (select_read(from, &c, NULL) == 0)
			nearest_add_labels(x, c);
		select_release(from, c);
	}
	if (rc == 0)
		select_close(&sel);
	return rc;
}

/* The error of a condition on a label that does not exist; 0 if it leaves nothing out, as route!=x does. */
static int missing_label_error(const struct store_query *q, const struct label_match *m, struct nearest_labels *x,
			       struct err *err)
{
	struct buf text = { 0 };
	int rc = select_match(m, "", err);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	buf_addz(&text, "nothing of ");
	nearest_add_source(&text, q);
	buf_addf(&text, "; neither a series nor a sample has a label %s", m->name);
	buf_addz(&text, x->names.n ? "; labels are " : "");
	nearest_add_names(&text, &x->names, m->name);
	err_set(err, ERR_IO, "%s", text.data);
	buf_release(&text);
	return ERR_IO;
}

/* Returns 1 if samples have the label of a condition; their values are noted. Returns 0 if not, and it leaves nothing out. */
static int check_sample_label(struct store *s, const struct store_query *q, const struct label_match *m,
			      struct buf *notes, struct err *err)
{
	struct store_query all = *q;
	struct nearest_labels x = { .wanted = m->name };
	int rc = nearest_read_labels(s, q, SIZE_MAX, &x, err);

	all.t0 = INT64_MIN;
	all.t1 = INT64_MAX;
	if (rc == 0 && !x.is_found && !(q->pin && *q->pin) && !local_of(s)->source)
		rc = nearest_read_labels(s, &all, LABEL_CHAPTERS_MAX, &x, err);
	if (rc == 0)
		rc = x.is_found ? 1 : missing_label_error(q, m, &x, err);
	if (rc > 0 && notes) {
		buf_addf(notes, "store: no sample is selected; values of %s are ", m->name);
		nearest_add_names(notes, &x.values, "");
		buf_addz(notes, "\n");
	}
	names_release(&x.names);
	names_release(&x.values);
	return rc;
}

int nearest_check_samples(struct store *s, const struct store_query *q, bool *has_label, struct buf *notes,
			  struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < q->n_sample_match; i++) {
		size_t k = 0;

		while (k < i && strcmp(q->sample_match[k].name, q->sample_match[i].name) != 0)
			k++;
		rc = check_sample_label(s, q, &q->sample_match[i], k < i ? NULL : notes, err);
		if (has_label)
			has_label[i] = rc > 0;
	}
	return rc < 0 ? rc : 0;
}

static bool has_service(const struct store_query *q, const struct nearest_names *services)
{
	for (size_t i = 0; i < services->n; i++)
		if (select_service(q, services->name[i]))
			return true;
	return false;
}

static int explain(struct store *s, struct nearest_search *x, struct nearest_names *services, struct err *err)
{
	const struct store_query *q = x->q;
	int rc;

	if (q->pin && *q->pin)
		return window_error(x, err);
	if (!services->n)
		return names_error(q, "the store is empty", NULL, "", err);
	if (!has_service(q, services))
		return names_error(q, "services are ", services, q->service, err);
	rc = search_series(s, x, err);
	if (rc < 0)
		return rc;
	if (!x->has_kind && x->kinds.n)
		return names_error(q, "its kinds are ", &x->kinds, "", err);
	if (!x->has_series && x->labels.n)
		return names_error(q, "no profile has this ", &x->labels, "", err);
	rc = search_all(s, x, err);
	return rc < 0 ? rc : window_error(x, err);
}

int nearest_error(struct store *s, const struct store_query *q, struct err *err)
{
	struct nearest_names services = { 0 };
	struct nearest_search x = { .q = q };
	int rc;

	if (q->id)
		return err_set(err, ERR_IO, "no profile has this id");
	rc = nearest_list_services(s, &services, err);
	if (rc == 0)
		rc = explain(s, &x, &services, err);
	names_release(&services);
	names_release(&x.kinds);
	names_release(&x.labels);
	return rc;
}
