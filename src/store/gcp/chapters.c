/*
 * chapters.c - chapters of profiles of Cloud Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/gcp/gcp_store_int.h"

#include "base/mem.h"
#include "base/time.h"
#include "formats/common/format.h"
#include "formats/pprof/pprof.h"
#include "profile/builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHAPTER_LEVEL = 1, CHAPTER_PROFILES = 4000 };

/* The duration of profiles of Google's agents, for those whose duration is not known. */
#define GCPSTORE_DURATION_DEFAULT (10 * NS_PER_S)

/* ---- the entries of a query ---- */

static bool gcpstore_matches(const struct store_query *q, const struct gcpstore_entry *e)
{
	return select_service(q, e->service) && (!q->kind || !*q->kind || strcmp(e->kind, q->kind) == 0);
}

static bool gcpstore_is_series(const struct gcpstore_entry *a, const struct gcpstore_entry *b)
{
	return memcmp(a->hash, b->hash, sizeof(a->hash)) == 0;
}

/* Mark the entries of a window, or of each series the last one before it, or the first one after it. */
static void gcpstore_want(struct gcpstore *c, const struct store_query *q, enum select_which which)
{
	for (size_t i = 0; i < c->n; i++) {
		struct gcpstore_entry *e = &c->entry[i];
		const struct gcpstore_entry *before = i > 0 ? e - 1 : NULL, *after = i + 1 < c->n ? e + 1 : NULL;

		e->is_wanted = gcpstore_matches(q, e);
		if (which == SELECT_WINDOW)
			e->is_wanted &= e->start_ns >= q->t0 && e->start_ns < q->t1;
		else if (which == SELECT_BEFORE)
			e->is_wanted &= e->start_ns < q->t0 &&
					(!after || !gcpstore_is_series(e, after) || after->start_ns >= q->t0);
		else
			e->is_wanted &= e->start_ns >= q->t1 &&
					(!before || !gcpstore_is_series(e, before) || before->start_ns < q->t1);
	}
}

/* ---- chapters ---- */

/* The wanted entries that could not be read. */
struct gcpstore_losses {
	uint64_t n_empty, n_damaged;
	struct buf first; /* the reason of the first that is damaged */
};

/* Decode a profile. A profile that was counted over a time has a duration, as only then its counters are not totals. */
static int gcpstore_decode(const struct gcpstore_entry *e, struct profile **out, struct err *err)
{
	static const struct format_options limits = { .max_inflated = UINT64_C(1) << 30,
						      .max_ratio = 1000,
						      .max_count = 10000000,
						      .max_depth = 100000,
						      .max_nesting = 1 };
	struct bytes packed = { .data = mem_alloc(e->n + 1, 1), .n = e->n }, plain = { 0 };
	int rc;

	memcpy(packed.data, e->data, e->n);
	rc = format_inflate(&packed, &limits, &plain, err);
	if (rc == 0)
		rc = pprof_read(plain.data, plain.n, &limits, out, err);
	free(plain.data);
	if (rc < 0)
		return err_wrap(err, "%.200s", e->name);
	(*out)->meta.time_ns = e->start_ns;
	if (!e->is_delta)
		(*out)->meta.duration_ns = 0;
	else if ((*out)->meta.duration_ns <= 0)
		(*out)->meta.duration_ns = e->duration_ns > 0 ? e->duration_ns : GCPSTORE_DURATION_DEFAULT;
	return 0;
}

/* A profile without samples, for lists of series. */
static struct profile *gcpstore_make_head(const struct gcpstore_entry *e)
{
	struct builder *b = builder_new();
	struct profile *p;

	builder_meta(b)->time_ns = e->start_ns;
	p = builder_seal(b);
	builder_free(b);
	return p;
}

/* Add a profile to a chapter. One that cannot be read is counted. */
static int gcpstore_add_profile(const struct gcpstore *c, const struct gcpstore_entry *e, struct chapter_builder *b,
				struct gcpstore_losses *losses, struct err *err)
{
	struct dict *d = chapter_builder_dict(b);
	struct stored stored;
	struct profile *p;
	struct err own;
	uint32_t series;
	int rc;

