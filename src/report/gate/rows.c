/*
 * rows.c - rows of a gate: functions of both sides, and the classes of stacks that count for them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions that exceed min-share and min-samples are picked by their sums. Then one walk over the stacks lists the
 * picks of each stack, from leaf to root. Picks with nearly the same samples are merged into one row, and stacks with
 * the same rows and the same leaf cell form a class.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLAT_MAX 0.9      /* share of cum above which flat gets no row of its own */
#define CELL_SAMPLES 20.0 /* all leaves with fewer samples are in one cell */

double gate_part(const struct gate_sums *s, enum side side, double value)
{
	return s->total[side] > 0 ? value / s->total[side] : 0;
}

double gate_effective_samples(double value, double var)
{
	if (!(value > 0))
		return 0;
	return var > 0 ? fmin(value * value / var, STATS_COUNT_MAX) : STATS_COUNT_MAX;
}

static void gate_rows_add_func(struct gate_func *to, const struct gate_func *from)
{
	for (int side = 0; side < N_SIDES; side++) {
		to->cum[side] += from->cum[side];
		to->flat[side] += from->flat[side];
		to->cum_var[side] += from->cum_var[side];
		to->flat_var[side] += from->flat_var[side];
	}
}

/* Add renamed functions to their canonical ones. No stack contains both, since each side lacks one of them. */
static void add_renamed(const struct gate_sums *s, struct arena *mem, struct gate_picks *out)
{
	uint32_t *old_func = arena_alloc(mem, s->n_funcs, sizeof(*old_func));
	struct gate_func *func = NULL;

	for (uint32_t f = 0; f < s->n_funcs; f++)
		old_func[f] = GATE_NO_FUNC;
	for (uint32_t f = 0; f < s->n_funcs; f++) {
		uint32_t is = s->func[f].canonical;

		assert(is < s->n_funcs);
		if (is == f)
			continue;
		if (!func) {
			func = arena_alloc(mem, s->n_funcs, sizeof(*func));
			memcpy(func, s->func, s->n_funcs * sizeof(*func));
		}
		old_func[is] = f;
		gate_rows_add_func(&func[is], &s->func[f]);
		memset(func[f].cum, 0, sizeof(func[f].cum));
		memset(func[f].flat, 0, sizeof(func[f].flat));
	}
	out->old_func = old_func;
	out->func = func ? func : s->func;
}

/* Returns true if a function may exceed a budget. Then it becomes a row even below min-share and min-samples. */
static bool exceeds_budget(const struct gate_picks *p, uint32_t func, double share)
{
	const struct gate_options *options = p->s->options;

	for (size_t i = 0; i < options->n_rules; i++)
		if (options->rule[i].kind == GATE_BUDGET && share > options->rule[i].amount &&
		    gate_rule_matches_func(&options->rule[i], p->s, p->old_func, func))
			return true;
	return false;
}

/* Fill in the numbers of a pick, and compare them with min-share and min-samples. */
static void fill_pick(const struct gate_sums *s, const double *value, const double *var, struct gate_pick *out)
{
	double count = 0, max = 0;

	for (int side = 0; side < N_SIDES; side++) {
		out->part[side] = gate_part(s, side, value[side]);
		count += gate_effective_samples(value[side], var[side]);
		max = fmax(max, out->part[side]);
	}
	out->share = out->part[SIDE_BASE] + out->part[SIDE_NEW];
	assert(out->share >= 0 && count >= 0);
	out->is_above =
		max > 0 && max >= s->options->min_share && (count >= s->options->min_samples || gate_is_exact(s));
}

static void pick_function(struct gate_picks *p, size_t *cap, uint32_t f)
{
	const struct gate_func *func = &p->func[f];
	struct gate_pick cum = { .kind = GATE_CUM, .func = f }, flat = { .kind = GATE_FLAT, .func = f };

	fill_pick(p->s, func->cum, func->cum_var, &cum);
	if (!(cum.share > 0) || (!cum.is_above && !exceeds_budget(p, f, cum.part[SIDE_NEW])))
		return;
	fill_pick(p->s, func->flat, func->flat_var, &flat);
	p->pick = mem_grow(p->pick, cap, (size_t)p->n + 2, sizeof(*p->pick));
	p->pick[p->n++] = cum;
	if (flat.is_above && flat.share < FLAT_MAX * cum.share)
		p->pick[p->n++] = flat;
}

