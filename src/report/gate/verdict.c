/*
 * verdict.c - what a test says of a function
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/decide_int.h"

#include "base/arena.h"
#include "base/mem.h"

#include <math.h>

static const double z_moved = 1.645, p_proved = 0.05;

static enum gate_verdict of_test(const struct gate_options *options, const struct stats_row *t, double limit)
{
	if (t->value[STATS_BASE] <= 0)
		return GATE_NEW;
	if (t->value[STATS_NEW] <= 0)
		return GATE_GONE;
	if (t->p_adjusted < options->alpha && t->ratio > 1 + limit)
		return GATE_FAIL;
	if (t->p_adjusted < options->alpha_suspect && t->ratio > 1 + limit)
		return GATE_SUSPECT;
	if (t->p_less_adjusted < options->alpha && t->ratio < 1 / (1 + limit))
		return GATE_IMPROVED;
	return t->p_over < p_proved ? GATE_OK : GATE_UNRESOLVED;
}

/* Half a sample of a sum: what is added so that none is zero. */
static double half(double value, double var)
{
	return value > 0 ? var / value / 2 : 0;
}

/* Did what the function calls become cheaper by at least half of what it became more expensive by itself? Then code
   of a callee is in it now: inlined without a frame, or moved. */
static bool was_moved(const struct deciding *d, const struct decide_row *r, double *part)
{
	const struct stats_row *t = &d->judged->row[r->at];
	const struct decide_sum *sum;
	double callees[N_STATS_SIDES], var[N_STATS_SIDES], h = 0, se2 = 2 * d->options->noise * d->options->noise;
	double rho = t->rho, grown, shrunk;

	if (r->shown.kind != GATE_FLAT || !(rho > 0))
		return false;
	sum = &d->sum[d->rows->source[r->at].func];
	grown = sum->flat[STATS_NEW] - rho * sum->flat[STATS_BASE];
	for (int side = 0; side < N_STATS_SIDES; side++) {
		callees[side] = fmax(0, sum->cum[side] - sum->flat[side]);
		var[side] = fmax(0, sum->cum_var[side] - sum->flat_var[side]);
		h = fmax(h, half(callees[side], var[side]));
	}
	if (callees[STATS_BASE] <= 0 || grown <= 0)
		return false;
	for (int side = 0; side < N_STATS_SIDES; side++) {
		double k = callees[side] > 0 && var[side] > 0 ? callees[side] * callees[side] / var[side] : 0;

		se2 += t->phi / (k + 0.5);
	}
	shrunk = rho * callees[STATS_BASE] - callees[STATS_NEW];
	*part = shrunk / grown;
	return shrunk >= grown / 2 &&
	       (log((callees[STATS_NEW] + h) / (callees[STATS_BASE] + h)) - log(rho)) / sqrt(se2) < -z_moved;
}

static void name_row(struct deciding *d, const struct gate_source *source, struct gate_row *row)
{
	const struct gate_func *f = &d->s->func[source->func];
	const char **alias = arena_alloc(d->out->mem, source->n_aliases, sizeof(*alias));
	uint32_t was = d->rows->was ? d->rows->was[source->func] : GATE_NO_FUNC;

	for (uint32_t i = 0; i < source->n_aliases; i++)
		alias[i] = decide_copy(d, d->s->func[source->alias[i]].name);
	row->alias = alias;
	row->n_aliases = source->n_aliases;
	row->name = decide_copy(d, f->name);
	row->file = decide_copy(d, f->file);
	row->line = f->line;
	if (was != GATE_NO_FUNC)
		row->was = decide_copy(d, d->s->func[was].name);
}

static void add_row(struct deciding *d, uint32_t i)
{
	const struct gate_source *source = &d->rows->source[i];
	const struct stats_counts *c = &d->rows->counts;
	const struct stats_row *t = &d->judged->row[i];
	struct decide_row *r = &d->row[d->n_rows++];

	*r = (struct decide_row){ .at = i, .is_hidden = c->row_is_tested && !c->row_is_tested[i] };
	r->shown = (struct gate_row){
		.kind = source->kind,
		.name = "",
		.file = "",
		.was = "",
		.reason = "",
		.ratio = t->ratio,
		.lo = t->lo,
		.hi = t->hi,
		.p = t->p,
		.p_adjusted = t->p_adjusted,
		.limit = c->row_limit[i],
		.phi = t->phi,
	};
	for (int side = 0; side < N_STATS_SIDES; side++) {
		r->shown.value[side] = t->value[side];
		r->shown.count[side] = t->count[side];
		r->shown.share[side] = d->s->total[side] > 0 ? t->value[side] / d->s->total[side] : 0;
	}
	if (source->kind != GATE_TOTAL)
		name_row(d, source, &r->shown);
	r->shown.verdict = r->is_hidden ? GATE_SKIPPED : of_test(d->options, t, r->shown.limit);
	d->out->n_tests += !isnan(t->p);
}

/* What the verdict of a test alone does not tell. */
static void explain(struct deciding *d, struct decide_row *r)
{
	struct gate_row *shown = &r->shown;
	double part;

	if ((shown->verdict == GATE_FAIL || shown->verdict == GATE_SUSPECT) && was_moved(d, r, &part)) {
		shown->verdict = GATE_MOVED;
		shown->reason =
			decide_text(d, "what it calls became cheaper by %.0f%% of that: inlined or moved", part * 100);
	} else if (shown->verdict == GATE_NEW && shown->kind == GATE_FLAT &&
		   d->sum[d->rows->source[r->at].func].cum[STATS_BASE] > 0) {
		shown->reason = "base has it, but never as leaf";
	} else if (shown->verdict == GATE_UNRESOLVED && isnan(shown->p)) {
		shown->reason = "too little of the program is outside of it to compare it with";
	}
}

void decide_tested(struct deciding *d)
{
	d->row = mem_alloc(d->rows->n ? d->rows->n : 1, sizeof(*d->row));
	for (uint32_t i = 0; i < d->rows->n; i++) {
		const struct stats_row *t = &d->judged->row[i];

		if (t->value[STATS_BASE] <= 0 && t->value[STATS_NEW] <= 0)
			continue;
		add_row(d, i);
		explain(d, &d->row[d->n_rows - 1]);
	}
}
