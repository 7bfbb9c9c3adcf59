/*
 * diff.c - the diff report
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A function that only one side has may have been renamed. One walk over the stacks of each side sums up the callers
 * and callees of such candidates. Only neighbours that exist on both sides count: the similarity of two candidates is
 * the sum, over their neighbours, of the smaller of the two shares.
 */
#include "config.h"

#include "report/diff.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "engine/forest_walk.h"
#include "engine/query.h"
#include "report/neighbours.h"
#include "report/head.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row that only one side has. */
struct rename_row {
	uint32_t row; /* row in the match */
	double share; /* cum in percent of the side's total, at least 0.5 */
	double own;   /* flat in percent of the side's total */
	const char *label;
};

enum { RENAME_ROWS = 50 }; /* max rows of each side that are compared: those with the largest shares */

#define NEAR_WEIGHT 0.2 /* max difference of the shares, relative to the larger one */
#define SAME_WEIGHT 0.5 /* max difference if both callers and callees match, so that only the cost changed */
#define SIMILARITY_MIN 0.8

/* A walk that collects the neighbours of the candidates of one side. */
struct diff_walk {
	const struct diff *d;
	enum side side;
	uint32_t *candidate; /* [rows] index of the candidate, + 1; 0 for other rows */
	bool *marked;        /* [locations] does it contain a candidate? */
	struct neighbours *neighbours;
	uint32_t n_nodes; /* of a forest, so far: number of a node in place of that of a stack */
};

static void report_diff_walk_stack(struct diff_walk *w, uint32_t stack, double v)
{
	const struct diff_side *s = &w->d->side[w->side];
	const struct stack_lists *stacks = &s->view.p->stacks;
	uint32_t callee = PROFILE_NONE;

	for (uint32_t i = stacks->off[stack]; i < stacks->off[stack + 1]; i++) {
		uint32_t n;
		const uint32_t *row = places_of(&s->places, stack_id_at(stacks, i), &n);

		for (uint32_t k = 0; k < n; callee = row[k++]) {
			if (callee == PROFILE_NONE || callee == row[k])
				continue;
			if (w->candidate[callee])
				neighbours_add(w->neighbours, CALL_CALLERS, w->candidate[callee] - 1, row[k], stack, v);
			if (w->candidate[row[k]])
				neighbours_add(w->neighbours, CALL_CALLEES, w->candidate[row[k]] - 1, callee, stack, v);
		}
	}
}

static bool report_diff_has_candidate(const struct diff_walk *w, const struct stack_lists *stacks, uint32_t stack)
{
	bool marked = false;

	for (uint32_t i = stacks->off[stack]; i < stacks->off[stack + 1]; i++)
		marked |= w->marked[stack_id_at(stacks, i)];
	return marked;
}