int gate_func_order(const struct gate_func *func, uint32_t a, uint32_t b)
{
	const struct gate_func *l = &func[a], *r = &func[b];
	int d = strcmp(l->name, r->name);

	d = d ? d : strcmp(l->file, r->file);
	if (d == 0)
		d = (l->line > r->line) - (l->line < r->line);
	return d ? d : (a > b) - (a < b);
}

static int compare_picks(const void *a, const void *b, void *arg)
{
	const struct gate_pick *l = a, *r = b;
	int d;

	if (l->share != r->share)
		return l->share > r->share ? -1 : 1;
	d = gate_func_order(arg, l->func, r->func);
	return d ? d : (l->kind > r->kind) - (l->kind < r->kind);
}

static void gate_rows_find_cells(const struct gate_sums *s, struct arena *mem, struct gate_picks *out)
{
	out->n_cells = 1;
	out->leaf_cell = arena_alloc(mem, s->n_funcs, sizeof(*out->leaf_cell));
	for (uint32_t f = 0; f < s->n_funcs; f++) {
		const struct gate_func *func = &out->func[f];
		double count = 0;

		for (int side = 0; side < N_SIDES; side++)
			count += gate_effective_samples(func->flat[side], func->flat_var[side]);
		out->leaf_cell[f] = count < CELL_SAMPLES ? 0 : out->n_cells++;
	}
	assert(out->n_cells <= s->n_funcs + 1);
	for (uint32_t f = 0; f < s->n_funcs; f++)
		out->leaf_cell[f] = out->leaf_cell[s->func[f].canonical];
}

/* Pick the functions that may become rows. */
static void find_picks(const struct gate_sums *s, struct arena *mem, struct gate_picks *out)
{
	size_t cap = 0;

	*out = (struct gate_picks){ .s = s };
	add_renamed(s, mem, out);
	for (uint32_t f = 0; f < s->n_funcs; f++)
		pick_function(out, &cap, f);
	if (out->n)
		qsort_r(out->pick, out->n, sizeof(*out->pick), compare_picks, (void *)out->func);
	assert(out->n / 2 <= s->n_funcs);
	arena_own(mem, out->pick);
	out->cum = arena_alloc(mem, s->n_funcs, sizeof(*out->cum));
	out->flat = arena_alloc(mem, s->n_funcs, sizeof(*out->flat));
	memset(out->cum, 0xff, s->n_funcs * sizeof(*out->cum));
	memset(out->flat, 0xff, s->n_funcs * sizeof(*out->flat));
	for (uint32_t i = 0; i < out->n; i++)
		(out->pick[i].kind == GATE_CUM ? out->cum : out->flat)[out->pick[i].func] = i;
	for (uint32_t f = 0; f < s->n_funcs; f++) {
		out->cum[f] = out->cum[s->func[f].canonical];
		out->flat[f] = out->flat[s->func[f].canonical];
	}
	gate_rows_find_cells(s, mem, out);
}

struct row_builder {
	const struct gate_sums *s;
	struct arena *mem; /* memory of the result */
	struct gate_picks p;
	uint32_t *first, *named; /* [picks] results of gate_picks_merge */
	double *depth;
	uint32_t *row; /* [picks] row of a pick that names a group, else GATE_NO_FUNC */
	bool has_total;
	struct gate_rows *out;
};

/*
 * In the list of classes of a row, each part of the classes has its own range. part->count[row] is the next index in
 * that range.
 */
struct transposition {
	const struct gate_classes *c;
	uint32_t *class;
};

static void gate_rows_transpose(void *arg, unsigned number)
{
	const struct transposition *t = arg;
	const struct gate_class_part *part = &t->c->part[number];
	const uint16_t *row = part->row;

	for (uint32_t i = part->first; i < part->first + part->n; i++)
		for (const uint16_t *end = part->row + t->c->end[i]; row < end; row++)
			t->class[part->count[*row]++] = i;
}