	if (c->wants_heads) {
		p = gcpstore_make_head(e);
	} else if (!e->data) {
		losses->n_empty++;
		return 0;
	} else if (gcpstore_decode(e, &p, &own) < 0) {
		if (losses->n_damaged++ == 0)
			buf_addz(&losses->first, own.msg);
		return 0;
	}
	rc = dict_add_series(d, e->service, e->kind, e->label, e->n_labels, &series, err);
	rc = rc < 0 ? rc : dict_add_profile(d, p, &stored, err);
	if (rc == 0) {
		stored.series = series;
		chapter_builder_add(b, &stored);
		dict_release_stored(&stored);
	}
	profile_free(p);
	return rc;
}

struct gcpstore_chapters {
	struct chapter **chapter; /* [n] */
	size_t n, cap;
	struct gcpstore_losses *losses;
};

/* Add a chapter of the wanted entries from *at on, of one service. *at: after them */
static int gcpstore_add_chapter(struct gcpstore *c, size_t *at, struct gcpstore_chapters *to, struct err *err)
{
	const char *service = c->entry[*at].service;
	struct chapter_builder *b = chapter_builder_new(service);
	int rc = 0;

	for (; rc == 0 && *at < c->n && strcmp(c->entry[*at].service, service) == 0 &&
	       chapter_builder_profiles(b) < CHAPTER_PROFILES;
	     ++*at)
		if (c->entry[*at].is_wanted) {
			rc = gcpstore_add_profile(c, &c->entry[*at], b, to->losses, err);
			rc = rc < 0 ? rc : stop_check(c->stop, err);
		}
	if (rc == 0 && chapter_builder_profiles(b) > 0) {
		to->chapter = mem_grow(to->chapter, &to->cap, to->n + 1, sizeof(struct chapter *));
		rc = chapter_builder_finish(b, CHAPTER_LEVEL, &to->chapter[to->n], err);
		if (rc == 0)
			dict_drop_index(&to->chapter[to->n++]->dict); /* it belongs to the builder */
	}
	chapter_builder_free(b);
	return rc;
}

static void gcpstore_set_damage(const struct gcpstore *c, const struct gcpstore_losses *l, struct buf *out)
{
	out->len = 0;
	if (c->n_skipped)
		buf_addf(out,
			 "store: Cloud Profiler skipped %" PRIu64 " profiles in a list of %zu; they are missing here\n",
			 c->n_skipped, c->n);
	if (c->n_unknown)
		buf_addf(out,
			 "store: %" PRIu64 " profiles of a list of %zu have no name, service, type or time; they are "
			 "missing here\n",
			 c->n_unknown, c->n + (size_t)c->n_unknown);
	if (l->n_empty)
		buf_addf(out, "store: %" PRIu64 " profiles were returned without bytes; they are missing here\n",
			 l->n_empty);
	if (l->n_damaged)
		buf_addf(out, "store: %" PRIu64 " profiles cannot be read; they are missing here; the first: %.400s\n",
			 l->n_damaged, buf_text(&l->first));
}

/* Make chapters of the entries that are wanted. */
static int gcpstore_make_chapters(struct gcpstore *c, struct gcpstore_losses *losses, enum select_which which,
				  struct selection *out, struct err *err)
{
	struct gcpstore_chapters list = { .losses = losses };
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < c->n;)
		rc = gcpstore_add_chapter(c, &at, &list, err);
	if (rc == 0) {
		select_take_chapters(buf_text(&c->name), list.chapter, list.n, which, out);
		return 0;
	}
	for (size_t i = 0; i < list.n; i++)
		chapter_free(list.chapter[i]);
	free(list.chapter);
	return rc;
}

int gcpstore_open_chapters(struct store *s, const struct store_query *q, enum select_which which, struct selection *out,
			   struct err *err)
{
	struct gcpstore *c = gcpstore_of(s);
	struct gcpstore_losses losses = { 0 };
	int rc;

	if (q->pin && *q->pin)
		return err_set(err, ERR_IO, "there is no pin %s; Cloud Profiler has no pins", q->pin);
	rc = gcpstore_list(c, err);
	if (rc == 0) {
		gcpstore_want(c, q, which);
		rc = c->wants_heads ? 0 : gcpstore_fetch(c, err);
	}
	rc = rc < 0 ? rc : gcpstore_make_chapters(c, &losses, which, out, err);
	if (rc == 0 && which == SELECT_WINDOW) {
		gcpstore_set_damage(c, &losses, &s->damage);
		out->is_partial = s->damage.len > 0;
	}
	buf_release(&losses.first);
	return rc;
}

