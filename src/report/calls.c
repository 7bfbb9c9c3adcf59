/*
 * calls.c - the tree and peek reports
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "report/calls.h"

#include "base/num.h"
#include "base/regex.h"
#include "base/unit.h"
#include "engine/filter.h"
#include "engine/grand_calls.h"
#include "report/head.h"
#include "report/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Roles of the rows that have a cell in a column. */
enum { NODES = 1 << ROW_NODE, CALLS = 1 << ROW_CALLER | 1 << ROW_CALLEE };

static const struct column columns[N_CALLS_COLS] = {
	[CALLS_FLAT] = { "flat", "flat", CELL_VALUE },
	[CALLS_FLAT_PCT] = { "flat_percent", "flat%", CELL_PERCENT },
	[CALLS_SUM_PCT] = { "sum_percent", "sum%", CELL_PERCENT },
	[CALLS_CUM] = { "cum", "cum", CELL_VALUE },
	[CALLS_CUM_PCT] = { "cum_percent", "cum%", CELL_PERCENT },
	[CALLS_WEIGHT] = { "call_cum", "calls", CELL_VALUE },
	[CALLS_WEIGHT_PCT] = { "call_cum_percent", "calls%", CELL_RATIO },
	[CALLS_NAME] = { "name", "", CELL_NAME },
	[CALLS_INLINED] = { "inlined", "", CELL_NOTE },
};

static const uint8_t has[N_CALLS_COLS] = {
	[CALLS_FLAT] = NODES,       [CALLS_FLAT_PCT] = NODES,     [CALLS_SUM_PCT] = NODES,
	[CALLS_CUM] = NODES,        [CALLS_CUM_PCT] = NODES,      [CALLS_WEIGHT] = CALLS,
	[CALLS_WEIGHT_PCT] = CALLS, [CALLS_NAME] = NODES | CALLS, [CALLS_INLINED] = CALLS,
};

/* Mark the shown nodes that match the pattern; out is NULL without a pattern. */
static int report_calls_match_names(const struct profile *p, const struct net *net, const char *pattern,
				    struct arena *mem, bool **out, struct err *err)
{
	struct regex *re;
	bool any = false;
	int rc = 0;

	*out = NULL;
	if (!*pattern)
		return 0;
	if (regex_new(pattern, &re, err) < 0)
		return err_wrap(err, "parsing argument regexp");
	*out = arena_zalloc(mem, net->nodes.n, sizeof(**out));
	for (uint32_t i = 0; rc == 0 && i < net->shown.n; i++) {
		bool *match = &(*out)[net->shown.node[i]];

		rc = regex_match(re, net->shown.name[i], strlen(net->shown.name[i]), match, err);
		any |= *match;
	}
	regex_free(re);
	if (rc == 0 && !any)
		rc = filter_no_matches(p, pattern, err);
	return rc;
}

static size_t report_calls_count_rows(const struct net *net, const bool *match)
{
	size_t n = 0;

	assert(net->in.off && net->out.off);
	for (uint32_t i = 0; i < net->shown.n; i++) {
		uint32_t node = net->shown.node[i];

		if (!match || match[node])
			n += net->in.off[node + 1] - net->in.off[node] + 1 + net->out.off[node + 1] -
			     net->out.off[node];
	}
	return n;
}

/* A table that is being filled. */
struct table_filler {
	struct net *net;
	struct table *t;
	uint8_t *role;
	struct row_place *place;
	struct row_places places;
};

static union cell *report_calls_add_row(struct table_filler *f, enum row_role role, uint32_t node)
{
	f->role[f->t->n_rows] = (uint8_t)role;
	f->place[f->t->n_rows] = row_places_of(&f->places, nodes_place(&f->net->nodes, node));
	return f->t->cell + (size_t)f->t->n_rows++ * N_CALLS_COLS;
}

static void report_calls_add(struct table_filler *f, const struct call_lists *lists, uint32_t node, enum row_role role)
{
	struct net *net = f->net;
	int64_t cum = nodes_cum(&net->nodes, node);

	for (size_t i = lists->off[node]; i < lists->off[node + 1]; i++) {
		const struct edge *e = &net->edges.edge[lists->call[i]];
		uint32_t other = role == ROW_CALLER ? e->src : e->dst;
		union cell *cell = report_calls_add_row(f, role, other);

		cell[CALLS_WEIGHT].value = nodes_mean(e->weight, e->div); /* divided for a mean, unlike in pprof */
		cell[CALLS_WEIGHT_PCT].real = unit_percent(cell[CALLS_WEIGHT].value, cum);
		cell[CALLS_NAME].text = node_names_of(&net->names, nodes_place(&net->nodes, other));
		cell[CALLS_INLINED].text = e->inlined ? "(inline)" : "";
	}
}

