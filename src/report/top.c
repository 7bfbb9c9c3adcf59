/*
 * top.c - the report top
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/top.h"

#include "engine/graph.h"
#include "engine/places.h"
#include "engine/trim.h"
#include "report/head.h"
#include "report/place.h"

static const struct column columns[N_TOP_COLS] = {
	[TOP_FLAT] = { "flat", "flat", CELL_VALUE },
	[TOP_FLAT_PCT] = { "flat_percent", "flat%", CELL_PERCENT },
	[TOP_SUM_PCT] = { "sum_percent", "sum%", CELL_PERCENT },
	[TOP_CUM] = { "cum", "cum", CELL_VALUE },
	[TOP_CUM_PCT] = { "cum_percent", "cum%", CELL_PERCENT },
	[TOP_NAME] = { "name", "", CELL_NAME },
	[TOP_INLINED] = { "inlined", "", CELL_NOTE },
};

const char *report_top_inlined_note(enum inlined inlined)
{
	static const char *const note[] = {
		[INLINED_NEVER] = "",
		[INLINED_PARTLY] = "(partial-inline)",
		[INLINED_ALWAYS] = "(inline)",
	};

	return note[inlined];
}

/* inlined  [t->n]; NULL leaves it out */
static void fill_table(struct report *r, const struct graph *g, const struct trimmed *t, const enum inlined *inlined)
{
	const struct nodes nodes = graph_nodes(g);
	struct table *table = &r->table;
	struct row_place *place = arena_alloc(r->mem, t->n, sizeof(*place));
	struct row_places places;

	row_places_init(&places, nodes.places, r->mem);
	table->n_cols = N_TOP_COLS;
	table->n_rows = t->n;
	table->col = columns;
	table->place = place;
	table->cell = arena_alloc(r->mem, (size_t)t->n * N_TOP_COLS, sizeof(*table->cell));
	for (uint32_t i = 0; i < t->n; i++) {
		union cell *cell = table->cell + (size_t)i * N_TOP_COLS;
		int64_t flat = nodes_flat(&nodes, t->node[i]), cum = nodes_cum(&nodes, t->node[i]);

		r->head.shown += flat;
		cell[TOP_FLAT].value = cell[TOP_FLAT_PCT].value = flat;
		cell[TOP_SUM_PCT].value = r->head.shown;
		cell[TOP_CUM].value = cell[TOP_CUM_PCT].value = cum;
		cell[TOP_NAME].text = t->name[i];
		cell[TOP_INLINED].text = report_top_inlined_note(inlined ? inlined[i] : INLINED_NEVER);
		place[i] = row_places_of(&places, nodes_place(&nodes, t->node[i]));
	}
}

static int make(const struct view *v, const struct query *q, bool with_inlined, struct report *out, struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "top" } };
	struct places pl;
	struct graph g;
	struct nodes nodes;
	struct node_names names;
	struct trimmed t;
	int rc = places_make(v->p, q, r.mem, &pl, err);

	if (rc < 0) {
		report_release(&r);
		return rc;
	}
	graph_make(v, &pl, r.mem, &g);
	nodes = graph_nodes(&g);
	node_names_init(&names, &pl, r.mem);
	trim_make(&nodes, q, &names, r.mem, &t);
	report_head_fill(&r.head, v, q, r.mem);
	report_head_choose_unit(&r.head, &nodes, &t, false);
	r.head.n_dropped = t.n_dropped;
	r.head.n_shown = t.n;
	r.head.n_before = t.n_before;
	if (!stop_is_set(q->stop))
		fill_table(&r, &g, &t, with_inlined ? trim_inlined(&g, &t, r.mem) : NULL);
	places_release(&pl);
	rc = stop_check(q->stop, err);
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}

int report_top_make(const struct view *v, const struct query *q, struct report *out, struct err *err)
{
	return make(v, q, true, out, err);
}

int report_top_make_quick(const struct view *v, const struct query *q, struct report *out, struct err *err)
{
	return make(v, q, false, out, err);
}