static void mark_locations(struct diff_walk *w)
{
	const struct places *pl = &w->d->side[w->side].places;

	w->marked = mem_zalloc(pl->p->n_locs, sizeof(*w->marked));
	for (uint32_t loc = 0; loc < pl->p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *row = places_of(pl, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			w->marked[loc] |= w->candidate[row[k]] != 0;
	}
}

/* Does the location at some depth of a path have this call, inside or from its caller? */
static bool report_diff_path_has(const struct diff_walk *w, const uint32_t *path, uint32_t depth, uint32_t callee,
				 uint32_t caller)
{
	const struct places *pl = &w->d->side[w->side].places;
	uint32_t n;
	const uint32_t *row = places_of(pl, path[depth], &n);

	for (uint32_t k = 1; k < n; k++)
		if (row[k - 1] == callee && row[k] == caller)
			return true;
	return row[n - 1] == callee && depth && *places_of(pl, path[depth - 1], &n) == caller;
}

/* Add a call of the last location of a path, unless a caller has it too. */
static void report_diff_add_call(struct diff_walk *w, const uint32_t *path, uint32_t depth, uint32_t callee,
				 uint32_t caller, int64_t sum)
{
	if (callee == caller || (!w->candidate[callee] && !w->candidate[caller]))
		return;
	for (uint32_t at = 0; at < depth; at++)
		if (report_diff_path_has(w, path, at, callee, caller))
			return;
	if (w->candidate[callee])
		neighbours_add(w->neighbours, CALL_CALLERS, w->candidate[callee] - 1, caller, w->n_nodes, (double)sum);
	if (w->candidate[caller])
		neighbours_add(w->neighbours, CALL_CALLEES, w->candidate[caller] - 1, callee, w->n_nodes, (double)sum);
}

static bool report_diff_wants(const void *arg, const uint32_t *path, uint32_t depth)
{
	const struct diff_walk *w = arg;

	return w->marked[path[depth]] || (depth && w->marked[path[depth - 1]]);
}

static void report_diff_enter(void *arg, const uint32_t *path, uint32_t depth)
{
	(void)arg, (void)path, (void)depth;
}

/* The same as report_diff_walk_stack, for a node of a tree. */
static void report_diff_leave(void *arg, const uint32_t *path, uint32_t depth, int64_t sum, int64_t div)
{
	struct diff_walk *w = arg;
	const struct places *pl = &w->d->side[w->side].places;
	uint32_t n, last;
	const uint32_t *row;

	(void)div;
	w->n_nodes++; /* wraps after 2^32 nodes: a call would have to occur in these two nodes only */
	if (!sum)
		return;
	row = places_of(pl, path[depth], &n);
	for (uint32_t k = 1; k < n; k++)
		report_diff_add_call(w, path, depth, row[k - 1], row[k], sum);
	last = row[n - 1];
	if (depth)
		report_diff_add_call(w, path, depth, last, *places_of(pl, path[depth - 1], &n), sum);
}

static void report_diff_walk_tree(const struct view *v, const struct forest_tree *t, void *arg)
{
	static const struct forest_walk walk = { report_diff_wants, report_diff_enter, report_diff_leave };

	walk_tree(v, t, &walk, arg);
}

static bool is_on_both(const void *arg, uint32_t row)
{
	const struct diff *d = arg;

	return (diff_flat(d, SIDE_BASE, row) || diff_cum(d, SIDE_BASE, row)) &&
	       (diff_flat(d, SIDE_NEW, row) || diff_cum(d, SIDE_NEW, row));
}

static void report_diff_find_neighbours(struct neighbours *a, const struct diff *d, enum side side,
					const struct rename_row *row, uint32_t n)
{
	const struct graph *g = &d->side[side].graph;
	struct diff_walk w = { .d = d, .side = side, .neighbours = a };

	neighbours_init(a, n);
	w.candidate = mem_zalloc(match_count(d->match), sizeof(*w.candidate));
	for (uint32_t i = 0; i < n; i++)
		w.candidate[row[i].row] = i + 1;
	mark_locations(&w);
	if (g->view->p->forest)
		walk_forest(g->view, report_diff_walk_tree, (void *[]){ &w }, 1);
	for (uint32_t s = 0; !g->view->p->forest && s < g->view->p->stacks.n; s++)
		if (g->weight[s] && report_diff_has_candidate(&w, &g->view->p->stacks, s))
			report_diff_walk_stack(&w, s, fabs((double)g->weight[s]));
	neighbours_drop(a, is_on_both, d);
	free(w.candidate);
	free(w.marked);
}

struct diff_pair {
	uint32_t removed, added;
	double score;
	struct compare_rename found;
};

static bool report_diff_is_near(double a, double b, double part)
{
	return fabs(a - b) < part * fmax(a, b);
}

/* The last part of a name: after packages, classes and receivers. */
static const char *short_name(const char *name)
{
	const char *at = name;

	for (const char *c = name; *c && *c != '(' && *c != '[' && *c != '<'; c++)
		if (c[1] && c[1] != '(' && (*c == '.' || *c == '/' || *c == ':'))
			at = c + 1;
	return at;
}

static bool is_similar_name(const char *a, const char *b)
{
	size_t n;

	a = short_name(a);
	b = short_name(b);
	n = strlen(a) > strlen(b) ? strlen(a) : strlen(b);
	return n > 0 && utf8_distance(a, b) * 3 <= n;
}

static bool rate_pair(const struct diff *d, const struct rename_row *g, const struct rename_row *c,
		      const struct neighbours_likeness *likeness, struct diff_pair *out)
{
	struct compare_rename *r = &out->found;
	bool both;

	*r = (struct compare_rename){ .from = g->label,
				      .to = c->label,
				      .share_before = g->share,
				      .share_after = c->share,
				      .same_callers = likeness->same[CALL_CALLERS] >= SIMILARITY_MIN,
				      .same_callees = likeness->same[CALL_CALLEES] >= SIMILARITY_MIN,
				      .similar_name = is_similar_name(match_name(d->match, g->row),
								      match_name(d->match, c->row)) };
	both = r->same_callers && r->same_callees;
	if (!report_diff_is_near(g->share, c->share, both ? SAME_WEIGHT : NEAR_WEIGHT) ||
	    !(r->same_callers || r->same_callees || r->similar_name))
		return false;
	out->score = likeness->same[CALL_CALLERS] + likeness->same[CALL_CALLEES] + 2 * r->similar_name +
		     report_diff_is_near(g->own, c->own, NEAR_WEIGHT) -
		     fabs(g->share - c->share) / fmax(g->share, c->share);
	return true;
}

static int report_diff_compare_pairs(const void *a, const void *b)
{
	const struct diff_pair *l = a, *r = b;

	if (l->score != r->score)
		return l->score > r->score ? -1 : 1;
	if (l->removed != r->removed)
		return l->removed < r->removed ? -1 : 1;
	return (l->added > r->added) - (l->added < r->added);
}

static int compare_shares(const void *a, const void *b)
{
	const struct compare_rename *l = a, *r = b;

	if (l->share_before != r->share_before)
		return l->share_before > r->share_before ? -1 : 1;
	return strcmp(l->from, r->from);
}

/* Choose pairs, best first, using each row once. */
static uint32_t choose_pairs(struct diff_pair *pair, size_t n, struct compare_rename out[COMPARE_RENAMES_MAX])
{
	bool removed[RENAME_ROWS] = { false }, added[RENAME_ROWS] = { false };
	uint32_t found = 0;

	qsort(pair, n, sizeof(*pair), report_diff_compare_pairs);
	for (size_t i = 0; i < n && found < COMPARE_RENAMES_MAX; i++) {
		if (removed[pair[i].removed] || added[pair[i].added])
			continue;
		removed[pair[i].removed] = added[pair[i].added] = true;
		out[found++] = pair[i].found;
	}
	assert(found <= COMPARE_RENAMES_MAX);
	qsort(out, found, sizeof(*out), compare_shares);
	return found;
}

/*
 * Find pairs of a row of the base and a row of the new side that may be one renamed function. Both have a cum of at least
 * 0.5 %, the two differ by less than a fifth, and either 80 % of their callers or callees, by weight, are the same, or
 * at most a third of the name differs. If both callers and callees match, the cum of one may be up to twice that of the
 * other: the function was renamed and changed.
 *
 * removed, added  [n_removed], [n_added] rows of base and new, at most RENAME_ROWS each
 * out         the best pairs, each row in at most one of them, largest first; labels are borrowed
 * Returns     the number of pairs in out
 */
static uint32_t report_diff_find_pairs(const struct diff *d, const struct rename_row *removed, uint32_t n_removed,
				       const struct rename_row *added, uint32_t n_added,
				       struct compare_rename out[COMPARE_RENAMES_MAX])
{
	struct neighbours left, right;
	struct diff_pair *pair;
	struct neighbours_likeness *likeness;
	size_t n = 0;

	assert(n_removed <= RENAME_ROWS && n_added <= RENAME_ROWS);
	if (n_removed == 0 || n_added == 0)
		return 0;
	report_diff_find_neighbours(&left, d, SIDE_BASE, removed, n_removed);
	report_diff_find_neighbours(&right, d, SIDE_NEW, added, n_added);
	likeness = neighbours_compare(&left, &right);
	pair = mem_alloc((size_t)n_removed * n_added, sizeof(*pair));
	for (uint32_t g = 0; g < n_removed; g++)
		for (uint32_t c = 0; c < n_added; c++) {
			pair[n].removed = g;
			pair[n].added = c;
			n += rate_pair(d, &removed[g], &added[c], &likeness[(size_t)g * n_added + c], &pair[n]);
		}
	assert(n <= (size_t)n_removed * n_added);
	n_removed = choose_pairs(pair, n, out);
	free(pair);
	free(likeness);
	neighbours_release(&left);
	neighbours_release(&right);
	return n_removed;
}

static const struct column columns[DIFF_COLS] = {
	[DIFF_NAME] = { "name", "name", CELL_NAME },
	[DIFF_FILE] = { "file", "file", CELL_NAME },
	[DIFF_STATE] = { "flat_state", "flat state", CELL_WORD },
	[DIFF_BEFORE] = { "flat_before", "flat before", CELL_VALUE },
	[DIFF_AFTER] = { "flat_after", "flat after", CELL_VALUE },
	[DIFF_DELTA] = { "flat_change", "flat change", CELL_VALUE },
	[DIFF_DELTA_PCT] = { "flat_change_percent", "flat change%", CELL_CHANGE },
	[DIFF_SHARE_BEFORE] = { "flat_percent_before", "flat before%", CELL_RATIO },
	[DIFF_SHARE_AFTER] = { "flat_percent_after", "flat after%", CELL_RATIO },
	[DIFF_CUM_STATE] = { "cum_state", "cum state", CELL_WORD },
	[DIFF_CUM_BEFORE] = { "cum_before", "cum before", CELL_VALUE },
	[DIFF_CUM_AFTER] = { "cum_after", "cum after", CELL_VALUE },
	[DIFF_CUM_DELTA] = { "cum_change", "cum change", CELL_VALUE },
	[DIFF_CUM_DELTA_PCT] = { "cum_change_percent", "cum change%", CELL_CHANGE },
	[DIFF_CUM_SHARE_BEFORE] = { "cum_percent_before", "cum before%", CELL_RATIO },
	[DIFF_CUM_SHARE_AFTER] = { "cum_percent_after", "cum after%", CELL_RATIO },
};

struct diff_row {
	uint32_t id;
	int64_t flat[N_SIDES], cum[N_SIDES];
	uint64_t first, second; /* absolute changes, which are the sort keys of the rows */
	uint64_t weight;        /* value of the larger side, the sort key if changes are equal */
	const char *name, *file;
	bool has_value[N_SIDES]; /* does the side have a value for this row? */
};

struct rows {
	uint32_t n, n_all; /* if n < n_all, the rows to be listed come first */
	struct diff_row *row;
};

double report_diff_percent(int64_t before, int64_t after)
{
	return before ? ((double)after - (double)before) / fabs((double)before) * 100 : NAN;
}

double report_diff_share(int64_t part, int64_t total)
{
	return total ? (double)part / fabs((double)total) * 100 : 0;
}

static int64_t report_diff_change(const int64_t value[N_SIDES])
{
	return diff_subtract(value[SIDE_NEW], value[SIDE_BASE]);
}

static uint64_t report_diff_larger(const int64_t value[N_SIDES])
{
	uint64_t a = num_abs(value[SIDE_BASE]), b = num_abs(value[SIDE_NEW]);

	return a > b ? a : b;
}

/* Collect the rows with a value on either side. */
static void report_diff_collect_rows(const struct diff *d, bool by_cum, struct rows *rows)
{
	uint32_t n = match_count(d->match);

	rows->row = mem_alloc(n, sizeof(*rows->row));
	for (uint32_t id = 0; id < n; id++) {
		struct diff_row r = { .id = id, .name = match_name(d->match, id), .file = match_file(d->match, id) };

		for (int side = 0; side < N_SIDES; side++) {
			r.flat[side] = diff_flat(d, (enum side)side, id);
			r.cum[side] = diff_cum(d, (enum side)side, id);
			r.has_value[side] = r.flat[side] || r.cum[side];
		}
		r.first = num_abs(report_diff_change(by_cum ? r.cum : r.flat));
		r.second = num_abs(report_diff_change(by_cum ? r.flat : r.cum));
		r.weight = report_diff_larger(by_cum ? r.cum : r.flat);
		if (r.has_value[SIDE_BASE] || r.has_value[SIDE_NEW])
			rows->row[rows->n_all++] = r;
	}
	assert(rows->n_all <= n);
}

static bool report_diff_is_wanted(const struct diff *d, const struct query *q, const struct diff_row *r)
{
	bool heavy = false;

	for (int side = 0; side < N_SIDES; side++)
		heavy |= r->has_value[side] &&
			 (double)num_abs(r->cum[side]) >= fabs((double)d->side[side].total) * q->nodefraction;
	return heavy && !(q->drop_negative && report_diff_change(q->sort == SORT_CUM ? r->cum : r->flat) <= 0);
}

/* Compare rows: largest change first, then by name, then by id, which follows the order of the profiles. */
static int report_diff_compare_rows(const void *a, const void *b)
{
	const struct diff_row *l = a, *r = b;
	int c;

	if (l->first != r->first)
		return l->first > r->first ? -1 : 1;
	if (l->second != r->second)
		return l->second > r->second ? -1 : 1;
	if (l->weight != r->weight)
		return l->weight > r->weight ? -1 : 1;
	c = strcmp(l->name, r->name);
	if (c == 0)
		c = strcmp(l->file, r->file);
	return c ? c : (l->id > r->id) - (l->id < r->id);
}

/* Move the wanted rows to the start and sort them; list at most nodecount. */
static void select_rows(const struct diff *d, const struct query *q, struct rows *rows, struct head *h)
{
	for (uint32_t i = 0; i < rows->n_all; i++) {
		struct diff_row r = rows->row[i];

		if (!report_diff_is_wanted(d, q, &r))
			continue;
		rows->row[i] = rows->row[rows->n];
		rows->row[rows->n++] = r;
	}
	assert(rows->n <= rows->n_all);
	h->n_dropped = rows->n_all - rows->n;
	h->n_before_limit = rows->n;
	if (rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), report_diff_compare_rows);
	if (q->nodecount > 0 && q->nodecount < rows->n)
		rows->n = (uint32_t)q->nodecount;
}

