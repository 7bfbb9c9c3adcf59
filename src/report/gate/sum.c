/*
 * sum.c - the profiles of a gate, added up
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "profile/scale.h"
#include "report/gate/names.h"
#include "report/gate/sum_int.h"
#include "report/side.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gate_sum *gate_sum_new(const struct gate_options *options)
{
	struct gate_sum *s = mem_zalloc(1, sizeof(*s));

	s->options = options;
	s->match = match_new();
	s->mem = arena_new();
	sum_paths_init(&s->paths);
	return s;
}

void gate_sum_free(struct gate_sum *s)
{
	if (!s)
		return;
	match_free(s->match);
	sum_paths_release(&s->paths);
	free(s->file);
	free(s->func);
	free(s->folds);
	free(s->new_line);
	arena_free(s->mem);
	free(s);
}

const char *sum_side_word(enum stats_side side)
{
	return side == STATS_BASE ? "base" : "new";
}

int sum_refuse(const struct sum_adding *a, int code, const char *fmt, ...)
{
	char text[900];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(a->err, code, "%s: %.*s %s", sum_side_word(a->side), 100, a->source, text);
}

/* The sentence of an error from below, likewise. */
static int wrap(const struct sum_adding *a, int rc)
{
	if (rc < 0 && rc != ERR_STOPPED)
		err_wrap(a->err, "%s: %.*s", sum_side_word(a->side), 100, a->source);
	return rc;
}

/* A difference of profiles is none. */
static int check_signs(const struct sum_adding *a, const struct profile *p, uint32_t type)
{
	const int64_t *v = p->value[SIDE_TARGET][type];

	if (p->value[SIDE_BASE])
		return sum_refuse(a, ERR_FORMAT, "is a difference of profiles; pass both of them");
	for (uint32_t i = 0; i < p->n_rows; i++)
		if (v[i] < 0)
			return sum_refuse(a, ERR_FORMAT,
					  "has a negative value (%" PRId64 " %.100s in sample %" PRIu32
					  "): a difference of profiles cannot be compared, pass both of them",
					  v[i], profile_text(p, p->type[type].name), i + 1);
	return 0;
}

static int make_view(struct sum_adding *a, const struct profile *p)
{
	struct query own = *a->q;
	char number[16];
	int rc;

	if (own.mean)
		return sum_refuse(a, ERR_USAGE, "cannot be compared by -mean");
	snprintf(number, sizeof(number), "%" PRIu32, a->kinds.type);
	own.sample_index = number;
	rc = view_make(p, &own, a->mem, &a->view, a->notes, a->err);
	return wrap(a, rc);
}

static void add_variances(struct sum_adding *a)
{
	const struct view *v = &a->view;
	const struct kinds *k = &a->kinds;
	const int64_t *with = k->partner == PROFILE_NONE ? NULL : v->p->value[SIDE_TARGET][k->partner];

	a->var = arena_own(a->mem, mem_zalloc(v->p->stacks.n, sizeof(*a->var)));
	for (uint32_t i = 0; i < v->n && !stop_step(v->stop, i); i++) {
		double var = kinds_variance(k, (double)v->val[SIDE_TARGET][i], with ? (double)with[i] : 0);

		a->var[v->p->stack[i]] += var;
		a->file.var += var * a->unit * a->unit;
	}
}

/* Values and variances of the stacks of the view. */
static int add_stacks(struct sum_adding *a)
{
	const struct view *v = &a->view;
	int64_t total = 0;

	a->value = arena_own(a->mem, mem_zalloc(v->p->stacks.n, sizeof(*a->value)));
	stop_begin(v->stop, "adding up samples", v->n);
	for (uint32_t i = 0; i < v->n && !stop_step(v->stop, i); i++) {
		a->value[v->p->stack[i]] += v->val[SIDE_TARGET][i];
		total += v->val[SIDE_TARGET][i];
	}
	a->file.value = (double)total * a->unit;
	if (a->kinds.rule == KINDS_STEPS)
		a->file.var = kinds_variance(&a->kinds, (double)total, 0) * a->unit * a->unit;
	else
		add_variances(a);
	return stop_check(v->stop, a->err);
}

/* What is empty is not the same as fast. */
static int check_totals(const struct sum_adding *a, const struct profile *p)
{
	const int64_t *all = p->value[SIDE_TARGET][a->kinds.type];
	const char *type = profile_text(p, p->type[a->kinds.type].name);
	uint32_t i;

	for (i = 0; i < p->n_rows && all[i] == 0; i++)
		;
	if (p->n_rows == 0)
		return sum_refuse(a, ERR_FORMAT, "has no samples");
	if (i == p->n_rows)
		return sum_refuse(a, ERR_FORMAT, "has no sample with a value of %.100s", type);
	if (!isfinite(a->file.value) || !isfinite(a->file.var))
		return sum_refuse(a, ERR_RANGE, "has values of %.100s that are too large to compare", type);
	if (a->file.value <= 0)
		return sum_refuse(a, ERR_FORMAT, "has no sample that passes the filters");
	return 0;
}

