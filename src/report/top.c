/*
 * top.c - the top report, of a profile and of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/top.h"

#include "engine/graph.h"
#include "engine/places.h"
#include "engine/query.h"
#include "engine/trim.h"
#include "report/diff.h"
#include "report/head.h"
#include "report/report.h"

#include <assert.h>
#include <string.h>

static const struct column columns[N_TOP_COLS] = {
	[TOP_FLAT] = { "flat", "flat", CELL_VALUE },
	[TOP_FLAT_PCT] = { "flat_percent", "flat%", CELL_PERCENT },
	[TOP_SUM_PCT] = { "sum_percent", "sum%", CELL_PERCENT },
	[TOP_CUM] = { "cum", "cum", CELL_VALUE },
	[TOP_CUM_PCT] = { "cum_percent", "cum%", CELL_PERCENT },
	[TOP_NAME] = { "name", "", CELL_NAME },
	[TOP_INLINED] = { "inlined", "", CELL_NOTE },
};

/* Note after the name of a row; "" for none. */
static const char *report_top_inlined_note(enum inlined inlined)
{
	static const char *const note[] = {
		[INLINED_NEVER] = "",
		[INLINED_PARTLY] = "(partial-inline)",
		[INLINED_ALWAYS] = "(inline)",
	};

	return note[inlined];
}

/* Fill in the table. inlined [t->n] is for the notes about inlined calls; NULL for none. */
static void top_fill_table(struct report *r, const struct graph *g, const struct trim_result *t,
			   const enum inlined *inlined)
{
	const struct nodes nodes = g->nodes;
	struct table *table = &r->table;
	struct row_place *place = arena_alloc(r->mem, t->n, sizeof(*place));
	struct row_places places;

	assert(t->n <= nodes.n);
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

/* Remove the row for CPU time without a sample, which is not a function, and return its value. */
static int64_t take_not_sampled(const struct nodes *nodes, struct trim_result *t)
{
	static const char place[] = "[cpa: not sampled]"; /* as in libcpaprof/collector/stack_table.c */
	uint32_t i;
	int64_t value;

	for (i = 0; i < t->n && strcmp(t->name[i], place); i++)
		;
	if (i == t->n)
		return 0;
	value = nodes_flat(nodes, t->node[i]);
	t->n--;
	t->n_before_limit--;
	memmove(&t->node[i], &t->node[i + 1], (t->n - i) * sizeof(*t->node));
	memmove(&t->name[i], &t->name[i + 1], (t->n - i) * sizeof(*t->name));
	return value;
}

/* Select and sort the rows, and fill in the head. */
static void top_choose_rows(const struct nodes *nodes, const struct view *v, const struct query *q,
			    struct node_names *names, struct report *r, struct trim_result *out)
{
	struct head *h = &r->head;

	trim_cut(nodes, &q->filter, r->mem, out);
	trim_sort(nodes, &q->filter, NULL, names, out);
	report_head_fill(h, v, q, r->mem);
	if (!stop_is_set(q->stop))
		h->not_sampled = take_not_sampled(nodes, out);
	if (q->nodecount > 0 && q->nodecount < out->n)
		trim_limit(nodes, (uint32_t)q->nodecount, out);
	report_head_choose_unit(h, nodes, out, false);
	h->n_dropped = out->n_dropped;
	h->n_shown = out->n;
	h->n_before_limit = out->n_before_limit;
}

static int top_make(const struct view *v, const struct query *q, bool with_inlined, struct report *out, struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "top" } };
	struct places pl;
	struct graph g;
	struct nodes nodes;
	struct node_names names;
	struct trim_result t;
	const enum inlined *inlined = NULL;
	int rc = places_make(v->p, &q->filter, r.mem, &pl, err);

	if (rc < 0) {
		report_release(&r);
		return rc;
	}
	graph_make(v, &pl, r.mem, &g);
	nodes = g.nodes;
	node_names_init(&names, &pl, r.mem);
	top_choose_rows(&nodes, v, q, &names, &r, &t);
	if (with_inlined && !stop_is_set(q->stop))
		inlined = trim_inlined(&g, &t, r.mem);
	if (!stop_is_set(q->stop))
		top_fill_table(&r, &g, &t, inlined);
	places_release(&pl);
	rc = stop_check(q->stop, err);
	if (rc == 0 && with_inlined && !inlined)
		rc = err_set(err, ERR_UNKNOWN, "which calls are inlined cannot be found without stacks");
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}

