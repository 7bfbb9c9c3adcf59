/*
 * rows_pick.c - functions that may become rows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOME_FLAT 0.9     /* of cum: above that flat says nothing new */
#define CELL_SAMPLES 20.0 /* leaves with fewer are one cell */
#define MOST_COUNT 1e9

double gate_part(const struct gate_sums *s, enum stats_side side, double value)
{
	return s->total[side] > 0 ? value / s->total[side] : 0;
}

double gate_count(double value, double var)
{
	if (!(value > 0))
		return 0;
	return var > 0 ? fmin(value * value / var, MOST_COUNT) : MOST_COUNT;
}

static void add_func(struct gate_func *to, const struct gate_func *from)
{
	for (int side = 0; side < N_STATS_SIDES; side++) {
		to->cum[side] += from->cum[side];
		to->flat[side] += from->flat[side];
		to->cum_var[side] += from->cum_var[side];
		to->flat_var[side] += from->flat_var[side];
	}
}

/* Add renamed functions to those they count for. No stack has both, for either side lacks one of them. */
static void unite(const struct gate_sums *s, struct arena *mem, struct gate_picks *out)
{
	uint32_t *was = arena_alloc(mem, s->n_funcs, sizeof(*was));
	struct gate_func *func = NULL;

	for (uint32_t f = 0; f < s->n_funcs; f++)
		was[f] = GATE_NO_FUNC;
	for (uint32_t f = 0; f < s->n_funcs; f++) {
		uint32_t is = s->func[f].is;

		if (is == f)
			continue;
		if (!func) {
			func = arena_alloc(mem, s->n_funcs, sizeof(*func));
			memcpy(func, s->func, s->n_funcs * sizeof(*func));
		}
		was[is] = f;
		add_func(&func[is], &s->func[f]);
		memset(func[f].cum, 0, sizeof(func[f].cum));
		memset(func[f].flat, 0, sizeof(func[f].flat));
	}
	out->was = was;
	out->func = func ? func : s->func;
}

/* May a budget be exceeded? Then the function is a row whatever the floors. */
static bool has_budget(const struct gate_picks *p, uint32_t func, double share)
{
	const struct gate_options *options = p->s->options;

	for (size_t i = 0; i < options->n_rules; i++)
		if (options->rule[i].kind == GATE_BUDGET && share > options->rule[i].amount &&
		    gate_rule_fits_func(&options->rule[i], p->s, p->was, func))
			return true;
	return false;
}

/* The numbers of a pick: is it above the floors? */
static void weigh(const struct gate_sums *s, const double *value, const double *var, struct gate_pick *out)
{
	double count = 0, most = 0;

	for (int side = 0; side < N_STATS_SIDES; side++) {
		out->part[side] = gate_part(s, side, value[side]);
		count += gate_count(value[side], var[side]);
		most = fmax(most, out->part[side]);
	}
	out->share = out->part[STATS_BASE] + out->part[STATS_NEW];
	out->is_above = most > 0 && most >= s->options->min_share && count >= s->options->min_samples;
}

static void pick(struct gate_picks *p, size_t *cap, uint32_t f)
{
	const struct gate_func *func = &p->func[f];
	struct gate_pick cum = { .kind = GATE_CUM, .func = f }, flat = { .kind = GATE_FLAT, .func = f };

	weigh(p->s, func->cum, func->cum_var, &cum);
	if (!(cum.share > 0) || (!cum.is_above && !has_budget(p, f, cum.part[STATS_NEW])))
		return;
	weigh(p->s, func->flat, func->flat_var, &flat);
	p->pick = mem_grow(p->pick, cap, (size_t)p->n + 2, sizeof(*p->pick));
	p->pick[p->n++] = cum;
	if (flat.is_above && flat.share < SOME_FLAT * cum.share)
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

static void find_cells(const struct gate_sums *s, struct arena *mem, struct gate_picks *out)
{
	out->n_cells = 1;
	out->cell = arena_alloc(mem, s->n_funcs, sizeof(*out->cell));
	for (uint32_t f = 0; f < s->n_funcs; f++) {
		const struct gate_func *func = &out->func[f];
		double count = 0;

		for (int side = 0; side < N_STATS_SIDES; side++)
			count += gate_count(func->flat[side], func->flat_var[side]);
		out->cell[f] = count < CELL_SAMPLES ? 0 : out->n_cells++;
	}
	for (uint32_t f = 0; f < s->n_funcs; f++)
		out->cell[f] = out->cell[s->func[f].is];
}

void gate_picks_make(const struct gate_sums *s, struct arena *mem, struct gate_picks *out)
{
	size_t cap = 0;

	*out = (struct gate_picks){ .s = s };
	unite(s, mem, out);
	for (uint32_t f = 0; f < s->n_funcs; f++)
		pick(out, &cap, f);
	if (out->n)
		qsort_r(out->pick, out->n, sizeof(*out->pick), compare_picks, (void *)out->func);
	arena_own(mem, out->pick);
	out->cum = arena_alloc(mem, s->n_funcs, sizeof(*out->cum));
	out->flat = arena_alloc(mem, s->n_funcs, sizeof(*out->flat));
	memset(out->cum, 0xff, s->n_funcs * sizeof(*out->cum));
	memset(out->flat, 0xff, s->n_funcs * sizeof(*out->flat));
	for (uint32_t i = 0; i < out->n; i++)
		(out->pick[i].kind == GATE_CUM ? out->cum : out->flat)[out->pick[i].func] = i;
	for (uint32_t f = 0; f < s->n_funcs; f++) {
		out->cum[f] = out->cum[s->func[f].is];
		out->flat[f] = out->flat[s->func[f].is];
	}
	find_cells(s, mem, out);
}
