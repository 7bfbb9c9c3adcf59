/*
 * reduce_profile.c - the sums of a query as one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Types, period, comments and so on are those that pprof's merge gives the same profiles in order of time. A mapping has
 * the addresses of the first process that has it.
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "profile/merge.h"
#include "store/local/read/reduce_int.h"

#include <stdlib.h>
#include <string.h>

static int compare_metas(const void *a, const void *b)
{
	const struct reduce_meta *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return x->meta < y->meta ? -1 : x->meta > y->meta;
}

/* Add the mappings of a process that no earlier one has. seen: [n_maps] */
static void reduce_profile_add_places(struct dict_meta *to, const struct dict_meta *from, bool *seen)
{
	for (uint32_t i = 0; i < from->n_places; i++) {
		if (seen[from->place[i].map])
			continue;
		seen[from->place[i].map] = true;
		to->place[to->n_places++] = from->place[i];
	}
}

/* The union of metas. */
struct reduce_profile_joiner {
	struct dict_meta m;
	bool *seen; /* [n_maps] */
	struct keys comments;
	size_t cap_comments;
};

static int reduce_profile_add_comments(struct reduce_profile_joiner *j, const struct dict_meta *from, struct err *err)
{
	for (uint32_t i = 0; i < from->n_comments; i++) {
		uint64_t word = from->comment[i];
		uint32_t before = j->comments.n, id;

		if (keys_add(&j->comments, &word, 1, keys_hash(&word, 1), &id, err) < 0)
			return ERR_LIMIT;
		if (id != before)
			continue;
		j->m.comment = mem_grow(j->m.comment, &j->cap_comments, (size_t)before + 1, sizeof(*j->m.comment));
		j->m.comment[j->m.n_comments++] = from->comment[i];
	}
	return 0;
}

static int reduce_profile_add_meta(struct reduce_profile_joiner *j, const struct dict_meta *from, bool is_first,
				   struct err *err)
{
	struct dict_meta *to = &j->m;

	if (is_first) {
		to->period = from->period;
		to->period_type = from->period_type;
		to->has_period_type = from->has_period_type;
		to->drop_frames = from->drop_frames;
		to->keep_frames = from->keep_frames;
	} else if (to->has_period_type != from->has_period_type || to->period_type.name != from->period_type.name ||
		   to->period_type.unit != from->period_type.unit) { /* there is no common period */
		to->has_period_type = false;
		to->period_type = (struct value_type){ 0 };
		to->period = 0;
	} else if (from->period > to->period) {
		to->period = from->period;
	}
	if (!to->default_type)
		to->default_type = from->default_type;
	if (!to->doc_url)
		to->doc_url = from->doc_url;
	reduce_profile_add_places(to, from, j->seen);
	return reduce_profile_add_comments(j, from, err);
}

/* The union of the metas of a bucket; its lists of comments and places are freed by the caller. */
static int join_metas(const struct reducer *r, struct reduce_bucket *b, struct dict_meta *out, struct err *err)
{
	const struct reduce_shape *s = &r->shape[b->shape];
	struct reduce_profile_joiner j = {
		.m = { .n_types = s->n_types, .type = s->type, .temporality = s->temporality }
	};
	bool *is_added = mem_zalloc(r->dict.n_metas, sizeof(*is_added));
	int rc = 0;

	j.seen = mem_zalloc(r->dict.n_maps, sizeof(*j.seen));
	j.m.place = mem_alloc(r->dict.n_maps, sizeof(*j.m.place));
	keys_init(&j.comments, 1, 0);
	qsort(b->meta, b->n_metas, sizeof(*b->meta), compare_metas);
	for (size_t i = 0; rc == 0 && i < b->n_metas; i++) {
		if (is_added[b->meta[i].meta])
			continue;
		is_added[b->meta[i].meta] = true;
		rc = reduce_profile_add_meta(&j, &r->dict.meta[b->meta[i].meta], i == 0, err);
	}
	free(j.seen);
	free(is_added);
	keys_release(&j.comments);
	*out = j.m;
	return rc;
}

/* The rows of a bucket that have a value. */
static void fill_rows(const struct reducer *r, const struct reduce_bucket *b, struct stored *s)
{
	uint32_t n_types = r->shape[b->shape].n_types, n = 0, at = 0;
	bool *has_value = mem_zalloc(r->dict.n_rows, sizeof(*has_value));

	for (uint32_t t = 0; t < n_types; t++)
		for (uint32_t row = 0; row < b->cap_rows && row < r->dict.n_rows; row++)
			has_value[row] |= b->sum[t][row] != 0 && select_has_row(&r->selected, row);
	for (uint32_t row = 0; row < r->dict.n_rows; row++)
		n += has_value[row];
	s->n = n;
	s->n_columns = n_types;
	s->row = mem_alloc(n, sizeof(*s->row));
	s->value = mem_alloc((size_t)n * n_types, sizeof(*s->value));
	for (uint32_t row = 0; row < r->dict.n_rows; row++)
		if (has_value[row])
			s->row[at++] = row;
	for (uint32_t t = 0; t < n_types; t++)
		for (uint32_t i = 0; i < n; i++)
			s->value[(size_t)t * n + i] = b->sum[t][s->row[i]];
	free(has_value);
}

