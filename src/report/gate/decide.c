/*
 * decide.c - the answer of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/decide_int.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(struct deciding *d, const char *fmt, va_list args)
{
	struct buf b = { 0 };
	const char *text;

	buf_vaddf(&b, fmt, args);
	text = arena_strndup(d->out->mem, buf_text(&b), b.len);
	buf_release(&b);
	return text;
}

const char *decide_text(struct deciding *d, const char *fmt, ...)
{
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = text_of(d, fmt, args);
	va_end(args);
	return text;
}

const char *decide_copy(struct deciding *d, const char *s)
{
	return s ? arena_strndup(d->out->mem, s, strlen(s)) : "";
}

void decide_say(struct deciding *d, int list, const char *id, const char *fmt, ...)
{
	struct gate_message *m;
	va_list args;

	d->message[list] =
		mem_grow(d->message[list], &d->cap_messages[list], d->n_messages[list] + 1, sizeof(*d->message[list]));
	m = &d->message[list][d->n_messages[list]++];
	va_start(args, fmt);
	*m = (struct gate_message){ .id = id, .text = text_of(d, fmt, args) };
	va_end(args);
}

/* What all files of a side have in common, "" when they differ. */
static const char *common(const char *so_far, const char *next, uint32_t n_before)
{
	next = next ? next : "";
	return n_before == 0 || strcmp(so_far, next) == 0 ? next : "";
}

static void describe_side(struct deciding *d, int side)
{
	struct gate_side *g = &d->out->side[side];
	const char **source = arena_alloc(d->out->mem, d->s->n_files, sizeof(*source));
	double preempted = 0;
	bool timed = true;

	*g = (struct gate_side){ .source = source, .value = d->s->total[side], .build_id = "", .host = "" };
	g->samples = stats_count(d->s->total[side], d->s->var[side]);
	for (uint32_t i = 0; i < d->s->n_files; i++) {
		const struct gate_file *f = &d->s->file[i];

		if ((int)f->side != side)
			continue;
		timed &= f->seconds > 0;
		g->seconds += f->seconds;
		preempted += f->preempted;
		g->period = g->n_files ? g->period : f->period;
		g->build_id = common(g->build_id, f->build_id, g->n_files);
		g->host = common(g->host, f->host, g->n_files);
		source[g->n_files++] = decide_copy(d, f->source);
	}
	g->seconds = timed ? g->seconds : 0;
	g->preempted = g->value > 0 ? preempted / g->value : 0;
	g->build_id = decide_copy(d, g->build_id);
	g->host = decide_copy(d, g->host);
}

static void add_sums(struct deciding *d)
{
	const struct gate_sums *s = d->s;

	d->sum = mem_zalloc(s->n_funcs ? s->n_funcs : 1, sizeof(*d->sum));
	for (uint32_t i = 0; i < s->n_funcs; i++) {
		const struct gate_func *f = &s->func[i];
		struct decide_sum *sum = &d->sum[f->is];

		for (int side = 0; side < N_STATS_SIDES; side++) {
			sum->cum[side] += f->cum[side];
			sum->flat[side] += f->flat[side];
			sum->cum_var[side] += f->cum_var[side];
			sum->flat_var[side] += f->flat_var[side];
		}
	}
}