static const char *report_diff_state_of(const struct diff_row *r, const int64_t value[N_SIDES])
{
	int64_t by = report_diff_change(value);

	if (!r->has_value[SIDE_BASE])
		return "new";
	if (!r->has_value[SIDE_NEW])
		return "gone";
	return by > 0 ? "grew" : by < 0 ? "shrank" : "same";
}

static void fill_half(const struct diff *d, const struct diff_row *r, const int64_t value[N_SIDES], int shift,
		      union cell *cell)
{
	cell += shift;
	cell[DIFF_STATE].text = report_diff_state_of(r, value);
	cell[DIFF_BEFORE].value = value[SIDE_BASE];
	cell[DIFF_AFTER].value = value[SIDE_NEW];
	cell[DIFF_DELTA].value = report_diff_change(value);
	cell[DIFF_DELTA_PCT].real = report_diff_percent(value[SIDE_BASE], value[SIDE_NEW]);
	cell[DIFF_SHARE_BEFORE].real = report_diff_share(value[SIDE_BASE], d->side[SIDE_BASE].total);
	cell[DIFF_SHARE_AFTER].real = report_diff_share(value[SIDE_NEW], d->side[SIDE_NEW].total);
}

/* Name as printed, followed by the file if another shown row has the same name. */
static const char *report_diff_label_of(const struct diff *d, const struct diff_row *r, bool with_file,
					struct arena *mem)
{
	struct buf text = { 0 };
	const char *label;