static void free_sums(const struct reducer *r, struct reduce_bucket *b)
{
	for (uint32_t t = 0; t < r->shape[b->shape].n_types; t++) {
		free(b->sum[t]);
		b->sum[t] = NULL;
	}
	b->cap_rows = 0;
}

/* The kept labels of a group. */
static struct store_label *group_labels(const struct reducer *r, uint32_t group)
{
	struct store_label *label = mem_alloc(r->q->n_keep + 1, sizeof(*label));

	for (size_t i = 0; i < r->q->n_keep; i++)
		label[i] = (struct store_label){ r->q->keep[i],
						 strtab_text(r->dict.str, r->group[group * r->q->n_keep + i]) };
	return label;
}

static int reduce_profile_make(struct reducer *r, struct reduce_bucket *b, struct profile **out, struct err *err)
{
	struct dict view = r->dict; /* with one more meta: the union */
	struct dict_meta joined;
	struct store_label *more = group_labels(r, b->group);
	uint32_t *order = r->wants_forest ? reduce_forest_order(r) : NULL;
	uint32_t *loc = order ? mem_alloc(r->dict.n_locs, sizeof(*loc)) : NULL;
	struct dict_profile_options options = { true, more, r->q->n_keep, order, loc };
	struct stored s = { .meta = r->dict.n_metas, .start_ns = b->first_ns, .duration_ns = b->duration_ns };
	int rc = join_metas(r, b, &joined, err);

	view.meta = mem_alloc((size_t)view.n_metas + 1, sizeof(*view.meta));
	memcpy(view.meta, r->dict.meta, view.n_metas * sizeof(*view.meta));
	view.meta[view.n_metas++] = joined;
	reduce_bucket_grow(r, b);
	fill_rows(r, b, &s);
	free_sums(r, b);
	if (rc == 0)
		rc = dict_make_profile(&view, &s, &options, out, err);
	if (rc == 0 && loc)
		reduce_forest_finish(r, loc, *out);
	free(order);
	free(loc);
	dict_release_stored(&s);
	free(view.meta);
	free(joined.place);
	free(joined.comment);
	free(more);
	return rc;
}

int reduce_compare_groups(const struct reducer *r, uint32_t a, uint32_t b)
{
	int order = 0;

	for (size_t i = 0, n = r->q->n_keep; order == 0 && i < n; i++)
		order = strcmp(strtab_text(r->dict.str, r->group[a * n + i]),
			       strtab_text(r->dict.str, r->group[b * n + i]));
	return order;
}

/* Buckets in order of their first profile. */
static int compare_buckets(const void *a, const void *b)
{
	const struct reduce_bucket *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/* Merge profiles, one per bucket. In messages they are named by the time of the first of each. */
static int merge_profiles(struct reducer *r, const struct profile *const *p, uint32_t n, struct profile **out,
			  struct err *err)
{
	struct buf *name = mem_zalloc(n, sizeof(*name));
	const char **text = mem_zalloc(n, sizeof(*text));
	const struct merge_options options = { .name = text, .stop = r->stop };
	int rc;

	for (uint32_t i = 0; i < n; i++) {
		buf_addz(&name[i], "that of ");
		select_print_time(r->bucket[i].first_ns, &name[i]);
		text[i] = name[i].data;
	}
	rc = profile_merge(p, n, &options, out, err);
	for (uint32_t i = 0; i < n; i++)
		buf_release(&name[i]);
	free(name);
	free(text);
	return rc == ERR_FORMAT ? err_wrap(err, "profiles have different sample types") : rc;
}

int reduce_make_profile(struct reducer *r, struct profile **out, struct err *err)
{
	uint32_t n = r->bucket_keys.n, made = 0;
	struct profile **p = mem_zalloc(n, sizeof(*p));
	int rc = 0;

	dict_drop_index(&r->dict);
	qsort(r->bucket, n, sizeof(*r->bucket), compare_buckets); /* bucket_keys is not used any more */
	for (; rc == 0 && made < n; made += rc == 0)
		rc = reduce_profile_make(r, &r->bucket[made], &p[made], err);
	if (rc == 0 && n == 1) {
		*out = p[0];
		p[0] = NULL;
	} else if (rc == 0) {
		rc = merge_profiles(r, (const struct profile *const *)p, n, out, err);
	}
	for (uint32_t i = 0; i < n; i++)
		profile_free(p[i]);
	free(p);
	return rc;
}
