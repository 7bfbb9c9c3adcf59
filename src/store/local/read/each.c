/*
 * each.c - list profiles, and restore each as it was scraped
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/read/listing.h"
#include "store/local/read/local.h"

#include <stdlib.h>
#include <string.h>

static struct store_item make_item(struct store_listing *l, const struct store_listing_series *s,
				   const struct store_listing_entry *e, const char **type)
{
	const struct chapter *c = l->chapter[e->part.chapter];
	const struct dict_series *series = local_listing_series_of(l, s);
	struct store_item item = {
		.service = c->service,
		.kind = strtab_text(l->chapter[s->chapter]->dict.str, series->kind),
		.label = local_listing_labels(l, s),
		.n_labels = series->n_labels,
		.start_ns = e->start_ns,
		.duration_ns = e->duration_ns,
		.tier = l->sel.chapter[e->part.chapter].tier,
		.n_types = c->dict.meta[e->meta].n_types,
		.type = type,
		.unit = type + c->dict.meta[e->meta].n_types,
	};

	block_profile_id(series->hash, e->start_ns, item.id);
	return item;
}

/* The profiles of one block, decoded. */
struct decoded {
	struct store_listing_part part;
	uint32_t n;
	struct stored *p; /* [n] */
};

static void decoded_release(struct decoded *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		dict_release_stored(&d->p[i]);
	free(d->p);
	*d = (struct decoded){ 0 };
}

/* Leave out the samples that the query does not select. */
static int each_leave_out(const struct store_listing *l, const struct chapter *c, struct decoded *d, struct err *err)
{
	struct select_rows rows = { 0 };
	int rc = select_rows_extend(&rows, l->q, &c->dict, err);

	for (uint32_t i = 0; rc == 0 && rows.row && i < d->n; i++) {
		struct stored *p = &d->p[i];
		uint32_t before = p->n;

		p->n = 0;
		for (uint32_t k = 0; k < before; k++)
			p->n += select_has_row(&rows, p->row[k]);
		for (uint32_t t = 0, at = 0; t < p->n_columns; t++)
			for (uint32_t k = 0; k < before; k++)
				if (select_has_row(&rows, p->row[k]))
					p->value[at++] = p->value[(size_t)t * before + k];
		for (uint32_t k = 0, at = 0; k < before; k++)
			if (select_has_row(&rows, p->row[k]))
				p->row[at++] = p->row[k];
	}
	select_rows_release(&rows);
	return rc;
}

static int each_decode(const struct store_listing *l, const struct store_listing_part *part, struct decoded *d,
		       struct err *err)
{
	const struct chapter *c = l->chapter[part->chapter];
	struct buf buffer = { 0 };
	struct block b;
	int rc;

	if (d->n && d->part.chapter == part->chapter && d->part.block == part->block)
		return 0;
	decoded_release(d);
	rc = chapter_open_block(c, part->block, &buffer, &b, err);
	if (rc == 0) {
		d->part = *part;
		d->p = mem_zalloc(b.n, sizeof(*d->p));
		rc = block_profiles(&b, d->p, err);
		d->n = rc == 0 ? b.n : 0;
		if (rc == 0)
			rc = each_leave_out(l, c, d, err);
		block_release(&b);
	}
	buf_release(&buffer);
	return rc == ERR_FORMAT ? select_damage(&l->sel.chapter[part->chapter], err) : rc;
}

/* Receives each profile of a listing, or only its description. */
struct each {
	struct store_listing l;
	struct decoded decoded; /* the last block of the profiles */
	store_item_fn *item;
	store_profile_fn *profile; /* NULL: item is called */
	void *arg;
};

static int each_pass_on(struct each *x, const struct store_listing_series *s, const struct store_listing_entry *e,
			struct err *err)
{
	static const struct dict_profile_options options = { .place_mappings = true };
	const struct chapter *c = x->l.chapter[e->part.chapter];
	struct profile *p = NULL;
	int rc = x->profile ? each_decode(&x->l, &e->part, &x->decoded, err) : 0;

	if (rc == 0 && x->profile)
		rc = dict_make_profile(&c->dict, &x->decoded.p[e->k], &options, &p, err);
	if (rc == 0) {
		const char **type = local_listing_types(c, &c->dict.meta[e->meta]);
		struct store_item item = make_item(&x->l, s, e, type);

		rc = x->profile ? x->profile(x->arg, &item, p, err) : x->item(x->arg, &item, err);
		free(type);
	}
	return rc;
}

static int each_of_series(struct each *x, const struct store_listing_series *s, struct err *err)
{
	struct store_listing_entry *entry;
	size_t n;
	int rc = local_listing_entries(&x->l, s, &entry, &n, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = x->profile ? stop_check(x->l.stop, err) : 0;
		if (rc == 0)
			rc = each_pass_on(x, s, &entry[i], err);
		if (rc == ERR_FORMAT && x->profile && x->l.q->partial)
			rc = 0;
	}
	decoded_release(&x->decoded);
	free(entry);
	return rc;
}

static int each_run(struct each *x, struct store *s, const struct store_query *q, struct stop *stop, struct err *err)
{
	int rc = local_listing_open(s, q, stop, &x->l, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; rc == 0 && i < x->l.keys.n; i++)
		rc = each_of_series(x, &x->l.series[i], err);
	local_listing_close(&x->l);
	return rc;
}

int local_list(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	       struct err *err)
{
	return each_run(&(struct each){ .item = fn, .arg = arg }, s, q, stop, err);
}

