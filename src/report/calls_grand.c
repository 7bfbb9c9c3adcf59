/*
 * calls_grand.c - the calls beyond the callers and callees of a report of calls
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/calls_grand.h"

#include "base/num.h"
#include "base/unit.h"
#include "engine/grand_calls.h"
#include "report/calls.h"
#include "report/place.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