static void report_calls_add_node(struct table_filler *f, uint32_t i, int64_t *sum)
{
	const struct net *net = f->net;
	uint32_t node = net->shown.node[i];
	union cell *cell = report_calls_add_row(f, ROW_NODE, node);

	cell[CALLS_FLAT].value = cell[CALLS_FLAT_PCT].value = nodes_flat(&net->nodes, node);
	*sum += cell[CALLS_FLAT].value;
	cell[CALLS_SUM_PCT].value = *sum;
	cell[CALLS_CUM].value = cell[CALLS_CUM_PCT].value = nodes_cum(&net->nodes, node);
	cell[CALLS_NAME].text = net->shown.name[i];
}

static void report_calls_fill_table(struct net *net, const bool *match, struct report *r)
{
	size_t n = report_calls_count_rows(net, match);
	struct table_filler f = { .net = net,
				  .t = &r->table,
				  .role = arena_alloc(r->mem, n, sizeof(*f.role)),
				  .place = arena_alloc(r->mem, n, sizeof(*f.place)) };
	int64_t sum = 0;

	row_places_init(&f.places, &net->places, r->mem);
	r->table = (struct table){ .n_cols = N_CALLS_COLS,
				   .col = columns,
				   .role = f.role,
				   .has = has,
				   .place = f.place,
				   .cell = arena_zalloc(r->mem, n * N_CALLS_COLS, sizeof(*r->table.cell)) };
	for (uint32_t i = 0; i < net->shown.n; i++) {
		if (match && !match[net->shown.node[i]])
			continue;
		report_calls_add(&f, &net->in, net->shown.node[i], ROW_CALLER);
		report_calls_add_node(&f, i, &sum);
		report_calls_add(&f, &net->out, net->shown.node[i], ROW_CALLEE);
	}
	assert(r->table.n_rows == n);
}

void report_calls_head(const struct net *net, const struct query *q, const struct view *v, bool whole, struct report *r)
{
	report_head_fill(&r->head, v, q, r->mem);
	report_head_choose_unit(&r->head, &net->nodes, &net->shown, whole);
	r->head.n_shown = net->shown.n;
	r->head.n_dropped = net->shown.n_dropped;
	r->head.n_before_limit = net->shown.n_before_limit;
	r->head.n_dropped_edges = net->n_dropped_edges;
	for (uint32_t i = 0; i < net->shown.n; i++)
		r->head.shown += nodes_flat(&net->nodes, net->shown.node[i]);
}

int report_calls_make_grand(const struct view *v, const struct query *q, struct report *out, struct calls_grand *grand,
			    struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = *q->pattern ? "peek" : "tree" } };
	struct net net;
	bool *match = NULL;
	int rc = net_make(v, &q->filter, false, NULL, r.mem, &net, err);

	if (rc == 0) {
		rc = report_calls_match_names(v->p, &net, q->pattern, r.mem, &match, err);
		if (rc == 0) {
			net_calls(&net, &q->filter, match, r.mem);
			rc = stop_check(q->stop, err);
		}
		if (rc == 0) {
			report_calls_head(&net, q, v, false, &r);
			report_calls_fill_table(&net, match, &r);
			rc = grand ? calls_grand_fill(&net, match, &r, grand, err) : 0;
		}
		if (rc == 0)
			rc = stop_check(q->stop, err);
		net_release(&net);
	}
	if (rc == 0)
		*out = r;
	else
		report_release(&r);
	return rc;
}

int report_calls_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		      struct err *err)
{
	(void)notes;
	return report_calls_make_grand(v, q, out, NULL, err);
}

/* ---- the calls beyond the callers and callees of a report of calls ---- */

/* A table of grand calls that is being filled. */
struct grand_filler {
	struct net *net;
	const struct report *r;
	struct grand_calls calls;
	struct row_places places;
	uint32_t row; /* next row of the report */
	uint8_t *role;
	struct row_place *place;
	struct calls_grand *out;
};

/* The heaviest first, like edges; GRAND_CALL_NONE last. */
struct grand_key {
	const struct grand_call *call;
	const char *name;
};

