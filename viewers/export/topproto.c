/*
 * topproto.c - the rows of top as profile.proto, compressed with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/num.h"
#include "base/unit.h"
#include "engine/graph.h"
#include "engine/places.h"
#include "engine/query.h"
#include "engine/trim.h"
#include "formats/otlp/otlp.h"
#include "formats/pprof/pprof.h"
#include "profile/builder.h"
#include "report/head.h"
#include "viewers/export/export.h"

struct top {
	struct nodes nodes;
	struct head head;
	struct builder *b;
	struct idtab funcs;          /* finds the index of a function by its hash */
	struct builder_function *fn; /* [n_funcs] */
	uint32_t n_funcs;
};

static str_id topproto_text(struct top *t, const char *s)
{
	return strtab_addz(builder_strings(t->b), s);
}

static str_id profile_string(struct top *t, str_id id)
{
	const struct strtab *from = t->nodes.places->p->str;

	return strtab_add(builder_strings(t->b), strtab_text(from, id), strtab_len(from, id));
}

static void copy_meta(struct top *t)
{
	const struct profile_meta *from = &t->nodes.places->p->meta;
	struct profile_meta *to = builder_meta(t->b);

	builder_type(t->b, topproto_text(t, "cum"), topproto_text(t, t->head.out_unit));
	builder_type(t->b, topproto_text(t, "flat"), topproto_text(t, t->head.out_unit));
	to->time_ns = from->time_ns;
	to->duration_ns = from->duration_ns;
	to->period = from->period;
	to->has_period_type = from->has_period_type;
	to->period_type.name = profile_string(t, from->period_type.name);
	to->period_type.unit = profile_string(t, from->period_type.unit);
}

/* Add the function of a place, unless an equal one exists. Sets its id. */
static int topproto_function_of(struct top *t, uint32_t place, uint32_t *id, struct err *err)
{
	struct builder_function f = { .id = (uint64_t)t->n_funcs + 1,
				      .start = places_detail(t->nodes.places, place)->start };
	uint64_t words[2], h;

	f.name = profile_string(t, t->nodes.places->place[place].name);
	f.file = topproto_text(t, places_file(t->nodes.places, place));
	words[0] = (uint64_t)f.name << 32 | f.file;
	words[1] = (uint64_t)f.start;
	h = hash_bytes(words, sizeof(words));
	for (size_t pos = idtab_start(&t->funcs, h); idtab_next(&t->funcs, h, &pos, id);)
		if (t->fn[*id].name == f.name && t->fn[*id].file == f.file && t->fn[*id].start == f.start)
			return 0;
	idtab_put(&t->funcs, h, t->n_funcs);
	t->fn[t->n_funcs++] = f;
	return builder_function(t->b, &f, id, err);
}

static int64_t topproto_scaled(const struct top *t, int64_t value)
{
	const char *unit;

	return num_trunc(unit_scale(report_value(&t->head, value), t->head.unit, t->head.out_unit, &unit));
}

static int topproto_add_row(struct top *t, uint32_t node, uint32_t row, struct err *err)
{
	const struct place_detail *d = places_detail(t->nodes.places, node);
	struct builder_location loc = { .id = (uint64_t)row + 1, .addr = d->addr, .map = PROFILE_NONE };
	struct builder_line line = { .no = d->line, .col = d->col };
	int64_t value[] = { topproto_scaled(t, nodes_cum(&t->nodes, node)),
			    topproto_scaled(t, nodes_flat(&t->nodes, node)) };
	uint32_t id;

	if (topproto_function_of(t, node, &line.func, err) < 0 || builder_location(t->b, &loc, &line, 1, &id, err) < 0)
		return ERR_LIMIT;
	return builder_sample(t->b, value, &id, 1, NULL, 0, err);
}

static int topproto_build(struct top *t, const struct trim_result *shown, struct arena *mem, struct err *err)
{
	int rc = 0;

	t->b = builder_new();
	t->fn = arena_alloc(mem, shown->n, sizeof(*t->fn));
	idtab_init(&t->funcs, shown->n);
	copy_meta(t);
	for (uint32_t i = 0; rc == 0 && i < shown->n; i++)
		rc = topproto_add_row(t, shown->node[i], i, err);
	idtab_release(&t->funcs);
	return rc;
}

static int topproto_write(struct top *t, const struct trim_result *shown, struct arena *mem, struct buf *out,
			  struct err *err)
{
	int rc = topproto_build(t, shown, mem, err);
	struct profile *p = builder_seal(t->b);

	builder_free(t->b);
	if (rc == 0)
		rc = pprof_write(p, 1, out, err);
	profile_free(p);
	return rc;
}

int topproto_draw(const struct view *v, const struct query *q, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct top t = { 0 };
	struct places pl;
	struct trim_result shown;
	struct node_names names;
	struct graph g;
	int rc = places_make(v->p, &q->filter, mem, &pl, err);

	if (rc == 0) {
		graph_make(v, &pl, mem, &g);
		t.nodes = g.nodes;
		node_names_init(&names, &pl, mem);
		trim_make(&t.nodes, &q->filter, &names, mem, &shown);
		report_head_fill(&t.head, v, q, mem);
		report_head_choose_unit(&t.head, &t.nodes, &shown, false);
		rc = stop_check(q->stop, err);
		if (rc == 0)
			rc = topproto_write(&t, &shown, mem, out, err);
		places_release(&pl);
	}
	arena_free(mem);
	return rc;
}

int export_proto(const struct profile *p, const struct query *q, struct buf *out, struct err *err)
{
	return pprof_write(p, query_ratio(q), out, err);
}

int export_otlp(const struct profile *p, const struct query *q, struct buf *out, struct err *err)
{
	return otlp_write(p, &(struct otlp_write_options){ .ratio = query_ratio(q) }, out, err);
}