/* ---- labels and series ---- */

/* The labels that were passed on. */
struct gcpstore_label_reader {
	const char *wanted;
	local_label_fn *fn;
	void *arg;
	bool is_found; /* the wanted one */
	size_t n_chapters;
};

/* Pass on the labels of the samples of a selection, which is closed. */
static int gcpstore_add_labels(struct gcpstore_label_reader *x, struct selection *sel, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sel->n; i++) {
		struct chapter *chapter = NULL;

		rc = select_read(&sel->chapter[i], &chapter, err);
		for (uint32_t k = 0; rc == 0 && k < chapter->dict.n_labels; k++) {
			const struct dict *d = &chapter->dict;
			const char *name = strtab_text(d->str, d->label_key[k]);
			bool is_wanted = strcmp(name, x->wanted) == 0;

			x->fn(x->arg, name, NULL);
			if (is_wanted && d->label_is_text[k])
				x->fn(x->arg, name, strtab_text(d->str, d->label_text[k]));
			x->is_found |= is_wanted;
		}
		select_release(&sel->chapter[i], chapter);
	}
	x->n_chapters += sel->n;
	select_close(sel);
	return rc;
}

/* The labels of all profiles of the service and kind that were read so far. */
static int gcpstore_add_loaded(struct gcpstore *c, const struct store_query *q, struct gcpstore_label_reader *x,
			       struct err *err)
{
	struct gcpstore_losses ignored = { 0 };
	struct selection sel;
	int rc;

	for (size_t i = 0; i < c->n; i++)
		c->entry[i].is_wanted = c->entry[i].data && gcpstore_matches(q, &c->entry[i]);
	rc = gcpstore_make_chapters(c, &ignored, SELECT_WINDOW, &sel, err);
	buf_release(&ignored.first);
	return rc < 0 ? rc : gcpstore_add_labels(x, &sel, err);
}

/* Labels are those of the kind of the query: of its window, else of all profiles that were read, else of those next to the window. The
   labels of others are not known without reading all of them. */
int gcpstore_each_label(struct store *s, const struct store_query *q, const char *wanted, local_label_fn *fn, void *arg,
			struct err *err)
{
	struct gcpstore_label_reader x = { .wanted = wanted, .fn = fn, .arg = arg };
	struct selection sel;
	int rc = gcpstore_open_chapters(s, q, SELECT_WINDOW, &sel, err);

	rc = rc < 0 ? rc : gcpstore_add_labels(&x, &sel, err);
	if (rc == 0 && !x.is_found)
		rc = gcpstore_add_loaded(gcpstore_of(s), q, &x, err);
	for (int after = 0; rc == 0 && after < 2 && x.n_chapters == 0; after++) {
		rc = gcpstore_open_chapters(s, q, after ? SELECT_AFTER : SELECT_BEFORE, &sel, err);
		rc = rc < 0 ? rc : gcpstore_add_labels(&x, &sel, err);
	}
	return rc;
}

int gcpstore_each_catalogue_series(struct store *s, const struct catalogue_query *q, const char *kind,
				   catalogue_series_fn *fn, void *arg, struct err *err)
{
	const struct store_query own = { .service = q->service, .is_pattern = q->is_pattern, .kind = kind };
	struct gcpstore *c = gcpstore_of(s);
	int rc = gcpstore_list(c, err);

	for (size_t lo = 0, hi; rc == 0 && lo < c->n; lo = hi) {
		const struct gcpstore_entry *e = &c->entry[lo];
		struct catalogue_series series = { .service = e->service,
						   .kind = e->kind,
						   .hash = e->hash,
						   .label = e->label,
						   .n_labels = e->n_labels,
						   .first = e->start_ns };

		for (hi = lo + 1; hi < c->n && gcpstore_is_series(e, &c->entry[hi]);)
			hi++;
		series.last = c->entry[hi - 1].start_ns;
		if (gcpstore_matches(&own, e) && series.first < q->t1 && series.last >= q->t0)
			rc = fn(arg, &series, err);
	}
	return rc;
}