/* List the classes of every row. */
static void list_classes(const struct row_builder *m, const struct gate_classes *c)
{
	struct stats_counts *counts = &m->out->counts;
	struct transposition t = { .c = c };
	uint32_t *off = arena_zalloc(m->mem, (size_t)counts->n_rows + 1, sizeof(*off)), n = 0;

	for (uint32_t row = 0; row < counts->n_rows; row++) {
		if (row == 0 && m->has_total)
			n = c->n;
		for (unsigned i = 0; i < c->n_parts; i++) {
			uint32_t count = c->part[i].count[row];

			c->part[i].count[row] = n;
			n += count;
		}
		off[row + 1] = n;
	}
	t.class = arena_alloc(m->mem, (size_t)n + 1, sizeof(*t.class));
	for (uint32_t i = 0; m->has_total && i < c->n; i++)
		t.class[i] = i;
	pool_run(gate_rows_transpose, &t, c->n_parts);
	assert(off[counts->n_rows] == n);
	counts->row_off = off;
	counts->row_class = t.class;
}

/* Move the columns of the classes to the result. */
static void take_columns(const struct row_builder *m, struct gate_classes *c)
{
	struct stats_counts *counts = &m->out->counts;

	counts->n_classes = c->n;
	counts->n_cells = m->p.n_cells;
	list_classes(m, c);
	counts->cell = arena_own(m->mem, c->cell);
	c->cell = NULL;
	for (int side = 0; side < N_SIDES; side++) {
		counts->value[side] = arena_own(m->mem, c->value[side]);
		counts->var[side] = arena_own(m->mem, c->var[side]);
		c->value[side] = c->var[side] = NULL;
	}
}

struct member {
	uint32_t pick;
	double depth;
	const char *name;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *l = a, *r = b;
	int d;

	if (l->depth != r->depth)
		return l->depth < r->depth ? -1 : 1;
	d = strcmp(l->name, r->name);
	return d ? d : (l->pick > r->pick) - (l->pick < r->pick);
}

/* List the members of each group, except the pick that names it. */
static void list_aliases(const struct row_builder *m)
{
	uint32_t n = m->p.n, *count = mem_zalloc((size_t)n + 1, sizeof(*count));
	struct member **of = mem_zalloc((size_t)n + 1, sizeof(*of));

	for (uint32_t i = 0; i < n; i++)
		count[m->first[i]] += m->named[m->first[i]] != i;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = m->first[i], f = m->p.pick[i].func;
		struct gate_source *source = &m->out->source[m->row[m->named[first]]];

		assert(m->row[m->named[first]] < m->out->n);
		if (m->named[first] == i)
			continue;
		if (!of[first])
			of[first] = mem_alloc(count[first], sizeof(**of));
		of[first][source->n_aliases++] = (struct member){ i, m->depth[i], m->p.func[f].name };
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *alias;

		if (!of[i])
			continue;
		qsort(of[i], count[i], sizeof(**of), compare_members);
		alias = arena_alloc(m->mem, count[i], sizeof(*alias));
		for (uint32_t k = 0; k < count[i]; k++)
			alias[k] = m->p.pick[of[i][k].pick].func;
		m->out->source[m->row[m->named[i]]].alias = alias;
		free(of[i]);
	}
	free(of);
	free(count);
}

/* Make rows in the order of their groups, by descending share; a total comes first. */
static void name_rows(struct row_builder *m)
{
	struct gate_rows *out = m->out;
	uint32_t *old_func;

	out->source = arena_zalloc(m->mem, (size_t)m->p.n + 1, sizeof(*out->source));
	m->row = mem_alloc((size_t)m->p.n + 1, sizeof(*m->row));
	memset(m->row, 0xff, m->p.n * sizeof(*m->row));
	if (m->has_total)
		out->source[out->n++] = (struct gate_source){ .kind = GATE_TOTAL, .func = GATE_NO_FUNC };
	for (uint32_t i = 0; i < m->p.n; i++) {
		const struct gate_pick *pick = &m->p.pick[m->named[i]];

		if (m->first[i] != i)
			continue;
		m->row[m->named[i]] = out->n;
		assert(m->named[i] < m->p.n && m->first[m->named[i]] == i);
		out->source[out->n++] = (struct gate_source){ .kind = pick->kind, .func = pick->func };
	}
	list_aliases(m);
	old_func = arena_alloc(m->mem, (size_t)m->s->n_funcs + 1, sizeof(*old_func));
	memcpy(old_func, m->p.old_func, m->s->n_funcs * sizeof(*old_func));
	out->old_func = old_func;
	out->counts.n_rows = out->n;
}