static int match_functions(struct sum_adding *a)
{
	struct gate_names names = { a->sum->options, a->side == STATS_BASE };
	struct query q = *a->q;
	int rc;

	q.granularity = GRAIN_FUNCTIONS;
	rc = match_query(&q, &q, a->err);
	if (rc == 0)
		rc = places_make(a->view.p, &q, a->mem, &a->places, a->err);
	if (rc < 0)
		return wrap(a, rc);
	match_set_names(a->sum->match, gate_names_add, &names);
	rc = match_places(a->sum->match, &a->places, a->err);
	match_set_names(a->sum->match, NULL, NULL);
	places_release(&a->places);
	if (rc == 0)
		rc = sum_take_functions(a);
	return wrap(a, rc);
}

static const char *copy(struct gate_sum *s, const char *text)
{
	return arena_strndup(s->mem, text, strlen(text));
}

/* What the file says about itself. */
static void describe(struct sum_adding *a, const struct profile *p)
{
	const struct side_sources from = { &a->source, 1 };
	struct gate_file *f = &a->file;
	struct compare_side side;

	side_fill(&side, p, &from, 0, a->mem);
	f->side = a->side;
	f->source = copy(a->sum, a->source);
	f->seconds = p->meta.duration_ns > 0 ? (double)p->meta.duration_ns / 1e9 : 0;
	f->period = sum_period(a, p);
	f->time_ns = p->meta.time_ns;
	f->cpu_seconds = kinds_cpu_seconds(p);
	f->build_id = copy(a->sum, side.build_id);
	f->host = copy(a->sum, side.host);
	f->binary = copy(a->sum, side.file);
}

static int add(struct sum_adding *a, const struct profile *p)
{
	struct gate_sum *s = a->sum;
	int rc = sum_fit(a, p);

	if (rc == 0)
		rc = check_signs(a, p, a->kinds.type);
	if (rc == 0 && a->kinds.partner != PROFILE_NONE)
		rc = check_signs(a, p, a->kinds.partner);
	if (rc == 0)
		rc = make_view(a, p);
	if (rc == 0)
		rc = add_stacks(a);
	if (rc == 0)
		rc = check_totals(a, p);
	if (rc == 0)
		rc = match_functions(a);
	if (rc == 0)
		rc = sum_walk(a);
	if (rc == 0 && a->file.n_parts == 0)
		rc = sum_refuse(a, ERR_FORMAT, "has no sample with a stack");
	if (rc < 0)
		return rc;
	describe(a, p);
	s->file = mem_grow(s->file, &s->cap_files, s->n_files + 1, sizeof(*s->file));
	s->file[s->n_files++] = a->file;
	if (a->kinds.error > s->error)
		s->error = a->kinds.error;
	return 0;
}

int gate_sum_add(struct gate_sum *s, enum stats_side side, const struct profile *p, const char *source,
		 const struct query *q, struct buf *notes, struct err *err)
{
	struct sum_adding a = {
		.sum = s, .side = side, .source = source, .q = q, .notes = notes, .err = err, .mem = arena_new()
	};
	int rc = add(&a, p);

	arena_free(a.mem);
	return rc;
}

static void add_totals(struct gate_sum *s, struct gate_sums *all)
{
	for (size_t i = 0; i < s->n_files; i++) {
		all->total[s->file[i].side] += s->file[i].value;
		all->var[s->file[i].side] += s->file[i].var;
	}
}

const struct gate_sums *gate_sum_all(struct gate_sum *s)
{
	struct gate_sums *all = &s->all;
	const struct sum_first *f = &s->first;

	*all = (struct gate_sums){ .options = s->options,
				   .error = s->error,
				   .type = f->compared.name,
				   .unit = f->compared.unit,
				   .period_unit = f->period_type.unit,
				   .n_files = (uint32_t)s->n_files,
				   .file = s->file,
				   .n_funcs = (uint32_t)s->n_funcs,
				   .func = s->func,
				   .paths = { .n = s->paths.n, .off = s->paths.off, .func = s->paths.func },
				   .mem = s->mem };
	if (f->n_types == 0)
		all->type = all->unit = all->period_unit = "";
	for (int side = 0; side < N_STATS_SIDES; side++) {
		all->paths.value[side] = s->paths.column[SUM_VALUE + side];
		all->paths.var[side] = s->paths.column[SUM_VAR + side];
	}
	for (uint32_t i = 0; i < s->n_funcs; i++) {
		s->func[i].name = match_name(s->match, i);
		s->func[i].file = match_file(s->match, i);
	}
	add_totals(s, all);
	return all;
}
