/*
 * trend.c - trend of functions over many profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The least-squares line through the values y of a row at x is computed from the sums of y and x*y, to which each
 * profile is added; the sums of x and x*x are the same for all rows. x is the number of the profile for one slope, and
 * the time since the first profile for the other.
 */
#include "config.h"

#include "engine/trend.h"

#include "base/mem.h"
#include "base/unit.h"
#include "engine/graph.h"
#include "engine/query_filter.h"
#include "profile/scale.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sums of one row. */
struct sums {
	int64_t first, last, max;
	uint32_t n_grown, n_fallen;
	long double y, iy, ty;
};

/* The values of a profile. */
struct trend_profile {
	struct trend_span span;
	int64_t total;
	int64_t *value; /* [n] of the rows so far, owned; NULL if they are not stored */
	uint32_t n;
};

struct trend {
	struct match *match;
	char *type, *unit; /* NULL before the first profile */
	uint32_t n;        /* profiles */
	struct sums *row;  /* [n_rows] */
	size_t n_rows, cap_rows;
	struct sums total;
	struct normal_size size; /* size of the first profile */
	int64_t first_ns, last_ns;
	/* A profile has no time, or its time is before or equal to that of the previous profile. */
	bool has_no_time, has_earlier, has_equal;
	long double t, tt;             /* sums over the profiles, in hours */
	struct trend_profile *profile; /* [n] */
	size_t cap_profiles, n_values;
	bool has_no_span;
};

struct trend *trend_new(void)
{
	struct trend *t = mem_zalloc(1, sizeof(*t));

	t->match = match_new();
	return t;
}

static void trend_free_values(struct trend *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		free(t->profile[i].value);
		t->profile[i].value = NULL;
	}
}

void trend_free(struct trend *t)
{
	if (!t)
		return;
	trend_free_values(t);
	free(t->profile);
	match_free(t->match);
	free(t->type);
	free(t->unit);
	free(t->row);
	free(t);
}

const struct match *trend_match(const struct trend *t)
{
	return t->match;
}

/* Find the sample type of the first profile in another profile. */
static int engine_trend_find_type(struct trend *t, const struct profile *p, const char *name, uint32_t *out,
				  struct err *err)
{
	if (!t->type) {
		const char *type, *unit;

		if (view_find_type(p, name, out, err) < 0)
			return ERR_USAGE;
		type = profile_text(p, p->type[*out].name);
		unit = profile_text(p, p->type[*out].unit);
		t->type = mem_strndup(type, strlen(type));
		t->unit = mem_strndup(unit, strlen(unit));
		return 0;
	}
	for (*out = 0; *out < p->n_types; ++*out)
		if (strcmp(profile_text(p, p->type[*out].name), t->type) == 0 &&
		    unit_is_compatible(profile_text(p, p->type[*out].unit), t->unit))
			return 0;
	return err_set(err, ERR_USAGE, "no sample type %.100s/%.100s, as in the first profile", t->type, t->unit);
}

static int engine_trend_make_view(struct trend *t, const struct profile *p, const struct query_filter *q,
				  struct arena *mem, struct view *out, struct buf *notes, struct err *err)
{
	struct query_filter own = *q;
	char number[16];
	uint32_t type;

	if (engine_trend_find_type(t, p, q->sample_index, &type, err) < 0)
		return ERR_USAGE;
	snprintf(number, sizeof(number), "%" PRIu32, type);
	own.sample_index = number;
	return view_make(p, &own, mem, out, notes, err);
}

/* Find the ratio that scales values of the view to the unit and the size of the first profile. */
static int find_ratio(struct trend *t, const struct view *v, const struct query_filter *q, double *ratio,
		      struct err *err)
{
	struct normalize_options normal;
	struct normal_size own;
	double factor;
	bool by_period;

	if (normalize_parse(q->normalize, &normal, err) < 0)
		return ERR_USAGE;
	*ratio = scale_ratio(v->unit, t->unit);
	if (normal_size(&normal, v, *ratio, &own, err) < 0)
		return ERR_FORMAT;
	if (t->n == 0)
		t->size = own;
	if (normal_factor(&normal, &t->size, &own, &factor, &by_period, err) < 0)
		return ERR_USAGE;
	*ratio *= factor;
	return 0;
}

/* Record the time of a profile. Returns the hours since the first. */
static long double record_time(struct trend *t, const struct profile *p)
{
	int64_t at = p->meta.time_ns;
	long double hours;

	if (t->n == 0)
		t->first_ns = at;
	hours = ((long double)at - (long double)t->first_ns) / 3.6e12L;
	t->has_no_time |= at == 0;
	if (t->n > 0 && at && t->last_ns) {
		t->has_earlier |= at < t->last_ns;
		t->has_equal |= at == t->last_ns;
	}
	t->last_ns = at;
	t->t += hours;
	t->tt += hours * hours;
	return hours;
}

static void sums_add(struct sums *s, uint32_t i, long double hours, int64_t y)
{
	assert(s->n_grown <= i);
	if (i == 0)
		s->first = y;
	s->n_grown += i > 0 && y > s->last;
	s->n_fallen += i > 0 && y < s->last;
	s->last = y;
	s->max = y > s->max ? y : s->max;
	s->y += (long double)y;
	s->iy += (long double)i * (long double)y;
	s->ty += hours * (long double)y;
}