	match_add_label(d->match, r->id, with_file, &text);
	label = arena_strndup(mem, buf_text(&text), text.len);
	buf_release(&text);
	return label;
}

static int report_diff_compare_names(const void *a, const void *b)
{
	const struct diff_row *const *l = a, *const *r = b;

	return strcmp((*l)->name, (*r)->name);
}

/* Labels of the shown rows, [rows->n]; with_file permits file names in them. */
static const char **report_diff_labels_of(const struct diff *d, const struct rows *rows, bool with_file,
					  struct arena *mem)
{
	const char **label = arena_alloc(mem, rows->n, sizeof(*label));
	struct diff_row **by_name = mem_alloc(rows->n, sizeof(*by_name));

	for (uint32_t i = 0; i < rows->n; i++)
		by_name[i] = &rows->row[i];
	if (rows->n)
		qsort(by_name, rows->n, sizeof(struct diff_row *), report_diff_compare_names);
	for (uint32_t i = 0; i < rows->n; i++) {
		bool twin = with_file || (i > 0 && strcmp(by_name[i - 1]->name, by_name[i]->name) == 0) ||
			    (i + 1 < rows->n && strcmp(by_name[i + 1]->name, by_name[i]->name) == 0);

		label[by_name[i] - rows->row] = report_diff_label_of(d, by_name[i], twin, mem);
	}
	free(by_name);
	return label;
}

