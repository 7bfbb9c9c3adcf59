/*
 * early_sums.c - flat and cum of samples that are added up while they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/early_sums.h"

#include "base/mem.h"
#include "engine/edges_int.h"
#include "engine/graph_walk.h"
#include "engine/query_filter.h"
#include "profile/builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINES_MAX = 64, /* of a location; view_make checks the number of frames if there are more */
	/* Bytes of samples. With fewer, keeping the stacks takes less time. A second reading to count calls takes 1.3 times as long. */
	EARLY_MIN = 128 << 20,
	RECOUNT_MIN = 1 << 30,
};

/* The sums of a thread. */
struct early_part {
	struct graph_sum *sum; /* of nothing, of places, then of locations with several places */
	uint32_t n;            /* stacks added */
	int64_t *flat;         /* [places + 1] the last is that of empty stacks */
	uint64_t total;
};

struct early_sums {
	const struct query_filter *q;
	const struct profile *p;
	struct arena *mem;
	struct places pl;
	uint32_t type;
	str_id default_type;
	unsigned n_parts;
	struct early_part *part;
};

/* The result in a profile, which owns it. */
struct early_result {
	uint32_t type, n_places, n_many;
	const int64_t *cum, *several; /* [n_places], [places_n_several] */
	const uint32_t *list, *many;  /* of places: [n_locs], [n_many] */
	struct sample_source source;
	bool lacks_stacks;
};

struct early_sums *early_new(const struct query_filter *q)
{
	struct early_sums *e = mem_zalloc(1, sizeof(*e));

	e->q = q;
	return e;
}

void early_free(struct early_sums *e)
{
	if (!e)
		return;
	for (unsigned i = 0; i < e->n_parts; i++) {
		free(e->part[i].flat);
		free(e->part[i].sum);
	}
	free(e->part);
	if (e->mem) {
		places_release(&e->pl);
		arena_free(e->mem);
	}
	free(e);
}

/* Return true if the places of locations cannot change after reading, and are few. */
static bool early_has_places(const struct profile *p)
{
	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		if (!profile_has_name(p, loc) || p->loc_line[loc + 1] - p->loc_line[loc] > LINES_MAX)
			return false;
	return p->n_locs > 0 && p->n_types > 0 && !p->meta.drop_frames;
}

static void early_start_parts(struct early_sums *e, unsigned parts)
{
	e->n_parts = parts;
	e->part = mem_zalloc(parts, sizeof(*e->part));
	for (unsigned i = 0; i < parts; i++) {
		struct early_part *part = &e->part[i];

		part->sum = mem_zalloc((size_t)1 + e->pl.n + places_n_several(&e->pl), sizeof(*part->sum));
		part->flat = mem_zalloc((size_t)e->pl.n + 1, sizeof(*part->flat));
	}
}

static bool early_start(void *arg, const struct profile *tables, size_t size, unsigned parts)
{
	struct early_sums *e = arg;
	struct err err;

	assert(!e->p && parts > 0);
	if (size < EARLY_MIN || !early_has_places(tables) || e->q->mean ||
	    view_find_type(tables, e->q->sample_index, &e->type, &err) < 0)
		return false;
	e->mem = arena_new();
	if (places_make(tables, e->q, e->mem, &e->pl, &err) < 0)
		e->pl.files = NULL;
	if (!e->pl.files || (e->pl.n_many && size < RECOUNT_MIN)) {
		places_release(&e->pl);
		arena_free(e->mem);
		e->mem = NULL;
		return false;
	}
	e->p = tables;
	e->default_type = tables->meta.default_type;
	early_start_parts(e, parts);
	return true;
}

/* Add a value to the places of a stack. */
static void early_walk_stack(const struct places *pl, struct early_part *part, const uint32_t *loc, const uint32_t *end,
			     int64_t v)
{
	uint32_t several[WALK_LOT], id = ++part->n;

	while (loc < end) {
		const uint32_t *pause = end - loc < WALK_LOT ? end : loc + WALK_LOT;
		uint32_t n = 0;

		for (; loc < pause; loc++) { /* branchless, as engine_graph_walk_stack */
			uint32_t code = pl->list[*loc], is_several = code / PLACES_MANY;

			several[n] = code;
			n += is_several;
			sum_add(&part->sum[(code + 1) & (is_several - 1)], id, v);
		}
		walk_several(pl, several, n, part->sum, id, v);
	}
}

static bool early_add(void *arg, unsigned i_part, const struct walk_samples *s)
{
	struct early_sums *e = arg;
	struct early_part *part = &e->part[i_part];
	size_t from = 0;
	uint32_t n;

	assert(i_part < e->n_parts);
	for (uint32_t i = 0; i < s->n; from = s->loc_end[i++]) {
		const uint32_t *loc = s->loc + from, *end = s->loc + s->loc_end[i];
		int64_t v = s->value[e->type][s->first + i];

		part->total += (uint64_t)v;
		if (v < 0 || part->total > INT64_MAX || part->n == UINT32_MAX)
			return false;
		part->flat[loc < end ? *places_of(&e->pl, *loc, &n) : e->pl.n] += v;
		if (v)
			early_walk_stack(&e->pl, part, loc, end, v);
	}
	return true;
}