/* Fill in the value of every row in every file. */
static void fill_files(const struct row_builder *m)
{
	const struct gate_sums *s = m->s;
	struct stats_counts *counts = &m->out->counts;
	double *row_file, *total;
	uint32_t at[N_SIDES] = { 0 };

	for (uint32_t f = 0; f < s->n_files; f++)
		counts->n_files[s->file[f].side]++;
	if (counts->n_files[SIDE_BASE] < 2 && counts->n_files[SIDE_NEW] < 2)
		return;
	at[SIDE_NEW] = counts->n_files[SIDE_BASE];
	row_file = arena_zalloc(m->mem, (size_t)counts->n_rows * s->n_files + 1, sizeof(*row_file));
	total = arena_alloc(m->mem, s->n_files, sizeof(*total));
	for (uint32_t f = 0; f < s->n_files; f++) {
		const struct gate_file *file = &s->file[f];
		uint32_t slot = at[file->side]++;

		assert(slot < s->n_files);
		total[slot] = file->value;
		if (m->has_total)
			row_file[slot] = file->value;
		for (uint32_t k = 0; k < file->n_parts; k++) {
			const struct gate_part *part = &file->part[k];
			uint32_t cum = m->p.cum[part->func], flat = m->p.flat[part->func];

			if (cum != GATE_NO_FUNC && m->row[cum] != GATE_NO_FUNC)
				row_file[(size_t)m->row[cum] * s->n_files + slot] += part->cum;
			if (flat != GATE_NO_FUNC && m->row[flat] != GATE_NO_FUNC)
				row_file[(size_t)m->row[flat] * s->n_files + slot] += part->flat;
		}
	}
	counts->row_file = row_file;
	counts->file_total = total;
}

/* Returns true if the program as a whole can be judged, which requires that all runs did the same work. */
static bool is_total_tested(enum gate_normalize n)
{
	return n == GATE_NONE || n == GATE_WORK || n == GATE_DURATION;
}

int gate_rows_make(const struct gate_sums *s, struct arena *mem, struct gate_rows *out, struct err *err)
{
	struct arena *scratch = arena_new();
	struct row_builder m = { .s = s, .mem = mem, .has_total = is_total_tested(s->options->normalize), .out = out };
	struct gate_lists lists;
	struct gate_classes classes;
	int rc;

	*out = (struct gate_rows){ .n = 0 };
	find_picks(s, scratch, &m.p);
	if (m.p.n > GATE_ROWS_MAX) {
		rc = err_set(err, ERR_LIMIT,
			     "too many rows to judge: %" PRIu32 ", at most %d; raise --min-share or --min-samples",
			     m.p.n, GATE_ROWS_MAX);
		arena_free(scratch);
		return rc;
	}
	rc = gate_lists_make(&m.p, &lists, err);
	if (rc < 0) {
		gate_lists_release(&lists);
		arena_free(scratch);
		return rc;
	}
	m.first = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.first));
	m.named = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.named));
	m.depth = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.depth));
	gate_picks_merge(&m.p, &lists, m.first, m.named, m.depth);
	name_rows(&m);
	gate_classes_make(&m.p, &lists, m.row, out->n, &classes);
	gate_lists_release(&lists);
	take_columns(&m, &classes);
	gate_classes_release(&classes);
	fill_files(&m);
	gate_rows_apply_rules(&m.p, m.first, m.row, mem, out);
	assert(out->counts.n_rows == out->n && out->counts.row_limit && out->counts.row_noise);
	free(m.row);
	arena_free(scratch);
	return 0;
}