int report_top_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes, struct err *err)
{
	(void)notes;
	return top_make(v, q, true, out, err);
}

int report_top_make_quick(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			  struct err *err)
{
	(void)notes;
	return top_make(v, q, false, out, err);
}

static const struct column sides_columns[N_TOP_SIDES_COLS] = {
	[TOP_SIDES_FLAT_BEFORE] = { "flat_before", "before", CELL_VALUE },
	[TOP_SIDES_FLAT_AFTER] = { "flat_after", "after", CELL_VALUE },
	[TOP_SIDES_FLAT_DELTA] = { "flat_change", "flat +/-", CELL_VALUE },
	[TOP_SIDES_FLAT_DELTA_PCT] = { "flat_change_percent", "flat +/-%", CELL_CHANGE },
	[TOP_SIDES_CUM_BEFORE] = { "cum_before", "cum before", CELL_VALUE },
	[TOP_SIDES_CUM_AFTER] = { "cum_after", "cum after", CELL_VALUE },
	[TOP_SIDES_CUM_DELTA] = { "cum_change", "cum +/-", CELL_VALUE },
	[TOP_SIDES_CUM_DELTA_PCT] = { "cum_change_percent", "cum +/-%", CELL_CHANGE },
	[TOP_SIDES_NAME] = { "name", "", CELL_NAME },
	[TOP_SIDES_INLINED] = { "inlined", "", CELL_NOTE },
};

/* Fill in four cells: before, after, change, and change in percent. */
static void fill_sides_cells(union cell *cell, const int64_t *const sum[N_SIDES], uint32_t node)
{
	int64_t before = sum[SIDE_BASE][node], after = sum[SIDE_NEW][node];

	cell[0].value = before;
	cell[1].value = after;
	cell[2].value = after - before;
	cell[3].real = report_diff_percent(before, after);
}

static void fill_sides_table(struct report *r, const struct graph_sides *g, const struct trim_result *t)
{
	const enum inlined *inlined = trim_inlined(&g->net, t, r->mem);
	struct row_place *place = arena_alloc(r->mem, t->n, sizeof(*place));
	struct row_places places;

	row_places_init(&places, g->net.nodes.places, r->mem);
	r->table = (struct table){ .n_cols = N_TOP_SIDES_COLS, .n_rows = t->n, .col = sides_columns, .place = place };
	r->table.cell = arena_alloc(r->mem, (size_t)t->n * N_TOP_SIDES_COLS, sizeof(*r->table.cell));
	for (uint32_t i = 0; i < t->n; i++) {
		union cell *cell = r->table.cell + (size_t)i * N_TOP_SIDES_COLS;

		fill_sides_cells(cell + TOP_SIDES_FLAT_BEFORE, g->flat, t->node[i]);
		fill_sides_cells(cell + TOP_SIDES_CUM_BEFORE, g->cum, t->node[i]);
		cell[TOP_SIDES_NAME].text = t->name[i];
		cell[TOP_SIDES_INLINED].text = report_top_inlined_note(inlined[i]);
		place[i] = row_places_of(&places, t->node[i]);
		r->head.shown += cell[TOP_SIDES_FLAT_DELTA].value;
	}
}

static void fill_sides(struct report *r, const struct view *v, const struct query *q, const struct places *pl)
{
	struct graph_sides g;
	struct nodes nodes;
	struct node_names names;
	struct trim_result t;

	graph_make_sides(v, pl, r->mem, &g);
	nodes = g.net.nodes;
	node_names_init(&names, pl, r->mem);
	top_choose_rows(&nodes, v, q, &names, r, &t);
	if (!stop_is_set(q->stop))
		fill_sides_table(r, &g, &t);
}

int report_top_sides_make(const struct view *v, const struct query *q, struct report *out, struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "top" } };
	struct places pl;
	int rc = 0;

	if (v->mean)
		rc = err_set(err, ERR_USAGE, "-mean cannot show before and after, since means cannot be added");
	if (rc == 0)
		rc = places_make(v->p, &q->filter, r.mem, &pl, err);
	if (rc == 0) {
		fill_sides(&r, v, q, &pl);
		places_release(&pl);
		rc = stop_check(q->stop, err);
	}
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}