int local_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn, void *arg,
		       struct err *err)
{
	return each_run(&(struct each){ .profile = fn, .arg = arg }, s, q, stop, err);
}

static int describe_series(struct store_listing *l, const struct store_listing_series *s, struct store_series *out,
			   struct err *err)
{
	const struct chapter *c = l->chapter[s->chapter];
	const struct dict_series *series = local_listing_series_of(l, s);

	*out = (struct store_series){ .service = c->service,
				      .kind = strtab_text(c->dict.str, series->kind),
				      .label = local_listing_labels(l, s),
				      .n_labels = series->n_labels,
				      .first_ns = INT64_MAX,
				      .last_ns = INT64_MIN };
	for (size_t i = 0; i < s->n_parts; i++) {
		const struct block_entry *b = &l->chapter[s->part[i].chapter]->block[s->part[i].block];

		if (b->t0 < l->q->t0 || b->t1 >= l->q->t1 || l->q->id || l->cut.t0 > b->t0) {
			struct store_listing_entry *entry;
			size_t n;
			int rc = local_listing_entries(l, s, &entry, &n, err);

			out->profiles = n;
			if (rc == 0 && n) {
				out->first_ns = entry[0].start_ns;
				out->last_ns = entry[n - 1].start_ns;
			}
			if (rc == 0)
				free(entry);
			return rc;
		}
		out->profiles += b->profiles;
		out->first_ns = b->t0 < out->first_ns ? b->t0 : out->first_ns;
		out->last_ns = b->t1 > out->last_ns ? b->t1 : out->last_ns;
	}
	return 0;
}

int local_each_series(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg, struct err *err)
{
	struct store_listing l;
	int rc = local_listing_open(s, q, NULL, &l, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; rc == 0 && i < l.keys.n; i++) {
		struct store_series out;

		rc = describe_series(&l, &l.series[i], &out, err);
		if (rc == 0 && out.profiles)
			rc = fn(arg, &out, err);
	}
	local_listing_close(&l);
	return rc;
}

/* --- marks --- */

struct mark_at {
	char *service;
	struct store_mark mark;
};

struct mark_list {
	struct mark_at *m;
	size_t n, cap;
	const char *kind;
};

static int each_add_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	struct mark_list *list = arg;

	(void)err;
	if (*list->kind && strcmp(m->kind, list->kind) != 0)
		return 0;
	list->m = mem_grow(list->m, &list->cap, list->n + 1, sizeof(*list->m));
	list->m[list->n++] =
		(struct mark_at){ mem_strndup(service, strlen(service)),
				  { m->time_ns, mem_strndup(m->env, strlen(m->env)),
				    mem_strndup(m->kind, strlen(m->kind)), mem_strndup(m->text, strlen(m->text)) } };
	return 0;
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark_at *x = a, *y = b;
	int order = x->mark.time_ns < y->mark.time_ns ? -1 : x->mark.time_ns > y->mark.time_ns;

	if (order == 0)
		order = strcmp(x->service, y->service);
	if (order == 0)
		order = strcmp(x->mark.kind, y->mark.kind);
	return order ? order : strcmp(x->mark.text, y->mark.text);
}

/* The marks of journals. */
static int add_journal_marks(struct store *s, const struct store_query *q, struct mark_list *list, struct err *err)
{
	struct selection sel;
	int rc = select_open(s, q, &sel, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < sel.n; i++) {
		struct chapter *c = NULL;

		rc = select_read(&sel.chapter[i], &c, err);
		for (uint32_t k = 0; rc == 0 && k < c->n_marks; k++)
			rc = each_add_mark(list, c->service, &c->mark[k], err);
		select_release(&sel.chapter[i], c);
	}
	select_close(&sel);
	return rc;
}

int local_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
		    void *arg, struct err *err)
{
	struct catalogue_query cq = { service, is_pattern, INT64_MIN, INT64_MAX };
	/* a window that no segment meets: journals only */
	struct store_query q = { .service = service, .is_pattern = is_pattern, .t0 = INT64_MAX, .t1 = INT64_MIN };
	struct mark_list list = { .kind = kind };
	int rc = add_journal_marks(s, &q, &list, err);

	if (rc == 0)
		rc = catalogue_read_begin(local_of(s)->catalogue, err);
	if (rc == 0) {
		rc = catalogue_each_mark(local_of(s)->catalogue, &cq, kind, each_add_mark, &list, err);
		catalogue_read_end(local_of(s)->catalogue);
	}
	if (list.n)
		qsort(list.m, list.n, sizeof(*list.m), compare_marks);
	for (size_t i = 0; rc == 0 && i < list.n; i++)
		if (i == 0 || compare_marks(&list.m[i - 1], &list.m[i]) != 0)
			rc = fn(arg, list.m[i].service, &list.m[i].mark, err);
	for (size_t i = 0; i < list.n; i++) {
		free(list.m[i].service);
		free(list.m[i].mark.env);
		free(list.m[i].mark.kind);
		free(list.m[i].mark.text);
	}
	free(list.m);
	return rc;
}

/* --- pins --- */

struct pin_list {
	store_pin_fn *fn;
	void *arg;
};

static int list_pin(void *arg, const struct catalogue_pin *p, struct err *err)
{
	const struct pin_list *l = arg;
	struct store_pin_info info = { .name = p->name, .spec = p->spec, .made_ns = p->made, .bytes = p->bytes };

	return l->fn(l->arg, &info, err);
}

int local_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	struct pin_list l = { fn, arg };

	return catalogue_each_pin(local_of(s)->catalogue, NULL, list_pin, &l, err);
}