/* ---- apply the lines of gate.cpa to rows ---- */

/* Match an expression. If it needs too many steps, it does not match. */
static bool matches_text(struct regex *r, const char *text)
{
	struct err err;
	bool yes = false;

	return *text && regex_match(r, text, strlen(text), &yes, &err) == 0 && yes;
}

bool gate_rule_matches_func(const struct gate_rule *rule, const struct gate_sums *s, const uint32_t *old_func,
			    uint32_t func)
{
	return matches_text(rule->regex, s->func[func].name) || matches_text(rule->regex, s->func[func].file) ||
	       (old_func[func] != GATE_NO_FUNC && (matches_text(rule->regex, s->func[old_func[func]].name) ||
						   matches_text(rule->regex, s->func[old_func[func]].file)));
}

bool gate_rule_matches(const struct gate_rule *rule, const struct gate_sums *s, const struct gate_rows *rows,
		       uint32_t row)
{
	const struct gate_source *source = &rows->source[row];
	bool yes;

	assert(row < rows->n && rule->regex);
	if (source->kind == GATE_TOTAL)
		return matches_text(rule->regex, "total");
	yes = gate_rule_matches_func(rule, s, rows->old_func, source->func);
	for (uint32_t i = 0; !yes && i < source->n_aliases; i++)
		yes = gate_rule_matches_func(rule, s, rows->old_func, source->alias[i]);
	return yes;
}

/* Last line of this kind that matches the row; NULL for none. */
static struct gate_rule *last_rule(const struct gate_sums *s, const struct gate_rows *rows, uint32_t row,
				   enum gate_rule_kind kind)
{
	for (size_t i = s->options->n_rules; i-- > 0;)
		if (s->options->rule[i].kind == kind && gate_rule_matches(&s->options->rule[i], s, rows, row))
			return &s->options->rule[i];
	return NULL;
}

/* Returns true if a gate line matches the row, or there is no gate line. Counts uses of all that match. */
static bool rules_is_selected(const struct gate_sums *s, const struct gate_rows *rows, uint32_t row)
{
	bool any = false, yes = false;

	for (size_t i = 0; i < s->options->n_rules; i++) {
		struct gate_rule *r = &s->options->rule[i];

		if (r->kind != GATE_ONLY)
			continue;
		any = true;
		if (!gate_rule_matches(r, s, rows, row))
			continue;
		yes = true;
		r->n_used++;
	}
	return yes || !any;
}

void gate_rows_apply_rules(const struct gate_picks *p, const uint32_t *first, const uint32_t *row_of, struct arena *mem,
			   struct gate_rows *out)
{
	const struct gate_sums *s = p->s;
	bool *is_tested = arena_zalloc(mem, (size_t)out->n + 1, sizeof(*is_tested));
	bool *is_reference = arena_zalloc(mem, (size_t)out->n + 1, sizeof(*is_reference));
	double *limit = arena_alloc(mem, (size_t)out->n + 1, sizeof(*limit));
	double *noise = arena_alloc(mem, (size_t)out->n + 1, sizeof(*noise));

	for (uint32_t i = 0; i < p->n; i++)
		if (row_of[i] != GATE_NO_FUNC)
			is_tested[row_of[i]] = p->pick[first[i]].is_above;
	for (uint32_t i = 0; i < out->n; i++) {
		struct gate_rule *r = last_rule(s, out, i, GATE_LIMIT);

		limit[i] = r ? r->amount : s->options->threshold;
		if (r)
			r->n_used++;
		r = last_rule(s, out, i, GATE_NOISE);
		noise[i] = r ? fmax(r->amount, s->options->noise) : s->options->noise;
		if (r)
			r->n_used++;
		assert(limit[i] >= 0 && noise[i] >= 0);
		is_reference[i] = out->source[i].kind == GATE_CUM && is_tested[i];
		is_tested[i] = (is_tested[i] || out->source[i].kind == GATE_TOTAL) && rules_is_selected(s, out, i);
	}
	out->counts.row_is_tested = is_tested;
	out->counts.row_is_reference = is_reference;
	out->counts.row_limit = limit;
	out->counts.row_noise = noise;
}