static int grand_by_weight(const void *a, const void *b)
{
	const struct grand_key *l = a, *r = b;
	uint64_t x = num_abs(l->call->weight), y = num_abs(r->call->weight);
	int c = (l->call->far == GRAND_CALL_NONE) - (r->call->far == GRAND_CALL_NONE);

	if (c == 0)
		c = (x < y) - (x > y);
	if (c == 0)
		c = (l->call->weight < 0) - (r->call->weight < 0);
	if (c == 0)
		c = strcmp(l->name, r->name);
	return c ? c : (l->call->far > r->call->far) - (l->call->far < r->call->far);
}

static void grand_add_row(struct grand_filler *f, const struct grand_key *key, int64_t cum)
{
	const struct grand_call *call = key->call;
	struct table *t = &f->out->table;
	union cell *cell = t->cell + (size_t)t->n_rows * N_CALLS_COLS;
	bool is_end = call->far == GRAND_CALL_NONE;

	f->role[t->n_rows] = is_end ? ROW_PLAIN : f->r->table.role[f->row];
	f->place[t->n_rows++] = is_end ? f->r->table.place[f->row] : row_places_of(&f->places, call->far);
	cell[CALLS_WEIGHT].value = call->weight;
	cell[CALLS_WEIGHT_PCT].real = unit_percent(cell[CALLS_WEIGHT].value, cum);
	cell[CALLS_NAME].text = key->name;
	cell[CALLS_INLINED].text = call->inlined && !is_end ? "(inline)" : "";
}

/* Add the grand calls of the next row of the report. */
static void grand_add_call(struct grand_filler *f, uint32_t place, uint32_t near, bool is_callee)
{
	size_t n, first = grand_calls_find(&f->calls, place, near, is_callee, &n);
	struct grand_key *key = arena_alloc(f->r->mem, n, sizeof(*key));
	int64_t cum = nodes_cum(&f->net->nodes, place);

	f->out->off[f->row] = f->out->table.n_rows;
	for (size_t i = 0; i < n; i++) {
		const struct grand_call *call = &f->calls.call[first + i];
		const char *end = is_callee ? CALLS_NO_CALLEE : CALLS_NO_CALLER;

		key[i].call = call;
		key[i].name = call->far == GRAND_CALL_NONE ? end : node_names_of(&f->net->names, call->far);
	}
	if (n)
		qsort(key, n, sizeof(*key), grand_by_weight);
	for (size_t i = 0; i < n && key[0].call->far != GRAND_CALL_NONE; i++)
		grand_add_row(f, &key[i], cum);
	f->row++;
}

static void grand_fill_rows(struct grand_filler *f, const bool *match)
{
	const struct net *net = f->net;

	for (uint32_t i = 0; i < net->shown.n; i++) {
		uint32_t node = net->shown.node[i];

		if (match && !match[node])
			continue;
		for (size_t k = net->in.off[node]; k < net->in.off[node + 1]; k++)
			grand_add_call(f, node, net->edges.edge[net->in.call[k]].src, false);
		f->out->off[f->row++] = f->out->table.n_rows;
		for (size_t k = net->out.off[node]; k < net->out.off[node + 1]; k++)
			grand_add_call(f, node, net->edges.edge[net->out.call[k]].dst, true);
	}
	assert(f->row == f->r->table.n_rows);
	f->out->off[f->row] = f->out->table.n_rows;
}

int calls_grand_fill(struct net *net, const bool *match, struct report *r, struct calls_grand *out, struct err *err)
{
	struct grand_filler f = { .net = net, .r = r, .out = out };
	bool *wanted = arena_zalloc(r->mem, net->nodes.n, sizeof(*wanted));
	uint32_t n_wanted = 0;
	int rc = 0;

	for (uint32_t i = 0; i < net->shown.n; i++)
		n_wanted += wanted[net->shown.node[i]] = !match || match[net->shown.node[i]];
	if (!net->is_tree && !net->nodes.cum_div && n_wanted <= CALLS_GRAND_MAX)
		rc = grand_calls_make(&net->graph, net->shown.keep, wanted, r->mem, &f.calls, err);
	if (rc < 0)
		return rc;
	row_places_init(&f.places, &net->places, r->mem);
	f.role = arena_alloc(r->mem, f.calls.n, sizeof(*f.role));
	f.place = arena_alloc(r->mem, f.calls.n, sizeof(*f.place));
	*out = (struct calls_grand){ .off = arena_alloc(r->mem, (size_t)r->table.n_rows + 1, sizeof(*out->off)),
				     .table = { .n_cols = N_CALLS_COLS,
						.col = r->table.col,
						.role = f.role,
						.place = f.place,
						.cell = arena_zalloc(r->mem, f.calls.n * N_CALLS_COLS,
								     sizeof(*out->table.cell)) } };
	grand_fill_rows(&f, match);
	return 0;
}