static void report_diff_fill_table(struct report *r, const struct diff *d, const struct rows *rows,
				   const char *const *label)
{
	struct table *t = &r->table;
	uint64_t min = 0;

	t->n_cols = DIFF_COLS;
	t->n_rows = rows->n;
	t->col = columns;
	t->cell = arena_alloc(r->mem, (size_t)rows->n * DIFF_COLS, sizeof(*t->cell));
	for (uint32_t i = 0; i < rows->n; i++) {
		const struct diff_row *row = &rows->row[i];
		union cell *cell = t->cell + (size_t)i * DIFF_COLS;
		uint64_t size = row->first ? row->first : row->second;

		cell[DIFF_NAME].text =
			match_line(d->match, row->id) ? label[i] : arena_strndup(r->mem, row->name, strlen(row->name));
		if (!*cell[DIFF_NAME].text)
			cell[DIFF_NAME].text = label[i];
		cell[DIFF_FILE].text = arena_strndup(r->mem, row->file, strlen(row->file));
		fill_half(d, row, row->flat, 0, cell);
		fill_half(d, row, row->cum, DIFF_CUM_STATE - DIFF_STATE, cell);
		r->head.shown = diff_subtract(r->head.shown, diff_subtract(0, row->flat[SIDE_NEW]));
		if (size && (min == 0 || size < min))
			min = size;
	}
	report_head_choose_unit_for(&r->head, (int64_t)min, false);
}