/* Add the sums of all parts to the first one. Returns false if a total overflows. */
static bool early_join(struct early_sums *e)
{
	struct early_part *to = &e->part[0];

	for (unsigned i = 1; i < e->n_parts; i++) {
		const struct early_part *from = &e->part[i];

		for (size_t k = 0, n = (size_t)1 + e->pl.n + places_n_several(&e->pl); k < n; k++)
			to->sum[k].cum += from->sum[k].cum;
		for (uint32_t k = 0; k <= e->pl.n; k++)
			to->flat[k] += from->flat[k];
		to->total += from->total;
		if (to->total > INT64_MAX)
			return false;
	}
	return true;
}

static bool early_finish(void *arg, struct builder *b)
{
	struct early_sums *e = arg;
	const struct profile *p = e->p;
	int64_t *value = arena_zalloc(e->mem, p->n_types, sizeof(*value));
	uint32_t n;
	struct err err;

	if (p->meta.drop_frames || p->meta.default_type != e->default_type || !early_join(e) || e->part[0].total == 0)
		return false;
	for (uint32_t loc = 0; loc <= p->n_locs; loc++) {
		int64_t *flat = &e->part[0].flat[loc < p->n_locs ? *places_of(&e->pl, loc, &n) : e->pl.n];

		value[e->type] = *flat;
		*flat = 0; /* the first location of a place has all of it */
		if (value[e->type] && builder_sample(b, value, &loc, loc < p->n_locs, NULL, 0, &err) < 0)
			return false;
	}
	return true;
}

static const void *early_copy(struct arena *mem, const void *from, size_t n, size_t size)
{
	return n ? memcpy(arena_alloc(mem, n, size), from, n * size) : NULL;
}

static void early_attach(void *arg, struct profile *p)
{
	const struct early_sums *e = arg;
	const struct graph_sum *sum = e->part[0].sum + 1;
	struct early_result *r = arena_zalloc(p->mem, 1, sizeof(*r));
	uint32_t n_several = places_n_several(&e->pl);
	int64_t *cum;

	r->type = e->type;
	r->n_places = e->pl.n;
	r->n_many = e->pl.n_many;
	cum = arena_alloc(p->mem, (size_t)e->pl.n + n_several, sizeof(*cum));
	for (size_t k = 0; k < (size_t)e->pl.n + n_several; k++)
		cum[k] = sum[k].cum;
	r->cum = cum;
	r->several = cum + e->pl.n;
	r->list = early_copy(p->mem, e->pl.list, p->n_locs, sizeof(*r->list));
	r->many = early_copy(p->mem, e->pl.many, e->pl.n_many, sizeof(*r->many));
	p->early = r;
}

struct sample_walk early_walk(struct early_sums *e)
{
	return (struct sample_walk){ e, early_start, early_add, early_finish, early_attach };
}

bool early_lacks_stacks(const struct profile *p)
{
	return p->early && p->early->lacks_stacks;
}

void early_use(struct early_result *r, const struct view *v, const struct places *pl, struct graph *g)
{
	size_t n_locs = v->p->n_locs;

	if (v->type != r->type || v->mean || pl->n != r->n_places || pl->n_many != r->n_many ||
	    memcmp(pl->list, r->list, n_locs * sizeof(*r->list)) != 0 ||
	    (r->n_many && memcmp(pl->many, r->many, r->n_many * sizeof(*r->many)) != 0)) {
		r->lacks_stacks = true;
		return;
	}
	g->nodes.cum = r->cum;
	g->several = r->several;
}

void early_set_source(struct profile *p, const struct sample_source *source)
{
	p->early->source = *source;
}

/* The walk of the second reading. */
struct early_recount {
	struct edge_walk *w;
	uint32_t *n; /* [parts] samples */
	bool is_finished;
};

static bool early_recount_start(void *arg, const struct profile *tables, size_t size, unsigned parts)
{
	struct early_recount *r = arg;

	(void)size;
	if (tables->n_locs != r->w->g->view->p->n_locs || parts > r->w->parts)
		return false;
	r->n = mem_zalloc(parts, sizeof(*r->n));
	return true;
}

static bool early_recount_add(void *arg, unsigned part, const struct walk_samples *s)
{
	struct early_recount *r = arg;
	const struct view *v = r->w->g->view;
	size_t from = 0;

	if (stop_is_set(v->stop) || (r->w->settled && r->w->settled->n_left == 0))
		return true;
	for (uint32_t i = 0; i < s->n; from = s->loc_end[i++]) {
		struct share share = { r->n[part]++, s->value[v->type][s->first + i], 0 };

		if (share.weight)
			edges_walk_stack(r->w, &r->w->part[part], s->loc + from, s->loc_end[i] - from, &share);
	}
	return true;
}

static bool early_recount_finish(void *arg, struct builder *b)
{
	struct early_recount *r = arg;

	(void)b;
	r->is_finished = true;
	return true;
}

static void early_recount_attach(void *arg, struct profile *p)
{
	(void)arg, (void)p;
}

void early_count_calls(struct edge_walk *w)
{
	const struct profile *p = w->g->view->p;
	struct early_result *sums = p->early;
	struct early_recount r = { .w = w };
	const struct sample_walk walk = { &r, early_recount_start, early_recount_add, early_recount_finish,
					  early_recount_attach };
	struct profile *again = NULL;
	struct err err;

	if (sums->lacks_stacks || (w->settled && w->settled->n_left == 0))
		return;
	sums->lacks_stacks = !sums->source.read || sums->source.read(sums->source.arg, &walk, &again, &err) < 0 ||
			     !r.is_finished || again->content_hash != p->content_hash;
	profile_free(again);
	free(r.n);
}