/* The larger the earlier; what has no number comes last. */
static int by_number(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static double effect(const struct gate_row *r)
{
	if (r->verdict == GATE_NEW)
		return r->share[STATS_NEW];
	if (r->verdict == GATE_GONE)
		return r->share[STATS_BASE];
	if (r->verdict == GATE_IMPROVED) /* how much was saved, and not the smallest function that nearly vanished */
		return r->share[STATS_BASE] - r->share[STATS_NEW];
	return r->ratio;
}

static int row_order(const void *a, const void *b)
{
	const struct gate_row *x = a, *y = b;
	int c;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	c = by_number(effect(x), effect(y));
	c = c ? c : by_number(x->share[STATS_NEW], y->share[STATS_NEW]);
	c = c ? c : strcmp(x->name, y->name);
	c = c ? c : (int)x->kind - (int)y->kind;
	c = c ? c : strcmp(x->file, y->file);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}

static void show_rows(struct deciding *d)
{
	struct gate_row *row = arena_alloc(d->out->mem, d->n_rows, sizeof(*row));
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n_rows; i++)
		if (!d->row[i].is_hidden)
			row[n++] = d->row[i].shown;
	qsort(row, n, sizeof(*row), row_order);
	for (uint32_t i = 0; i < n; i++)
		d->out->n_verdict[row[i].verdict]++;
	d->out->row = row;
	d->out->n_rows = n;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Where samples do not weigh the same, a function with half of the value need not have half of the effective count,
 * and a few heavy samples make that of the whole small. What a share is worth is then told by the rows: the median.
 */
static void count_samples(struct deciding *d, int side)
{
	double *worth, total = d->s->total[side];
	uint32_t n = 0;

	if (fabs(d->s->var[side] - total) <= 1e-9 * total)
		return;
	worth = mem_alloc((size_t)d->n_rows + 1, sizeof(*worth));
	for (uint32_t i = 0; i < d->n_rows; i++) {
		const struct gate_row *row = &d->row[i].shown;

		if (row->kind == GATE_CUM && row->share[side] > 0)
			worth[n++] = fmin(row->count[side] / row->share[side], STATS_COUNT_MAX);
	}
	qsort(worth, n, sizeof(*worth), by_size);
	if (n)
		d->out->side[side].samples = worth[n / 2];
	free(worth);
}

/* Does a row stand for this function, by itself or as an alias? */
static bool stands_for(const struct gate_row *row, const char *name)
{
	bool yes = row->kind == GATE_CUM && strcmp(row->name, name) == 0;

	for (uint32_t i = 0; row->kind == GATE_CUM && !yes && i < row->n_aliases; i++)
		yes = strcmp(row->alias[i], name) == 0;
	return yes;
}

/* Renames that were tried have a cost now: that of the row. */
static void cost_renames(struct deciding *d)
{
	struct gate *g = d->out;
	struct gate_rename *rename = arena_alloc(g->mem, g->n_renames, sizeof(*rename));

	for (uint32_t i = 0; i < g->n_renames; i++) {
		rename[i] = g->rename[i];
		for (uint32_t k = 0; k < g->n_rows; k++)
			if (stands_for(&g->row[k], rename[i].to))
				rename[i].ratio = g->row[k].ratio;
	}
	g->rename = rename;
}

void decide_common(const struct deciding *d, double share[N_STATS_SIDES])
{
	for (int side = 0; side < N_STATS_SIDES; side++) {
		double sum = 0;

		for (uint32_t i = 0; i < d->s->n_funcs; i++)
			sum += d->sum[i].cum[!side] > 0 ? d->sum[i].flat[side] : 0;
		share[side] = sum / d->s->total[side];
	}
}

/* Two programs have names like main.main in common: what is tested then is not what was meant. */
static bool are_unlike(const struct deciding *d)
{
	static const double least = 0.25;
	double share[N_STATS_SIDES];

	decide_common(d, share);
	return share[STATS_BASE] < least || share[STATS_NEW] < least;
}

static void settle(struct deciding *d)
{
	struct gate *g = d->out;
	const struct gate_side *side = g->side;
	double samples = 2 / (1 / side[STATS_BASE].samples + 1 / side[STATS_NEW].samples);

	g->is_unlike = are_unlike(d);
	g->is_weak = !d->options->has_need && !(g->power[0].ratio <= 2);
	if (g->n_verdict[GATE_FAIL])
		g->outcome = GATE_RED;
	else if (g->n_verdict[GATE_SUSPECT] || g->n_tests == 0 || g->is_unlike || g->is_weak ||
		 (d->options->has_need && samples < g->need_samples))
		g->outcome = GATE_INCONCLUSIVE;
	else
		g->outcome = GATE_PASS;
	g->status = g->outcome == GATE_RED ? 1 : g->outcome == GATE_INCONCLUSIVE ? d->options->inconclusive : 0;
}

static const struct gate_message *keep(struct deciding *d, int list)
{
	size_t n = d->n_messages[list];
	struct gate_message *m = arena_alloc(d->out->mem, n, sizeof(*m));

	if (n)
		memcpy(m, d->message[list], n * sizeof(*m));
	free(d->message[list]);
	return m;
}

void gate_decide(const struct gate_sums *s, const struct gate_rows *rows, const struct stats_judged *judged,
		 struct gate *out)
{
	struct deciding d = { .s = s, .rows = rows, .judged = judged, .options = s->options, .out = out };

	out->options = s->options;
	out->type = decide_copy(&d, s->type);
	out->unit = decide_copy(&d, s->unit);
	out->period_unit = decide_copy(&d, s->period_unit);
	out->total_ratio = judged->total_ratio;
	for (int side = 0; side < N_STATS_SIDES; side++)
		describe_side(&d, side);
	add_sums(&d);
	decide_tested(&d);
	decide_shares(&d);
	decide_mercy(&d);
	for (int side = 0; side < N_STATS_SIDES; side++)
		count_samples(&d, side);
	show_rows(&d);
	cost_renames(&d);
	decide_power(&d);
	settle(&d);
	decide_notes(&d);
	decide_warnings(&d);
	out->n_notes = (uint32_t)d.n_messages[DECIDE_NOTE];
	out->note = keep(&d, DECIDE_NOTE);
	out->n_warnings = (uint32_t)d.n_messages[DECIDE_WARNING];
	out->warning = keep(&d, DECIDE_WARNING);
	free(d.row);
	free(d.sum);
}

void gate_release(struct gate *g)
{
	arena_free(g->mem);
	*g = (struct gate){ 0 };
}