static void add_clamped(int64_t *sum, int64_t v)
{
	if (num_add(sum, v))
		*sum = v < 0 ? INT64_MIN : INT64_MAX;
}

static void sum_up(const struct diff *d, const struct rows *rows, struct compare *c)
{
	double both[N_SIDES] = { 0 }, all[N_SIDES] = { 0 };

	for (uint32_t i = 0; i < rows->n_all; i++) {
		const struct diff_row *r = &rows->row[i];
		int64_t by = report_diff_change(r->flat);

		for (int side = 0; side < N_SIDES; side++) {
			const struct graph *g = &d->side[side].graph; /* sums before scaling */
			double flat = r->has_value[side] ? fabs((double)nodes_flat(&g->nodes, r->id)) : 0;

			all[side] += flat;
			both[side] += r->has_value[!side] ? flat : 0;
		}
		if (i >= rows->n)
			add_clamped(by > 0 ? &c->omitted_increase : &c->omitted_decrease, by);
	}
	assert(both[SIDE_BASE] <= all[SIDE_BASE] && both[SIDE_NEW] <= all[SIDE_NEW]);
	c->n_omitted = rows->n_all - rows->n;
	c->matched_before = all[SIDE_BASE] > 0 ? both[SIDE_BASE] / all[SIDE_BASE] * 100 : 0;
	c->matched_after = all[SIDE_NEW] > 0 ? both[SIDE_NEW] / all[SIDE_NEW] * 100 : 0;
}

static int report_diff_compare_candidates(const void *a, const void *b)
{
	const struct rename_row *l = a, *r = b;

	if (l->share != r->share)
		return l->share > r->share ? -1 : 1;
	return strcmp(l->label, r->label);
}

/* Find the rows with a share of at least 0.5 % that only this side has: the RENAME_ROWS with the largest shares. */
static uint32_t candidates(const struct diff *d, const struct rows *rows, enum side side, struct arena *mem,
			   struct rename_row **out)
{
	enum side other = side == SIDE_BASE ? SIDE_NEW : SIDE_BASE;
	uint32_t n = 0;