static void grow_rows(struct trend *t, size_t n)
{
	t->row = mem_grow(t->row, &t->cap_rows, n, sizeof(*t->row));
	assert(n >= t->n_rows);
	memset(t->row + t->n_rows, 0, (n - t->n_rows) * sizeof(*t->row));
	t->n_rows = n;
}

static int engine_trend_add_rows(struct trend *t, const struct view *v, const struct query_filter *q, double ratio,
				 long double hours, struct trend_profile *own, struct arena *mem, struct err *err)
{
	struct query_filter by_file;
	struct places pl;
	struct graph g;
	int rc = match_query(q, &by_file, err);

	if (rc == 0)
		rc = places_make(v->p, &by_file, mem, &pl, err);
	if (rc < 0)
		return rc;
	rc = match_places(t->match, &pl, err);
	places_release(&pl);
	if (rc < 0)
		return rc;
	graph_make(v, &pl, mem, &g);
	grow_rows(t, pl.n);
	t->n_values += pl.n;
	if (t->n_values <= TREND_VALUES_MAX)
		own->value = mem_alloc(pl.n + (size_t)1, sizeof(*own->value));
	own->n = pl.n;
	for (uint32_t row = 0; row < pl.n; row++) {
		int64_t y = q->sort == SORT_CUM ? nodes_cum(&g.nodes, row) : nodes_flat(&g.nodes, row);

		if (scale_value(y, ratio, &y))
			return err_set(err, ERR_RANGE, "a sum, multiplied by %g, overflows 64 bits", ratio);
		sums_add(&t->row[row], t->n, hours, y);
		if (own->value)
			own->value[row] = y;
	}
	if (!own->value)
		trend_free_values(t);
	return 0;
}

/* Append the values of a profile. */
static void trend_append(struct trend *t, const struct trend_profile *own)
{
	t->profile = mem_grow(t->profile, &t->cap_profiles, t->n + (size_t)1, sizeof(*t->profile));
	t->profile[t->n++] = *own;
}

int trend_add(struct trend *t, const struct profile *p, const struct query_filter *q, const struct trend_span *span,
	      struct buf *notes, struct err *err)
{
	struct trend_profile own = { .span = { p->meta.time_ns, p->meta.time_ns } };
	struct arena *mem = arena_new();
	int64_t total = 0;
	double ratio = 1;
	struct view v;
	int rc = engine_trend_make_view(t, p, q, mem, &v, notes, err);

	if (rc == 0)
		rc = find_ratio(t, &v, q, &ratio, err);
	if (rc == 0 && scale_value(v.total, ratio, &total))
		rc = err_set(err, ERR_RANGE, "the total, multiplied by %g, overflows 64 bits", ratio);
	if (rc == 0) {
		long double hours = record_time(t, p);

		rc = engine_trend_add_rows(t, &v, q, ratio, hours, &own, mem, err);
		sums_add(&t->total, t->n, hours, total);
		own.total = total;
		own.span = span ? *span : own.span;
		t->has_no_span |= !span;
		if (rc == 0)
			trend_append(t, &own);
		else
			free(own.value);
	}
	arena_free(mem);
	return rc;
}

static bool has_times(const struct trend *t)
{
	return t->n > 1 && !t->has_no_time && !t->has_earlier && !t->has_equal;
}

/* The slope of the line through n points. */
static double slope(long double n, long double x, long double xx, long double y, long double xy)
{
	long double below = n * xx - x * x;

	return below > 0 ? (double)((n * xy - x * y) / below) : 0;
}

static struct trend_row engine_trend_row_of(const struct trend *t, const struct sums *s)
{
	long double n = t->n, i = n * (n - 1) / 2, ii = (n - 1) * n * (2 * n - 1) / 6;

	return (struct trend_row){ .first = s->first,
				   .last = s->last,
				   .max = s->max,
				   .n_grown = s->n_grown,
				   .n_fallen = s->n_fallen,
				   .slope_step = slope(n, i, ii, s->y, s->iy),
				   .slope_hour = has_times(t) ? slope(n, t->t, t->tt, s->y, s->ty) : 0 };
}

struct trend_row trend_row(const struct trend *t, uint32_t row)
{
	assert(row < t->n_rows);
	return engine_trend_row_of(t, &t->row[row]);
}

struct trend_summary trend_summary(const struct trend *t)
{
	return (struct trend_summary){ .n_profiles = t->n,
				       .type = t->type,
				       .unit = t->unit,
				       .has_times = has_times(t),
				       .out_of_order = t->has_earlier,
				       .total = engine_trend_row_of(t, &t->total) };
}

struct trend_span trend_span(const struct trend *t, uint32_t i)
{
	assert(i < t->n);
	return t->profile[i].span;
}

bool trend_has_spans(const struct trend *t)
{
	return t->n > 0 && !t->has_no_span;
}

bool trend_has_values(const struct trend *t)
{
	return t->n_values <= TREND_VALUES_MAX;
}

int64_t trend_value(const struct trend *t, uint32_t row, uint32_t i)
{
	assert(i < t->n && row < t->n_rows && trend_has_values(t));
	return row < t->profile[i].n ? t->profile[i].value[row] : 0;
}

int64_t trend_total(const struct trend *t, uint32_t i)
{
	assert(i < t->n);
	return t->profile[i].total;
}
