/*
 * merge_header.c - types, times, periods and comments of a merged profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/merge_int.h"

#include "base/hash.h"
#include "base/num.h"
#include "profile/scale.h"

#include <assert.h>
#include <inttypes.h>

static void set_types(struct merger *m)
{
	const struct common_types *a = &m->types;

	for (uint32_t t = 0; t < a->n_types; t++) {
		const struct profile *first = m->src[0], *finest = m->src[a->unit_source[t]];
		uint32_t at = a->column[a->unit_source[t] * (size_t)a->n_types + t];
		str_id name = merge_ids_text(&m->ids, first, first->type[a->column[t]].name);

		builder_type(m->b, name, merge_ids_text(&m->ids, finest, finest->type[at].unit));
	}
}

void merge_header_init(struct merger *m)
{
	const struct profile *first = m->src[0], *finest = m->src[m->types.period_source];
	struct profile_meta *meta = builder_meta(m->b);

	set_types(m);
	meta->has_period_type = first->meta.has_period_type;
	meta->period_type.name = merge_ids_text(&m->ids, first, first->meta.period_type.name);
	meta->period_type.unit = merge_ids_text(&m->ids, finest, finest->meta.period_type.unit);
	meta->drop_frames = merge_ids_text(&m->ids, first, first->meta.drop_frames);
	meta->keep_frames = merge_ids_text(&m->ids, first, first->meta.keep_frames);
}

static int merge_add_period(struct merger *m, size_t i, struct err *err)
{
	const struct profile *p = m->src[i], *finest = m->src[m->types.period_source];
	const char *own = profile_text(p, p->meta.period_type.unit);
	const char *unit = profile_text(finest, finest->meta.period_type.unit);
	struct profile_meta *meta = builder_meta(m->b);
	int64_t period;

	if (scale_period(p->meta.period, own, unit, &period))
		return err_set(err, ERR_RANGE, "%.200s: period of %" PRId64 " %.100s overflows 64 bits in %.100s",
			       m->options.name[i], p->meta.period, own, unit);
	if (meta->period == 0 || meta->period < period)
		meta->period = period;
	return 0;
}

/* The earlier of two times. As in pprof, an unknown time (0) discards the times before it. */
static int64_t earliest(int64_t so_far, int64_t time_ns)
{
	return so_far == 0 || time_ns < so_far ? time_ns : so_far;
}

static int add_times(struct merger *m, size_t i, struct err *err)
{
	const struct profile_meta *own = &m->src[i]->meta;

	if (i > 0 || m->n_added == 0) { /* the result's own time is in m->time_ns */
		m->new_time_ns = earliest(m->new_time_ns, own->time_ns);
		m->has_new_time = true;
	}
	if (num_add(&builder_meta(m->b)->duration_ns, own->duration_ns))
		return err_set(err, ERR_RANGE,
			       "%.200s: duration of %" PRId64 " ns overflows 64 bits when added to the others",
			       m->options.name[i], own->duration_ns);
	return 0;
}

void merge_header_end_group(struct merger *m)
{
	if (m->has_new_time)
		m->time_ns = earliest(m->time_ns, m->new_time_ns);
	m->new_time_ns = 0;
	m->has_new_time = false;
}

static int merge_add_comments(struct merger *m, const struct profile *p, struct err *err)
{
	for (uint32_t c = 0; c < p->meta.n_comments; c++) {
		str_id text = merge_ids_text(&m->ids, p, p->meta.comment[c]);
		uint32_t before = m->comments.n, id = 0;

		if (keys_add(&m->comments, &(uint64_t){ text }, 1, hash_u64(text), &id, err) < 0)
			return ERR_LIMIT;
		if (id == before)
			builder_comment(m->b, text);
	}
	return 0;
}

/*
 * The default type of a source, by its name in the result. For a source without a default it is the last type, which
 * pprof loses when types are removed. With intersect, the default stays unset for such a source.
 */
static str_id default_type(struct merger *m, size_t i)
{
	const struct profile *p = m->src[i], *first = m->src[0];
	const struct common_types *a = &m->types;
	str_id own = common_types_default(a, p, i);

	assert(i < m->n);
	if (m->options.intersect && p->meta.default_type == 0)
		return 0;
	for (uint32_t t = 0; own && t < a->n_types; t++)
		if (p->type[a->column[i * a->n_types + t]].name == own)
			return merge_ids_text(&m->ids, first, first->type[a->column[t]].name);
	return merge_ids_text(&m->ids, p, own);
}

static int merge_add_meta(struct merger *m, size_t i, struct err *err)
{
	struct profile_meta *meta = builder_meta(m->b);
	const struct profile *p = m->src[i];

	if (meta->default_type == 0)
		meta->default_type = default_type(m, i);
	if (meta->doc_url == 0)
		meta->doc_url = merge_ids_text(&m->ids, p, p->meta.doc_url);
	if (merge_add_period(m, i, err) < 0 || add_times(m, i, err) < 0)
		return ERR_RANGE;
	return merge_add_comments(m, p, err);
}

int merge_header_add(struct merger *m, size_t first, struct err *err)
{
	struct profile_meta *meta = builder_meta(m->b);
	int rc = 0;

	for (size_t i = first; rc == 0 && i < m->n; i++)
		rc = merge_add_meta(m, i, err);
	if (rc == 0 && m->types.has_mixed_periods) {
		meta->period = 0;
		meta->has_period_type = false;
		meta->period_type = (struct value_type){ 0 };
	}
	return rc;
}