	*out = arena_alloc(mem, rows->n_all, sizeof(**out));
	for (uint32_t i = 0; i < rows->n_all; i++) {
		const struct diff_row *r = &rows->row[i];
		double own = fabs(report_diff_share(r->flat[side], d->side[side].total));
		double share = fmax(own, fabs(report_diff_share(r->cum[side], d->side[side].total)));

		if (r->has_value[other] || share < 0.5)
			continue;
		(*out)[n++] = (struct rename_row){ r->id, share, own, report_diff_label_of(d, r, false, mem) };
	}
	if (n)
		qsort(*out, n, sizeof(**out), report_diff_compare_candidates);
	return n < RENAME_ROWS ? n : RENAME_ROWS;
}

static int find_renames(const struct diff *d, const struct rows *rows, struct arena *mem, struct compare *c,
			struct err *err)
{
	struct rename_row *removed, *added;
	uint32_t n_removed = candidates(d, rows, SIDE_BASE, mem, &removed);
	uint32_t n_added = candidates(d, rows, SIDE_NEW, mem, &added);

	assert(n_removed <= RENAME_ROWS && n_added <= RENAME_ROWS);
	if (n_removed && n_added && (d->side[SIDE_BASE].view.p->sums || d->side[SIDE_NEW].view.p->sums))
		return err_set(err, ERR_UNKNOWN, "renamed functions cannot be found without stacks");
	c->n_renames = report_diff_find_pairs(d, removed, n_removed, added, n_added, c->rename);
	return 0;
}

static void report_diff_fill_compare(struct report *r, const struct diff *d, const struct side_sources from[N_SIDES],
				     const struct query *q, struct compare *c)
{
	struct buf word = { 0 };

	side_fill(&c->before, d->side[SIDE_BASE].view.p, &from[SIDE_BASE], d->side[SIDE_BASE].total, r->mem);
	side_fill(&c->after, d->side[SIDE_NEW].view.p, &from[SIDE_NEW], d->side[SIDE_NEW].total, r->mem);
	buf_addz(&word, normalize_modes[d->normal.by]);
	if (d->normal.by == NORMALIZE_LABEL)
		buf_addf(&word, ":%s", d->normal.key);
	c->normalize = arena_strndup(r->mem, word.data, word.len);
	buf_release(&word);
	c->n_profiles = 2;
	c->factor = d->factor;
	c->by_period = d->by_period;
	c->by_cum = q->sort == SORT_CUM;
}

int report_diff(const struct profile *const p[N_SIDES], const struct side_sources from[N_SIDES], const struct query *q,
		struct report *out, struct buf *notes, struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "diff" } };
	struct compare *c = arena_zalloc(r.mem, 1, sizeof(*c));
	struct arena *mem = arena_new();
	struct rows rows = { 0 };
	struct diff d;
	int rc = diff_make(p, &q->filter, mem, &d, notes, err);

	if (rc == 0) {
		side_warn(p[SIDE_BASE], p[SIDE_NEW], d.normal.by != NORMALIZE_NONE, notes);
		report_head_fill(&r.head, &d.side[SIDE_NEW].view, q, r.mem);
		r.head.unit = d.unit;
		r.head.total = d.side[SIDE_NEW].total;
		r.head.compare = c;
		report_diff_fill_compare(&r, &d, from, q, c);
		report_diff_collect_rows(&d, q->sort == SORT_CUM, &rows);
		select_rows(&d, q, &rows, &r.head);
		c->label = report_diff_labels_of(&d, &rows, q->granularity == GRAIN_FILEFUNCTIONS, r.mem);
		report_diff_fill_table(&r, &d, &rows, c->label);
		sum_up(&d, &rows, c);
		rc = find_renames(&d, &rows, r.mem, c, err);
		if (rows.n_all == 0 && d.side[SIDE_BASE].total == 0 && d.side[SIDE_NEW].total == 0)
			buf_addf(notes, "every value of %s is 0 on both sides\n", r.head.type);
		free(rows.row);
		diff_release(&d);
	}
	if (rc == 0)
		*out = r;
	arena_free(mem);
	if (rc < 0)
		arena_free(r.mem);
	return rc;
}
